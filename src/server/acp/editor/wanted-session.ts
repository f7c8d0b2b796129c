import type { ContentBlock, McpServer, NewSessionRequest } from "@agentclientprotocol/sdk/unstable";
import { HarnessError } from "../../../base/errors.ts";
import type { CommandOf } from "../../../protocol/commands/commands.ts";
import type { SessionMcpServer } from "../../../protocol/commands/session-servers.ts";

type Create = CommandOf<"CreateSession">;

/** Parts of a request by which an editor says how a session is to run. */
export type WantedSession = Partial<
  Pick<NewSessionRequest, "additionalDirectories" | "mcpServers" | "systemPrompt">
>;

/** Returns the request for a session, with what the editor wants for it. @throws HarnessError UnsupportedContent. */
export function wantedSession(request: Create, wanted: WantedSession): Create {
  const { additionalDirectories: addDirs = [], mcpServers = [], systemPrompt } = wanted;
  const text = systemPrompt === undefined || systemPrompt === null ? "" : textOf(systemPrompt.content);
  const { run = {} } = request;
  return {
    ...request,
    run: {
      ...run,
      ...(addDirs.length === 0 ? {} : { addDirs: [...addDirs] }),
      ...(mcpServers.length === 0 ? {} : { mcpServers: mcpServers.map(sessionServer) }),
      ...(text === "" ? {} : { appendSystemPrompt: text }),
    },
  };
}

/** Returns true if a request wants what a session can only get when it is opened. */
export function wantsOwnRun(wanted: WantedSession): boolean {
  return Object.keys(wantedSession({ kind: "CreateSession" }, wanted).run ?? {}).length > 0;
}

function sessionServer(server: McpServer): SessionMcpServer {
  const { name } = server;
  if (!("type" in server)) {
    const { command: cmd, args, env } = server;
    return { transport: "stdio", name, cmd, args, env: entries(env) };
  }
  if (server.type === "acp") {
    const why = `mcpServers: ${name} is to be reached through the editor, which cinch does not offer`;
    throw new HarnessError("InvalidPath", { why });
  }
  return { transport: server.type, name, url: server.url, headers: entries(server.headers) };
}

function entries(
  pairs: readonly { readonly name: string; readonly value: string }[],
): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}

/** Text for the end of the system text. cinch's own cannot be replaced, which `initialize` does not offer. */
function textOf(content: readonly ContentBlock[]): string {
  return content
    .map((block) => {
      if (block.type === "text") return block.text;
      throw new HarnessError("UnsupportedContent", { model: "of this session", content: block.type });
    })
    .join("\n\n");
}
