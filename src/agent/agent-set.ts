import { writtenText } from "../base/written-text.ts";
import type { AgentDefinition } from "./definition.ts";
import { GENERAL } from "./definition.ts";
import type { FieldProblem, ReadDefinition } from "./read-definition.ts";
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
  /** Why files are not among them: `path:line: field: what is wrong`. */
  readonly problems: readonly string[];
  /** What of a good file has no effect, in the same form. */
  readonly warnings: readonly string[];
}

type Good = Extract<ReadDefinition, { kind: "agent" }>;

/**
 * Reads all definitions and holds them against each other: a name belongs to the first file that has it, the user's own
 * before the project's, and to nobody where it is built in; those that would start each other in a circle are none.
 */
export async function agentSet(files: readonly DefinitionFile[]): Promise<AgentSet> {
  const problems: string[] = [];
  const warnings: string[] = [];
  const found = new Map<string, Good & { readonly path: string }>();
  for (const { path, scope, bytes } of files) {
    const written = writtenText(bytes);
    const read = written.kind === "text" ? await readDefinition(written.text, { path, scope }) : written;
    if (read.kind === "problem") {
      problems.push(placed(path, read));
      continue;
    }
    const { name } = read.agent;
    const holder = name === GENERAL.name ? "cinch itself" : found.get(name)?.path;
    if (holder !== undefined) {
      const problem = `"${name}" is the name of another agent already, from ${holder}`;
      problems.push(placed(path, { line: 2, field: "name", problem }));
      continue;
    }
    for (const told of read.told) warnings.push(placed(path, told));
    found.set(name, { ...read, path });
  }
  const known = new Set([GENERAL.name, ...found.keys()]);
  for (const [name, { agent, path, toolsLine }] of found) {
    const at = (problem: string) => placed(path, { line: toolsLine, field: "tools", problem });
    const chain = circleOf(name, found);
    if (chain !== undefined)
      problems.push(at(`agents would start each other in a circle: ${chain.join(" → ")}`));
    const unknown = startedBy(agent).filter((each) => !known.has(each));
    if (chain === undefined && unknown.length > 0)
      warnings.push(at(`there is no agent ${unknown.join(", ")}`));
  }
  const circular = [...found].filter(([name]) => circleOf(name, found) !== undefined).map(([name]) => name);
  const agents = [...found.values()].filter(({ agent }) => !circular.includes(agent.name));
  return { agents: [GENERAL, ...agents.map(({ agent }) => agent)], problems, warnings };
}

/** The kinds that a definition names to be started. */
function startedBy({ tools = [] }: AgentDefinition): readonly string[] {
  return tools.flatMap(({ name, only }) => (name === "Agent" ? (only ?? []) : []));
}

/** The shortest way from an agent to itself, by what each names. */
function circleOf(name: string, found: ReadonlyMap<string, Good>): readonly string[] | undefined {
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

function placed(path: string, { line, field, problem }: FieldProblem): string {
  return `${path}:${line}: ${field === undefined ? "" : `${field}: `}${problem}`;
}
