import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { McpServer } from "@agentclientprotocol/sdk/unstable";
import { methods } from "@agentclientprotocol/sdk/unstable";
import { textTold } from "../support/acp-editor.ts";
import { openAcpHome } from "../support/acp-home.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { readSource } from "../support/source.ts";

const LIMIT_MS = 240_000;
const WRITE = { file_path: "a.txt", content: "hello\n" };

/** Requests of an editor to an agent, from the official library; notifications have no answer. */
const SERVED = [
  "initialize",
  "session/new",
  "session/load",
  "session/list",
  "session/resume",
  "session/close",
  "session/prompt",
];
const REFUSED = ["authenticate", "logout", "session/delete", "session/set_mode", "session/set_config_option"];
const NOTIFICATIONS = ["session/cancel"];

test(
  "[CTL-16] of the whole protocol, an editor gets the documented part, and a refusal of the rest",
  async () => {
    const { session, ...top } = methods.agent;
    const known: readonly string[] = [...Object.values(top), ...Object.values(session)];
    expect(known.toSorted()).toEqual([...SERVED, ...REFUSED, ...NOTIFICATIONS].toSorted());
    const documented = readSource("docs/acp.md");
    expect([...known].filter((method) => !documented.includes(`\`${method}\``))).toEqual([]);

    await using place = openAcpHome([]);
    await using open = place.edit("--model", "mock:one");
    const { agent } = open.editor;
    const initialized = await agent.request("initialize", { protocolVersion: 2 });
    expect(initialized).toMatchObject({ protocolVersion: 1, authMethods: [] });
    expect(initialized.agentCapabilities).toEqual({
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: false, sse: false },
      sessionCapabilities: { list: {}, resume: {}, close: {} },
    });
    for (const method of REFUSED)
      expect([method, await codeOf(agent.request(method, {}))]).toEqual([method, -32_601]);
    // Served, and refused for what it lacks.
    for (const method of SERVED.filter((each) => each !== "initialize" && each !== "session/list"))
      expect([method, await codeOf(agent.request(method, {}))]).toEqual([method, -32_602]);
    expect(await agent.request("session/list", {})).toEqual({ sessions: [] });
  },
  LIMIT_MS,
);

test(
  "[CTL-16] an editor that offers its files and terminals is asked for neither: what is written lies on the disk, and its MCP servers are said to be left alone",
  async () => {
    await using place = openAcpHome([calls("Write", WRITE), says("written")]);
    await using open = place.edit("--model", "mock:one", "--level", "ReadOnly");
    const { agent } = open.editor;
    const clientCapabilities = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };
    await agent.request("initialize", { protocolVersion: 1, clientCapabilities });
    const server: McpServer = { name: "outer tools", command: "/bin/false", args: [], env: [] };
    const { sessionId } = await agent.request("session/new", { cwd: place.work, mcpServers: [server] });
    const running = open.editor.prompt(sessionId, "write it");
    (await open.editor.question()).choose("allow-once");
    // The editor of this test has no method for files or terminals: one that was asked for would have failed the turn.
    expect(await running).toMatchObject({ stopReason: "end_turn" });
    expect(readFileSync(join(place.work, "a.txt"), "utf8")).toBe("hello\n");
    expect(textTold(open.editor)).toContain("MCP servers of the editor are not connected");
    expect(textTold(open.editor)).toContain("outer tools");
  },
  LIMIT_MS,
);

test(
  "[CTL-16] an editor that cancels while its person is asked gets its question back, and nothing is done",
  async () => {
    await using place = openAcpHome([calls("Write", WRITE), says("never said"), says("the next one")]);
    await using open = place.edit("--model", "mock:one", "--level", "ReadOnly");
    const sessionId = await open.editor.begin(place.work);
    const running = open.editor.prompt(sessionId, "write it");
    const { signal } = await open.editor.question();
    await open.editor.connection.agent.notify("session/cancel", { sessionId });
    expect(await running).toMatchObject({ stopReason: "cancelled" });
    expect([signal.aborted, existsSync(join(place.work, "a.txt"))]).toEqual([true, false]);
    expect(await open.editor.prompt(sessionId, "and now?")).toMatchObject({ stopReason: "end_turn" });
  },
  LIMIT_MS,
);

async function codeOf(request: Promise<unknown>): Promise<unknown> {
  try {
    await request;
    return "served";
  } catch (thrown) {
    return Reflect.get(Object(thrown), "code");
  }
}
