import { arrayAt, isObject, stringAt } from "../../../base/json.ts";
import { count } from "../../../base/text/text.ts";
import type { SlashCommand } from "../../../view/slash/slash.ts";
import { neutralise, neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import type { CommandSurface } from "../surface.ts";

type McpSurface = Pick<CommandSurface, "session" | "say" | "request">;

const ACTIONS = ["status", "restart", "approve"] as const;
const USAGE =
  "Write /mcp:SERVER [status | restart | approve], /mcp:restart SERVER or /mcp:approve SERVER; /mcp lists the servers.";

/**
 * Carries out `/mcp`, `/mcp:SERVER [status | restart | approve]`, and the same said the other way round:
 * `/mcp:restart SERVER`, `/mcp:approve SERVER`.
 */
export async function runMcp(command: SlashCommand, client: McpSurface): Promise<void> {
  const { namespace, name, args } = command;
  const [first, second = "status", ...more] = namespace === undefined ? args : [name, ...args];
  if (first === undefined) return await list(client);
  const isTurned = second !== "status" && ACTIONS.some((action) => action === first);
  const [server, word] = isTurned ? [second, first] : [first, second];
  const action = ACTIONS.find((known) => known === word);
  if (action === undefined || more.length > 0 || isLoneAction(server, command))
    return await client.say(USAGE);
  const { session: sessionId } = client;
  const result = await client.request({ kind: "ManageMcp", sessionId, server, action });
  const text = stringAt(result, "text");
  if (text !== undefined && text !== "") await client.say(neutralise(text));
}

/** `/mcp:restart` without a server; `/mcp restart` as well. Servers that are called so are spoken of with `status`. */
function isLoneAction(server: string, { namespace, args }: SlashCommand): boolean {
  return args.length === (namespace === undefined ? 1 : 0) && ACTIONS.some((action) => action === server);
}

async function list(client: McpSurface): Promise<void> {
  const { session: sessionId } = client;
  const payload = { args: [] };
  const asked = { kind: "CustomCommand", sessionId, namespace: "engine", verb: "mcp", payload } as const;
  const result = await client.request(asked);
  if (result === undefined) return;
  const lines = arrayAt(result, "mcp_servers").flatMap((each) => {
    if (!isObject(each)) return [];
    const tools =
      typeof each["tools"] === "number" && each["tools"] > 0 ? `  ${count(each["tools"], "tool")}` : "";
    return [
      `  ${neutraliseLine(stringAt(each, "name") ?? "")}  ${neutraliseLine(stringAt(each, "state") ?? "")}${tools}`,
    ];
  });
  await client.say(lines.length === 0 ? "This session has no MCP servers." : lines.join("\n"));
}
