import { decodeWrittenText } from "../../../base/files/written-text.ts";
import type { ToolTable } from "../../../tools/tool-facts.ts";
import type { AgentDefinition } from "./definition.ts";
import { GENERAL_AGENT } from "./definition.ts";
import type { HeadFieldProblem } from "./head-fields.ts";
import type { DefinitionResult } from "./read-definition.ts";
import { readDefinition } from "./read-definition.ts";

/** One acknowledged file. */
export interface DefinitionFile {
  readonly path: string;
  readonly scope: "user" | "project";
  readonly bytes: Uint8Array;
}

/** All kinds of sub-agents of a session, with unique names. */
export interface AgentSet {
  readonly agents: readonly AgentDefinition[];
  /** The definitions from files, without the built-in one. */
  readonly definitions: readonly ValidDefinition[];
  /** Reasons why files were rejected: `path:line: field: what is wrong`. */
  readonly problems: readonly string[];
  /** Parts of files without effect, in the same form. */
  readonly warnings: readonly string[];
}

export type ValidDefinition = Extract<DefinitionResult, { kind: "agent" }> & { readonly path: string };

/**
 * Reads all definitions and checks them against each other.
 *
 * A name belongs to one file: a user's file before a project's, then the file with that name, then the first.
 * Built-in names are taken. Definitions that would start each other in a circle are rejected.
 */
export async function readAgentSet(files: readonly DefinitionFile[], tools: ToolTable): Promise<AgentSet> {
  const problems: string[] = [];
  const warnings: string[] = [];
  const read: ValidDefinition[] = [];
  for (const file of files) {
    const { path } = file;
    const definition = await readFile(file, tools);
    for (const reported of definition.ignoredFields) warnings.push(fieldProblemText(path, reported));
    if (definition.kind === "agent") read.push({ ...definition, path });
    else problems.push(...definition.problems.map((problem) => fieldProblemText(path, problem)));
  }
  const found = ownersOfNames(read);
  for (const { agent, path, lineOf } of read) {
    const { name } = agent;
    const holder = name === GENERAL_AGENT.name ? "cinch itself" : found.get(name)?.path;
    if (holder === path) continue;
    const problem = `"${name}" is the name of another agent already, from ${holder}`;
    problems.push(fieldProblemText(path, { line: lineOf("name"), field: "name", problem }));
  }
  const known = new Set([GENERAL_AGENT.name, ...found.keys()]);
  for (const [name, { agent, path, lineOf }] of found) {
    const at = (problem: string) =>
      fieldProblemText(path, { line: lineOf("tools"), field: "tools", problem });
    const chain = circleOf(name, found);
    if (chain !== undefined)
      problems.push(at(`agents would start each other in a circle: ${chain.join(" → ")}`));
    const unknown = startedBy(agent).filter((each) => !known.has(each));
    if (chain === undefined && unknown.length > 0)
      warnings.push(at(`there is no agent ${unknown.join(", ")}`));
  }
  const circular = [...found].filter(([name]) => circleOf(name, found) !== undefined).map(([name]) => name);
  const definitions = [...found.values()].filter(({ agent }) => !circular.includes(agent.name));
  return {
    agents: [GENERAL_AGENT, ...definitions.map(({ agent }) => agent)],
    definitions,
    problems,
    warnings,
  };
}

async function readFile({ path, scope, bytes }: DefinitionFile, tools: ToolTable): Promise<DefinitionResult> {
  const written = decodeWrittenText(bytes);
  if (written.kind === "text") return await readDefinition(written.text, { path, scope, tools });
  return { kind: "problem", problems: [written], ignoredFields: [] };
}

/** Returns the file to which each name belongs. */
function ownersOfNames(read: readonly ValidDefinition[]): ReadonlyMap<string, ValidDefinition> {
  const found = new Map<string, ValidDefinition>();
  for (const one of read) {
    const { name, scope } = one.agent;
    const holder = found.get(name);
    const isNamesake = one.path.endsWith(`/${name}.md`) && holder?.path.endsWith(`/${name}.md`) === false;
    if (holder === undefined || (isNamesake && holder.agent.scope === scope)) found.set(name, one);
  }
  found.delete(GENERAL_AGENT.name);
  return found;
}

/** Returns the kinds that a definition may start. */
function startedBy({ tools = [] }: AgentDefinition): readonly string[] {
  return tools.flatMap(({ about, only = [] }) => (about === "starts-agents" ? only : []));
}

/** Returns the shortest path from an agent to itself through the kinds that each may start. */
function circleOf(name: string, found: ReadonlyMap<string, ValidDefinition>): readonly string[] | undefined {
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

/** Renders a problem as `path:line: field: problem`. */
export function fieldProblemText(path: string, { line, field, problem }: HeadFieldProblem): string {
  return `${path}:${line}: ${field === undefined ? "" : `${field}: `}${problem}`;
}
