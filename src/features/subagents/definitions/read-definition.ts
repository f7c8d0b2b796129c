import { defined } from "../../../base/defined.ts";
import { isObject } from "../../../base/json.ts";
import { NOT_CLOSED, splitFrontMatter } from "../../../base/text/front-matter.ts";
import { HEAD_CHARACTERS_MAX, readMarkdownHead } from "../../../base/text/markdown-head.ts";
import { nearestWords } from "../../../base/text/near.ts";
import type { YamlHead } from "../../../base/text/yaml-head.ts";
import type { ToolEffect, ToolTable } from "../../../tools/tool-facts.ts";
import type { AgentDefinition, ToolGrant } from "./definition.ts";
import type { HeadFieldProblem } from "./head-fields.ts";
import { HeadFields, InvalidEntry } from "./head-fields.ts";

/** The result of reading a file. `ignoredFields` lists ignored fields, of valid definitions too. */
export type DefinitionResult =
  | {
      readonly kind: "agent";
      readonly agent: AgentDefinition;
      readonly ignoredFields: readonly HeadFieldProblem[];
      /** Returns the line of a field in the file. */
      lineOf(field: string): number;
    }
  | {
      readonly kind: "problem";
      readonly problems: readonly HeadFieldProblem[];
      readonly ignoredFields: readonly HeadFieldProblem[];
    };

export interface DefinitionSource {
  readonly path: string;
  readonly scope: "user" | "project";
  /** The tools that it may name, in addition to those of servers and plugins. */
  readonly tools: ToolTable;
}

const PROMPT_CHARACTERS_MAX = 100_000;
const ROUNDS_MAX = 1_000;
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
const FIELDS = [
  "name",
  "description",
  "model",
  "tools",
  "disallowedTools",
  "skills",
  "maxTurns",
  "worktree",
  "isolation",
];
/** Fields of the format's other readers. They have no effect here and cause no warning. */
const FOREIGN_FIELDS = new Set([
  "color",
  "permissionMode",
  "hooks",
  "mcpServers",
  "memory",
  "effort",
  "background",
]);
/** Parts of a tool that a definition may grant, by the effect of the tool. */
const PARTS: ReadonlyMap<ToolEffect | undefined, string> = new Map([
  ["runs-commands", "program name"],
  ["starts-agents", "kind of agent"],
]);
const GRANT = /^([A-Za-z0-9_*-]{1,128})(?:\(([^()]*)\))?$/;

/**
 * Reads one agent definition: a head between lines of `---`, then instructions in Markdown (RUN-03).
 *
 * Every restriction in a head is applied, or the file is rejected. All problems of the fields are reported, not only
 * the first. Never throws, and takes time in proportion to the text.
 */
export async function readDefinition(text: string, place: DefinitionSource): Promise<DefinitionResult> {
  const parts = splitFrontMatter(text);
  if (parts.kind === "headless") return problem(1, "it does not begin with a line of ---");
  if (parts.kind === "open") return problem(1, NOT_CLOSED);
  const { body: prompt, bodyLine } = parts;
  if (parts.head.join("\n").length > HEAD_CHARACTERS_MAX)
    return problem(1, `its head has more than ${HEAD_CHARACTERS_MAX} characters`);
  const head = await readMarkdownHead(parts.head);
  if (head.kind === "problem") return problem(head.line + 1, head.problem);
  if (prompt === "") return problem(bodyLine - 1, "there are no instructions behind its head");
  if (prompt.length > PROMPT_CHARACTERS_MAX)
    return problem(bodyLine, `its instructions have more than ${PROMPT_CHARACTERS_MAX} characters`);
  return definitionOf(head, { ...place, prompt });
}

type Head = Extract<YamlHead, { kind: "value" }>;

function definitionOf(
  { value, lineOf }: Head,
  { path, scope, prompt, tools: known }: DefinitionSource & { readonly prompt: string },
): DefinitionResult {
  if (!isObject(value)) return problem(2, "its head is not a list of keys and values");
  const fields = new HeadFields(value, lineOf);
  const name = fields.required("name", NAME, "must be 1 to 64 small letters, digits and -");
  const description = fields.required("description");
  const model = fields.text("model");
  const isolation = fields.text("isolation");
  if (isolation !== undefined && isolation !== "worktree")
    fields.addProblem("isolation", 'must be "worktree"');
  const tools = fields.list("tools", (text) => grantOf(text, known));
  const roundsMax = fields.integer("maxTurns", ROUNDS_MAX);
  const inWorktree = fields.flag("worktree");
  const agent: AgentDefinition = {
    name,
    description,
    scope,
    path,
    ...(model === undefined || model === "" || model === "inherit" ? {} : { model }),
    ...defined({ tools }),
    disallowedTools: fields.list("disallowedTools", (text) => deniedOf(text, known)) ?? [],
    skills: fields.list("skills", (skill) => skill) ?? [],
    ...defined({ roundsMax }),
    worktree: inWorktree || isolation === "worktree",
    prompt,
  };
  const ignoredFields = unknownFields(value, fields);
  const problems = fields.problems.toSorted((one, other) => one.line - other.line);
  if (problems.length > 0) return { kind: "problem", problems, ignoredFields };
  return { kind: "agent", agent, ignoredFields, lineOf: (field) => fields.line(field) };
}

function unknownFields(value: object, fields: HeadFields): readonly HeadFieldProblem[] {
  return Object.keys(value).flatMap((field): HeadFieldProblem[] => {
    if (FIELDS.includes(field) || FOREIGN_FIELDS.has(field)) return [];
    const [meant] = nearestWords(field, FIELDS);
    const hint = meant === undefined ? "" : `; did you mean "${meant}"?`;
    return [fields.at(field, `is not known and has no effect${hint}`)];
  });
}

function grantOf(text: string, known: ToolTable): ToolGrant | InvalidEntry {
  const [, named = "", inner] = GRANT.exec(text) ?? [];
  if (named === "")
    return new InvalidEntry(`"${text}" is not a tool: write Name, or Bash(git, gh) for some programs alone`);
  const facts = known.all.find(({ name, otherNames = [] }) => name === named || otherNames.includes(named));
  const grant = facts === undefined ? { name: named } : { name: facts.name, about: facts.effect };
  if (inner === undefined) return grant;
  const part = PARTS.get(grant.about);
  if (part === undefined) {
    const divisible = known.all.filter(
      ({ effect, inSubAgents }) => PARTS.has(effect) && inSubAgents === "granted",
    );
    const names = divisible.map(({ name }) => name).join(" and ");
    return new InvalidEntry(`"${text}": only ${names} can be granted in part`);
  }
  // Other readers write `git:*` for a program with any arguments.
  const only = inner.split(",").map((each) => each.trim().replace(/(?::\*| \*)$/, ""));
  const odd = only.find((each) => !/^[A-Za-z0-9][\w.+-]*$/.test(each));
  if (odd === undefined) return { ...grant, only };
  return new InvalidEntry(
    `"${text}": ${JSON.stringify(odd)} is not a ${part}; arguments cannot be restricted`,
  );
}

function deniedOf(text: string, known: ToolTable): string | InvalidEntry {
  const grant = grantOf(text, known);
  if (grant instanceof InvalidEntry) return grant;
  return grant.only === undefined
    ? grant.name
    : new InvalidEntry(`"${text}": a whole tool is left out, or none`);
}

function problem(line: number, text: string): DefinitionResult {
  return { kind: "problem", problems: [{ line, problem: text }], ignoredFields: [] };
}
