import { assert } from "../base/assert.ts";
import { defined } from "../base/defined.ts";
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
 * The strongest effect of a tool. Each effect has one kind of target in the plans of its calls (`CallPlan.target`):
 *
 * - `session`: this session only: the conversation, its list, its mode, its background runs. Target: none.
 * - `reads-files`, `searches-files`, `writes-files`: files that the call names, whole folders, files that it changes.
 * Target: paths. A rule about one tool that reads or searches files restricts all of these, and the same holds for
 * tools that write.
 * - `runs-commands`: a command line. Target: command.
 * - `reads-network`: an address. Target: url.
 * - `asks-servers`: a resource of an MCP server, named as `SERVER:ADDRESS`. Target: none.
 * - `keeps`: data that cinch keeps for later sessions: memories, schedules. Target: none.
 * - `starts-agents`: another agent, whose calls are judged one by one. Target: none.
 * - `unknown`: known to the tool only. Any target.
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
 * Calls that run without a question if no rule matches them (PERM-04):
 *
 * - `never`: none.
 * - `known-reads`: those that are known to only read what the user opened to the agent.
 * - `at-its-level`: those whose plan requests no other level than the tool's.
 * - `always`: all.
 */
export type AutoAllowed = "never" | "known-reads" | "at-its-level" | "always";

/**
 * Everything about a tool that other modules use, as plain data. It is declared with the tool; no other module knows
 * the tool by name.
 */
export interface ToolFacts {
  /** Letters, digits, underscores and dashes. */
  readonly name: string;
  /** Names of the tool in agent definitions of other programs. */
  readonly otherNames?: readonly string[];
  readonly packs: readonly ToolPack[];
  readonly effect: ToolEffect;
  /** Argument that rules match: a path, a command, an address. Absent: rules match no single argument. */
  readonly subject?: string;
  /** True if a call can change anything outside the conversation, and when in doubt (TOOL-09). */
  readonly mutating: boolean;
  /** Level of a call, unless its plan sets another. */
  readonly level: Level;
  readonly autoAllowed: AutoAllowed;
  /** Author of its answers: cinch, this machine or this repository (`own`), or third parties (`foreign`). */
  readonly output: "own" | "foreign";
  readonly kind: ToolKind;
  /** Arguments with the change of a file, for its preview (PERM-06). The tool then obeys `CallPlan.accepted`. */
  readonly preview?: ChangePreview;
  /**
   * Sub-agents that can have it: those whose definition grants it; none; also those whose definition names
   * skills (RUN-03).
   */
  readonly inSubAgents: "granted" | "never" | "for-its-skills";
  /** Part of its newest call that a compaction keeps (SES-13). */
  readonly carries?: "tasks" | "plan";
  /**
   * True if its calls never run in parallel with others of the same answer, although they change nothing outside:
   * their order matters.
   */
  readonly alone?: true;
  /** True if it only leads to other tools, which are judged instead: rules and hooks cannot name it. */
  readonly isWay?: true;
}

/** The facts of all tools of cinch, whether a session has them or not. */
export interface ToolTable {
  of(name: string): ToolFacts | undefined;
  readonly all: readonly ToolFacts[];
  /** Names that rules and hooks may use, beside those of servers and plugins. */
  readonly nameable: readonly string[];
}

/** Joins lists of facts to one table. Asserts that each name occurs once. */
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

export function readsFiles(effect: ToolEffect | undefined): boolean {
  return effect === "reads-files" || effect === "searches-files";
}

/** Returns the event fields that say how a client may show a call; empty for a tool without them. */
export function displayFields({ kind, preview }: Partial<Pick<ToolFacts, "kind" | "preview">>) {
  return {
    ...(kind === undefined || kind === "other" ? {} : { toolKind: kind }),
    ...defined({ preview }),
  };
}
