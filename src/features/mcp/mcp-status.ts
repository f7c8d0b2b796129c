import { defined } from "../../base/defined.ts";
import type { ResultOfCommand } from "../../protocol/commands/results.ts";
import { visibleLine } from "../../safety/hidden.ts";
import type { ToolNames } from "../../tools/server-tool-names.ts";
import { mcpStatusText } from "../../view/texts/result-texts.ts";

const TOOLS_LISTED_MAX = 100;

/** Result of ManageMcp, for one server or for all. `text` is for clients that do not draw the fields. */
export type McpStatus = ResultOfCommand<"ManageMcp">;

/** One server, as it is now. */
export type ServerStatus = McpStatus["servers"][number];

/**
 * Returns the status of servers.
 * @param named set for one server that a client named: its tools, as rules and sub-agents spell them, and whether it
 * was approved.
 */
export function mcpStatus(
  servers: readonly ServerStatus[],
  { tools, approved }: { readonly tools?: readonly ToolNames[]; readonly approved?: false } = {},
): McpStatus {
  const status = {
    servers: servers.map(({ problem, ...server }) =>
      problem === undefined ? server : { ...server, problem: visibleLine(problem) },
    ),
    ...(tools === undefined ? {} : { toolNames: tools.slice(0, TOOLS_LISTED_MAX).map(namesOf) }),
    ...defined({ approved }),
  };
  return { ...status, text: mcpStatusText(status) };
}

function namesOf({ name, spelled = name }: ToolNames) {
  return spelled === name ? { name } : { name, spelled: visibleLine(spelled) };
}
