import { join } from "node:path";
import { causeOf } from "../../base/files/file-cause.ts";
import { hintFor, near } from "../../base/text/near.ts";
import type { Files } from "../../base/world.ts";
import { codeOf, FileTooLarge } from "../../base/world.ts";
import { ITEM_FILE_BYTES_MAX } from "../../guard/trust/review/read-item.ts";
import type { ReadSettings } from "../../session/commands/cli-command.ts";
import type { EngineOptions } from "../../session/options.ts";
import { isServerTool } from "../../tools/server-tool-names.ts";
import type { ToolTable } from "../../tools/tool-facts.ts";
import { readAgents } from "./agents-review.ts";
import type { AgentSet, GoodDefinition } from "./definitions/agent-set.ts";
import { agentSet, placed } from "./definitions/agent-set.ts";

interface Options extends Pick<EngineOptions, "world" | "paths" | "workingDir" | "environment"> {
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
 * Holds files to the format, whether they would be found or not, and what they name to what there is here: models, tools,
 * skills (RUN-03).
 * @param paths files, and folders of `*.md`; none: whatever a session here would find.
 */
export async function checkAgents(options: Options, paths: readonly string[]): Promise<CheckedAgents> {
  if (paths.length === 0) {
    const { set, items, problems } = await readAgents(options);
    return await checkedSet(options, set, { checked: items.length, problems });
  }
  const { files } = options.world;
  const read = [];
  const problems: string[] = [];
  for (const path of (await Promise.all(paths.map((given) => definitionsAt(files, given)))).flat()) {
    if (typeof path !== "string") {
      problems.push(path.problem);
      continue;
    }
    try {
      read.push({ path, scope: "user", bytes: await files.read(path, ITEM_FILE_BYTES_MAX) } as const);
    } catch (thrown) {
      if (codeOf(thrown) === undefined && !(thrown instanceof FileTooLarge)) throw thrown;
      problems.push(`${path}:1: it cannot be read: ${causeOf(thrown)}`);
    }
  }
  const checked = read.length + problems.length;
  return await checkedSet(options, await agentSet(read, options.tools), { checked, problems });
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

/** A file itself; of a folder, the definitions in it. */
async function definitionsAt(
  files: Files,
  path: string,
): Promise<readonly (string | { readonly problem: string })[]> {
  if ((await files.stat(path))?.kind !== "directory") return [path];
  const names = (await files.list(path)).map(({ name }) => name).filter((name) => name.endsWith(".md"));
  if (names.length === 0) return [{ problem: `${path}: there is no definition in it, no file *.md` }];
  return names.sort().map((name) => join(path, name));
}

/** Tools of plugins and of servers are known to a session alone. */
function unknownTools(
  { agent, path, lineOf }: GoodDefinition,
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
        const [meant] = near(name, known);
        const hint = meant === undefined ? "" : `; did you mean "${meant}"?`;
        return placed(path, { line: lineOf(field), field, problem: `there is no tool "${name}"${hint}` });
      });
  });
}

async function unknownModel(
  { agent: { model }, path, lineOf }: GoodDefinition,
  settings: ReadSettings,
): Promise<readonly string[]> {
  const problem = model === undefined ? undefined : await settings.modelProblem(model);
  return problem === undefined ? [] : [placed(path, { line: lineOf("model"), field: "model", problem })];
}

/** Those that nobody has acknowledged yet count too: what is missing is missing for good. */
async function unknownSkills(
  definitions: readonly GoodDefinition[],
  { skillNames }: Options,
): Promise<readonly string[]> {
  if (definitions.every(({ agent }) => agent.skills.length === 0)) return [];
  const known = await skillNames();
  return definitions.flatMap(({ agent, path, lineOf }) =>
    agent.skills
      .filter((name) => !known.includes(name))
      .map((name) => {
        const problem = `there is no skill "${name}". ${hintFor(name, known)}`;
        return placed(path, { line: lineOf("skills"), field: "skills", problem });
      }),
  );
}
