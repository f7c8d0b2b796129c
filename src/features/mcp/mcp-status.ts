import { count } from "../../base/text/text.ts";
import type { McpServerInfo } from "../../protocol/resources.ts";
import { visible } from "../../safety/hidden.ts";
import type { ToolNames } from "../../tools/server-tool-names.ts";

const TOOLS_LISTED_MAX = 100;

/** The answer of ManageMcp, for one server or for all. */
export interface McpStatus {
  readonly servers: readonly ServerStatus[];
  /** The same for people: a line for each server, with its problem. */
  readonly text: string;
}

export type ServerStatus = McpServerInfo & { readonly problem?: string };

export function mcpStatus(servers: readonly ServerStatus[]): McpStatus {
  return { servers, text: servers.map(statusLine).join("\n") };
}

/** Adds the names of one server's tools to its status, as rules and sub-agents spell them. */
export function statusWithTools(status: McpStatus, tools: readonly ToolNames[]): McpStatus {
  const names = tools
    .slice(0, TOOLS_LISTED_MAX)
    .map(({ name, spelled = name }) => (spelled === name ? name : `${name} (${visible(spelled)})`));
  const more = tools.length > TOOLS_LISTED_MAX ? [`and ${tools.length - TOOLS_LISTED_MAX} more`] : [];
  return { ...status, text: [status.text, ...[...names, ...more].map((line) => `  ${line}`)].join("\n") };
}

function statusLine({ name, state, tools, problem }: ServerStatus): string {
  const known = tools === 0 ? "" : `, ${count(tools, "tool")}`;
  return `${name}: ${state}${known}${problem === undefined ? "" : `. ${visible(problem)}`}`;
}
