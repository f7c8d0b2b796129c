import type { ResultOf } from "../../protocol/queries/queries.ts";
import type { McpServerInfo, SkillText, SlashCommandInfo } from "../../protocol/resources.ts";

/** An MCP server as one session lists it. */
export interface OfferedServer extends McpServerInfo {
  /** Identity of the server: sessions that share it list the same object. */
  readonly of: object;
}

/** A text that a person is typing. */
export interface TypedText {
  readonly text: string;
  /** Units of UTF-16 before the cursor. */
  readonly cursor: number;
  /** Limit for the items. */
  readonly limit: number;
}

/** Data of a session that clients can list (CTL-15). Read at each query. */
export interface SessionLists {
  readonly skills?: () => readonly SkillText[];
  readonly mcpServers?: () => readonly OfferedServer[];
  /** Slash commands that only this session has: skills, agents, prompt templates, those of plugins. */
  readonly slashCommands?: () => readonly SlashCommandInfo[] | Promise<readonly SlashCommandInfo[]>;
  /** Problems of alias files, each with file and line. */
  readonly aliasProblems?: () => Promise<readonly string[]>;
  /** Completes what the feature reads in an input; undefined if there is nothing of it at the cursor. */
  readonly completes?: (typed: TypedText, signal: AbortSignal) => Promise<ResultOf<"Complete"> | undefined>;
}
