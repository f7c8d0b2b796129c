import { join } from "node:path";
import { fileCause } from "../../base/files/file-cause.ts";
import { hintFor, nearestWords } from "../../base/text/near.ts";
import type { Files } from "../../base/world.ts";
import { codeOf, FileTooLarge } from "../../base/world.ts";
import { ITEM_FILE_BYTES_MAX } from "../../guard/trust/review/read-item.ts";
import type { ReadSettings } from "../../session/commands/cli-command.ts";
import type { SettingsHere } from "../../session/feature.ts";
import { isServerTool } from "../../tools/server-tool-names.ts";
import type { ToolTable } from "../../tools/tool-facts.ts";
import { readAgents } from "./agents-review.ts";
import type { AgentSet, ValidDefinition } from "./definitions/agent-set.ts";
import { fieldProblemText, readAgentSet } from "./definitions/agent-set.ts";

interface Options extends Pick<SettingsHere, "world" | "paths" | "workingDir" | "environment"> {
  /** The tools that a definition may name, beside those of servers and plugins. */
  readonly tools: ToolTable;
  readonly settings: ReadSettings;
  /** Returns the names of the skills that a session here would find. */
  readonly skillNames: () => Promise<readonly string[]>;
}

/** Result of a check. A finding reads `path:line: field: problem`. */
export interface CheckedAgents {
  readonly checked: number;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Checks definition files, including those that a session would not find, and the models, tools and skills that they
 * name (RUN-03).
 * @param paths files, and folders of `*.md`; empty: those that a session here would find.
 */
export async function checkAgents(options: Options, paths: readonly string[]): Promise<CheckedAgents> {
  if (paths.length === 0) {
    const { set, items, problems } = await readAgents(options);
    return await checkedSet(options, set, { checked: items.length, problems });
  }
  const { files } = options.world;
  const read = [];
  const problems: string[] = [];
  for (const path of (await Promise.all(paths.map((each) => definitionsAt(files, each)))).flat()) {
    if (typeof path !== "string") {
      problems.push(path.problem);
      continue;
    }
    try {
      read.push({ path, scope: "user", bytes: await files.read(path, ITEM_FILE_BYTES_MAX) } as const);
    } catch (thrown) {
      if (codeOf(thrown) === undefined && !(thrown instanceof FileTooLarge)) throw thrown;
      problems.push(`${path}:1: it cannot be read: ${fileCause(thrown)}`);
    }
  }
  const checked = read.length + problems.length;
  return await checkedSet(options, await readAgentSet(read, options.tools), { checked, problems });
}

async function checkedSet(
  options: Options,
  set: AgentSet,
  { checked, problems }: Pick<CheckedAgents, "checked" | "problems">,
): Promise<CheckedAgents> {
  const { settings, tools } = options;
  const named = await Promise.all([
    ...set.definitions.flatMap((one) => [...unknownTools(one, settings, tools), unknownModel(one, settings)]),
    unknownSkills(set.definitions, options),
  ]);
  return {
    checked,
    problems: [...problems, ...set.problems],
    warnings: [...set.warnings, ...named.flat()],
  };
}

/** Returns the path of a file, or those of the definitions in a folder. */
async function definitionsAt(
  files: Files,
  path: string,
): Promise<readonly (string | { readonly problem: string })[]> {
  if ((await files.stat(path))?.kind !== "directory") return [path];
  const names = (await files.list(path)).map(({ name }) => name).filter((name) => name.endsWith(".md"));
  if (names.length === 0) return [{ problem: `${path}: there is no definition in it, no file *.md` }];
  return names.sort().map((name) => join(path, name));
}

/** Reports tools that do not exist. Tools of plugins and servers are known only in a session. */
function unknownTools(
  { agent, path, lineOf }: ValidDefinition,
  { config, profile }: ReadSettings,
  tools: ToolTable,
): readonly string[] {
  if (config.plugins.length + profile.plugins.length > 0) return [];
  const known = tools.all.map(({ name }) => name);
  return (["tools", "disallowedTools"] as const).flatMap((field) => {
    const named = field === "tools" ? (agent.tools ?? []).map(({ name }) => name) : agent.disallowedTools;
    return named
      .filter((name) => !name.includes("*") && !isServerTool(name) && !known.includes(name))
      .map((name) => {
        const [meant] = nearestWords(name, known);
        const hint = meant === undefined ? "" : `; did you mean "${meant}"?`;
        return fieldProblemText(path, {
          line: lineOf(field),
          field,
          problem: `there is no tool "${name}"${hint}`,
        });
      });
  });
}

async function unknownModel(
  { agent: { model }, path, lineOf }: ValidDefinition,
  settings: ReadSettings,
): Promise<readonly string[]> {
  const problem = model === undefined ? undefined : await settings.modelProblem(model);
  return problem === undefined
    ? []
    : [fieldProblemText(path, { line: lineOf("model"), field: "model", problem })];
}

/** Reports skills that do not exist, acknowledged or not. */
async function unknownSkills(
  definitions: readonly ValidDefinition[],
  { skillNames }: Options,
): Promise<readonly string[]> {
  if (definitions.every(({ agent }) => agent.skills.length === 0)) return [];
  const known = await skillNames();
  return definitions.flatMap(({ agent, path, lineOf }) =>
    agent.skills
      .filter((name) => !known.includes(name))
      .map((name) => {
        const problem = `there is no skill "${name}". ${hintFor(name, known)}`;
        return fieldProblemText(path, { line: lineOf("skills"), field: "skills", problem });
      }),
  );
}
