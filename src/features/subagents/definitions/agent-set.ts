import { writtenText } from "../../../base/files/written-text.ts";
import type { ToolTable } from "../../../tools/tool-facts.ts";
import type { AgentDefinition } from "./definition.ts";
import { GENERAL } from "./definition.ts";
import type { FieldProblem } from "./head-fields.ts";
import type { ReadDefinition } from "./read-definition.ts";
import { readDefinition } from "./read-definition.ts";

/** One file as it was acknowledged. */
export interface DefinitionFile {
  readonly path: string;
  readonly scope: "user" | "project";
  readonly bytes: Uint8Array;
}

/** Every kind of sub-agent of a session, each name once. */
export interface AgentSet {
  readonly agents: readonly AgentDefinition[];
  /** The same without what is built in, as their files were read. */
  readonly definitions: readonly GoodDefinition[];
  /** Why files are not among them: `path:line: field: what is wrong`. */
  readonly problems: readonly string[];
  /** What of a file has no effect, in the same form. */
  readonly warnings: readonly string[];
}

export type GoodDefinition = Extract<ReadDefinition, { kind: "agent" }> & { readonly path: string };

/**
 * Reads all definitions and holds them against each other: a name belongs to one file, the user's own before the project's,
 * then the one that is called so, then the first; and to nobody where it is built in. Those that would start each other in a
 * circle are none.
 */
export async function agentSet(files: readonly DefinitionFile[], tools: ToolTable): Promise<AgentSet> {
  const problems: string[] = [];
  const warnings: string[] = [];
  const read: GoodDefinition[] = [];
  for (const file of files) {
    const { path } = file;
    const definition = await readFile(file, tools);
    for (const told of definition.told) warnings.push(placed(path, told));
    if (definition.kind === "agent") read.push({ ...definition, path });
    else problems.push(...definition.problems.map((problem) => placed(path, problem)));
  }
  const found = holdersOf(read);
  for (const { agent, path, lineOf } of read) {
    const { name } = agent;
    const holder = name === GENERAL.name ? "cinch itself" : found.get(name)?.path;
    if (holder === path) continue;
    const problem = `"${name}" is the name of another agent already, from ${holder}`;
    problems.push(placed(path, { line: lineOf("name"), field: "name", problem }));
  }
  const known = new Set([GENERAL.name, ...found.keys()]);
  for (const [name, { agent, path, lineOf }] of found) {
    const at = (problem: string) => placed(path, { line: lineOf("tools"), field: "tools", problem });
    const chain = circleOf(name, found);
    if (chain !== undefined)
      problems.push(at(`agents would start each other in a circle: ${chain.join(" → ")}`));
    const unknown = startedBy(agent).filter((each) => !known.has(each));
    if (chain === undefined && unknown.length > 0)
      warnings.push(at(`there is no agent ${unknown.join(", ")}`));
  }
  const circular = [...found].filter(([name]) => circleOf(name, found) !== undefined).map(([name]) => name);
  const definitions = [...found.values()].filter(({ agent }) => !circular.includes(agent.name));
  return { agents: [GENERAL, ...definitions.map(({ agent }) => agent)], definitions, problems, warnings };
}

async function readFile({ path, scope, bytes }: DefinitionFile, tools: ToolTable): Promise<ReadDefinition> {
  const written = writtenText(bytes);
  if (written.kind === "text") return await readDefinition(written.text, { path, scope, tools });
  return { kind: "problem", problems: [written], told: [] };
}

/** Of each name, the file that it belongs to. */
function holdersOf(read: readonly GoodDefinition[]): ReadonlyMap<string, GoodDefinition> {
  const found = new Map<string, GoodDefinition>();
  for (const one of read) {
    const { name, scope } = one.agent;
    const holder = found.get(name);
    const isNamesake = one.path.endsWith(`/${name}.md`) && holder?.path.endsWith(`/${name}.md`) === false;
    if (holder === undefined || (isNamesake && holder.agent.scope === scope)) found.set(name, one);
  }
  found.delete(GENERAL.name);
  return found;
}

/** The kinds that a definition names to be started. */
function startedBy({ tools = [] }: AgentDefinition): readonly string[] {
  return tools.flatMap(({ about, only = [] }) => (about === "starts-agents" ? only : []));
}

/** The shortest way from an agent to itself, by what each names. */
function circleOf(name: string, found: ReadonlyMap<string, GoodDefinition>): readonly string[] | undefined {
  const seen = new Set<string>();
  const ways: (readonly string[])[] = [[name]];
  for (const way of ways) {
    const agent = found.get(way.at(-1) ?? name)?.agent;
    for (const next of agent === undefined ? [] : startedBy(agent)) {
      if (next === name) return [...way, next];
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return undefined;
}

/** `path:line: field: problem`. */
export function placed(path: string, { line, field, problem }: FieldProblem): string {
  return `${path}:${line}: ${field === undefined ? "" : `${field}: `}${problem}`;
}
