import { assert } from "../base/assert.ts";
import type { ChangePreview, ToolKind } from "../protocol/events/shown-call.ts";

/** The most that a call may do, from the least to the most powerful ([D] c, PERM-01). */
export const LEVELS = ["ReadOnly", "WorkspaceWrite", "DangerFullAccess"] as const;
export type Level = (typeof LEVELS)[number];

/** Named groups of tools, as profiles list them in `tool_packs` (TOOL-07). */
export const TOOL_PACKS = [
  "fs",
  "search",
  "shell",
  "git",
  "plan",
  "tasks",
  "web",
  "agents",
  "memory",
  "skills",
] as const;
export type ToolPack = (typeof TOOL_PACKS)[number];

/**
 * The farthest effect of a tool. Each effect has one kind of target in the plans of its calls (`CallPlan.target`):
 *
 * - `session`: this session only: the conversation, its list, its mode, its background runs. Target: none.
 * - `reads-files`, `searches-files`, `writes-files`: files that the call names, folders as a whole, files that it
 *   changes. Target: paths. A rule about one tool that reads or searches files restricts all of these, and so for
 *   those that write.
 * - `runs-commands`: a command line. Target: command.
 * - `reads-network`: an address. Target: url.
 * - `asks-servers`: a resource of an MCP server, named as `SERVER:ADDRESS`. Target: none.
 * - `keeps`: what cinch keeps for later sessions: memories, schedules. Target: none.
 * - `starts-agents`: another agent, whose calls are judged one by one. Target: none.
 * - `unknown`: nobody but the tool knows. Any target.
 */
export type ToolEffect =
  | "session"
  | "reads-files"
  | "searches-files"
  | "writes-files"
  | "runs-commands"
  | "reads-network"
  | "asks-servers"
  | "keeps"
  | "starts-agents"
  | "unknown";

/**
 * Calls that run without a question where no rule speaks of them (PERM-04):
 *
 * - `never`: none.
 * - `known-reads`: those that are known to only read what the person opened to the agent.
 * - `at-its-level`: those whose plan asks for no other level than the tool's.
 * - `always`: all.
 */
export type AutoAllowed = "never" | "known-reads" | "at-its-level" | "always";

/**
 * Everything about a tool that others go by, as plain data. It stands with the tool; nobody else knows the tool by its
 * name.
 */
export interface ToolFacts {
  /** Letters, digits, underscores and dashes. */
  readonly name: string;
  /** Names that agent definitions of other programs use for it. */
  readonly otherNames?: readonly string[];
  readonly packs: readonly ToolPack[];
  readonly effect: ToolEffect;
  /** The argument that rules match: a path, a command, an address. Absent: none alone. */
  readonly subject?: string;
  /** True if a call can change anything outside the conversation, and when in doubt (TOOL-09). */
  readonly mutating: boolean;
  /** The level a call needs, unless its plan says otherwise. */
  readonly level: Level;
  readonly autoAllowed: AutoAllowed;
  /** Author of its answers: cinch, this machine or this repository (`own`), or strangers (`foreign`). */
  readonly output: "own" | "foreign";
  readonly kind: ToolKind;
  /** The arguments that hold the change of a file, for a preview of it (PERM-06). */
  readonly preview?: ChangePreview;
  /**
   * The sub-agents that can have it: those whose definition grants it; none; also those whose definition names skills
   * (RUN-03).
   */
  readonly inSubAgents: "granted" | "never" | "for-its-skills";
  /** The part of its newest call that a compaction keeps (SES-13). */
  readonly carries?: "tasks" | "plan";
  /** Calls never run beside others of the same answer, although they change nothing outside: their order counts. */
  readonly alone?: true;
  /** Only leads to other tools, which are judged in its place: rules and hooks cannot name it. */
  readonly isWay?: true;
}

/** The facts of all tools that cinch itself has, whether a session has them or not. */
export interface ToolTable {
  of(name: string): ToolFacts | undefined;
  readonly all: readonly ToolFacts[];
  /** The names that rules and hooks may use, beside those of servers and plugins. */
  readonly nameable: readonly string[];
}

/** Joins lists of facts to one table. Asserts that each name stands in it once. */
export function toolTable(lists: readonly (readonly ToolFacts[])[]): ToolTable {
  const all = lists.flat();
  const byName = new Map(all.map((facts) => [facts.name, facts]));
  assert(byName.size === all.length, "each tool declares its facts once");
  return {
    of: (name) => byName.get(name),
    all,
    nameable: all.filter(({ isWay }) => isWay !== true).map(({ name }) => name),
  };
}

/** A table without tools, for whoever only reads names of servers' tools. */
export const NO_TOOLS: ToolTable = toolTable([]);

export function readsFiles(effect: ToolEffect | undefined): boolean {
  return effect === "reads-files" || effect === "searches-files";
}

/** Fields of the events about a call that say how a client may show it; none for a tool that does not know. */
export function shownFields({ kind, preview }: Partial<Pick<ToolFacts, "kind" | "preview">>) {
  return {
    ...(kind === undefined || kind === "other" ? {} : { toolKind: kind }),
    ...(preview === undefined ? {} : { preview }),
  };
}
