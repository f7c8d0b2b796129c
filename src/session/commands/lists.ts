import type { McpServerInfo, SkillText, SlashCommandInfo } from "../../protocol/resources.ts";

/** An MCP server as one session lists it. */
export interface OfferedServer extends McpServerInfo {
  /** Identity of the server: sessions that share it list the same object. */
  readonly of: object;
}

/** Data of a session that clients can list (CTL-15). Read at each query. */
export interface SessionLists {
  readonly skills?: () => readonly SkillText[];
  readonly mcpServers?: () => readonly OfferedServer[];
  /** Slash commands that only this session has: skills, agents, prompt templates, those of plugins. */
  readonly slashCommands?: () => readonly SlashCommandInfo[] | Promise<readonly SlashCommandInfo[]>;
  /** Problems of alias files, each with file and line. */
  readonly aliasProblems?: () => Promise<readonly string[]>;
}
