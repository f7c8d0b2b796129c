import type { SlashCommand } from "../../../view/slash/slash.ts";
import { neutralise } from "../../../view/terminal/terminal-text.ts";
import { mcpStatusText } from "../../../view/texts/result-texts.ts";
import type { SlashContext } from "../slash-context.ts";

type McpContext = Pick<SlashContext, "session" | "say" | "request" | "standFor">;

const ACTIONS = ["status", "restart", "approve", "stop", "start"] as const;
const USAGE =
  "Write /mcp:SERVER [status | restart | approve | stop | start], or one of these words first, as in /mcp:stop SERVER; /mcp lists the servers.";

/**
 * Runs `/mcp`, `/mcp:SERVER [status | restart | approve | stop | start]`, and the same in the other order, such as
 * `/mcp:restart SERVER`.
 */
export async function runMcp(command: SlashCommand, client: McpContext): Promise<void> {
  const { namespace, name, args } = command;
  const [first, second = "status", ...more] = namespace === undefined ? args : [name, ...args];
  if (first === undefined) return await client.standFor("mcp", { args: [], rest: "" });
  const isTurned = second !== "status" && ACTIONS.some((action) => action === first);
  const [server, word] = isTurned ? [second, first] : [first, second];
  const action = ACTIONS.find((known) => known === word);
  if (action === undefined || more.length > 0 || isLoneAction(server, command))
    return await client.say(USAGE);
  const { session: sessionId } = client;
  const result = await client.request({ kind: "ManageMcp", sessionId, server, action });
  if (result !== undefined && result.servers.length > 0) await client.say(neutralise(mcpStatusText(result)));
}

/**
 * Returns true for `/mcp:restart` or `/mcp restart` without a server. A server of that name needs `status` behind it.
 */
function isLoneAction(server: string, { namespace, args }: SlashCommand): boolean {
  return args.length === (namespace === undefined ? 1 : 0) && ACTIONS.some((action) => action === server);
}
