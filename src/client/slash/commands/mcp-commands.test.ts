import { expect, test } from "bun:test";
import type { SessionId } from "../../../base/ids.ts";
import type { Command } from "../../../protocol/commands/commands.ts";
import { parseTyped } from "../../../view/slash/slash.ts";
import type { SlashContext } from "../slash-context.ts";
import { runMcp } from "./mcp-commands.ts";

const SESSION = "sess_01J0000000000000000000000A" as SessionId;

/** Returns the texts and commands that a line causes. */
async function typed(line: string) {
  const parsed = parseTyped(line);
  if (parsed.kind !== "command") throw new Error(`${line} is no command`);
  const said: string[] = [];
  const sent: Command[] = [];
  await runMcp(parsed, {
    session: SESSION,
    say: async (text) => void said.push(text),
    request: (async (command: Command) => {
      sent.push(command);
      return { servers: [{ name: "files", state: "running", tools: 2 }] };
    }) as SlashContext["request"],
    standFor: async (name) => void said.push(`(${name})`),
  });
  return { said, sent };
}

const manages = (server: string, action: "status" | "restart" | "approve") => ({
  said: ["files: running, 2 tools"],
  sent: [{ kind: "ManageMcp" as const, sessionId: SESSION, server, action }],
});

test("[MCP-02 CMD-01] a server is named before or behind what is to be done with it", async () => {
  expect(await typed("/mcp:files")).toEqual(manages("files", "status"));
  expect(await typed("/mcp:files restart")).toEqual(manages("files", "restart"));
  expect(await typed("/mcp:restart files")).toEqual(manages("files", "restart"));
  expect(await typed("/mcp approve files")).toEqual(manages("files", "approve"));
  expect(await typed("/mcp:restart status")).toEqual(manages("restart", "status"));
});

test("[MCP-02 CMD-01] without a server, the syntax is shown, and nothing is sent", async () => {
  for (const line of [
    "/mcp:restart",
    "/mcp:approve",
    "/mcp restart",
    "/mcp:files frob",
    "/mcp:files restart now",
  ])
    expect(await typed(line)).toEqual({ said: [expect.stringContaining("/mcp:stop SERVER")], sent: [] });
});
