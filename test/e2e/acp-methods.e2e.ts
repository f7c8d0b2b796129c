import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { McpServer, ResumeSessionResponse, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { AGENT_METHODS } from "@agentclientprotocol/sdk/unstable";
import type { AcpEditor } from "../support/acp-editor.ts";
import { textTold } from "../support/acp-editor.ts";
import { openAcpHome } from "../support/acp-home.ts";
import { startEverything } from "../support/everything-http.ts";
import { officialServer } from "../support/mcp-servers.ts";
import { calls, says } from "../support/mock-provider/turn.ts";

// Each method of the official library, with its client against the real program. `docs/acp.md` names the tests.

const LIMIT_MS = 300_000;
const ONE = ["--model", "mock:one"] as const;
const CATALOGUE = {
  object: "list",
  data: [
    { id: "one", context_length: 1_000 },
    { id: "two", context_length: 2_000 },
  ],
};

/** Requests that are served; `test/acp-table.test.ts` compares them with the page. */
const SERVED = [
  ...["initialize", "auth/status", "session/new", "session/load", "session/resume", "session/fork"],
  ...["session/list", "session/status", "session/delete", "session/close"],
  ...["session/set_mode", "session/set_config_option", "session/prompt"],
  ...["session/archive", "session/unarchive", "session/set_title"],
];
const REFUSED = ["authenticate", "logout", "providers/list", "providers/set", "providers/disable"];
const NOTIFICATIONS = ["session/cancel", "mcp/message"];

test(
  "[CTL-16 CTL-20] each request of the protocol is served, or refused as an unknown method, as the page says",
  async () => {
    const known: readonly string[] = Object.values(AGENT_METHODS);
    expect(known.toSorted()).toEqual([...SERVED, ...REFUSED, ...NOTIFICATIONS].toSorted());
    await using place = openAcpHome([]);
    await using open = place.edit(...ONE);
    const { agent } = open.editor;
    const initialized = await agent.request("initialize", { protocolVersion: 2 });
    expect(initialized).toMatchObject({ protocolVersion: 1, authMethods: [] });
    expect(initialized.agentCapabilities).toEqual({
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: {
        ...{ list: {}, resume: {}, close: {}, delete: {}, fork: {}, status: {}, archive: {}, title: {} },
        ...{ additionalDirectories: {}, systemPrompt: {} },
      },
      auth: { status: {} },
    });
    for (const method of REFUSED)
      expect([method, await codeOf(agent.request(method, {}))]).toEqual([method, -32_601]);
    // Served, and refused for what it lacks.
    const free = ["initialize", "session/list", "auth/status"];
    for (const method of SERVED.filter((each) => !free.includes(each)))
      expect([method, await codeOf(agent.request(method, {}))]).toEqual([method, -32_602]);
    expect(await agent.request("session/list", {})).toEqual({ sessions: [] });
    expect(await agent.request("auth/status", {})).toEqual({ state: "not_required" });
  },
  LIMIT_MS,
);

/** Returns the current values of the options of a session by their ids. */
function valuesOf(options: readonly unknown[] | null | undefined): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    (options ?? []).map((option) => {
      const { id, currentValue } = option as { readonly id: string; readonly currentValue: unknown };
      return [id, currentValue];
    }),
  );
}

function toldOf<Kind extends SessionUpdate["sessionUpdate"]>(
  { updates }: AcpEditor,
  kind: Kind,
): readonly Extract<SessionUpdate, { sessionUpdate: Kind }>[] {
  return updates.flatMap(({ update }) =>
    update.sessionUpdate === kind ? [update as Extract<SessionUpdate, { sessionUpdate: Kind }>] : [],
  );
}

test(
  "[CTL-20] an editor sees and sets mode, model, effort and level, and gets each change: session/set_mode, session/set_config_option, current_mode_update, config_option_update",
  async () => {
    await using place = openAcpHome(
      [calls("Write", { file_path: "a.txt", content: "x" }), says("planned"), says("two")],
      {},
      CATALOGUE,
    );
    await using open = place.edit(...ONE);
    const { editor } = open;
    const { agent } = editor;
    await agent.request("initialize", { protocolVersion: 1 });
    const begun = await agent.request("session/new", { cwd: place.work, mcpServers: [] });
    const { sessionId } = begun;
    expect(begun.modes).toMatchObject({
      currentModeId: "default",
      availableModes: [{ id: "default" }, { id: "plan" }],
    });
    expect(valuesOf(begun.configOptions)).toEqual({
      mode: "default",
      model: "mock:one",
      effort: "configured",
      level: "WorkspaceWrite",
    });
    const offer = await editor.told((update) => update.sessionUpdate === "config_option_update");
    expect(offer).toMatchObject({
      configOptions: [
        { id: "mode" },
        { id: "model", options: [{ value: "mock:one" }, { value: "mock:two" }] },
        { id: "effort" },
        { id: "level" },
      ],
    });
    // The engine has this value already, so that no event tells it.
    const { configOptions } = await agent.request("session/set_config_option", {
      ...{ sessionId, configId: "effort", value: "off" },
    });
    expect(valuesOf(configOptions)).toMatchObject({ effort: "off" });
    await agent.request("session/set_mode", { sessionId, modeId: "plan" });
    expect(toldOf(editor, "current_mode_update")).toMatchObject([{ currentModeId: "plan" }]);
    await editor.prompt(sessionId, "write it");
    expect(existsSync(join(place.work, "a.txt"))).toBe(false);
    expect(place.sent()).toContain("plan mode");
    const change = async (configId: string, value: string) => {
      const answer = await agent.request("session/set_config_option", { sessionId, configId, value });
      return valuesOf(answer.configOptions);
    };
    expect(await change("mode", "default")).toMatchObject({ mode: "default" });
    expect(await change("model", "mock:two")).toMatchObject({ model: "mock:two" });
    expect(await change("effort", "high")).toEqual({
      ...{ mode: "default", model: "mock:two", effort: "high", level: "WorkspaceWrite" },
    });
    expect(await change("level", "ReadOnly")).toMatchObject({ level: "ReadOnly", effort: "high" });
    expect(await change("level", "DangerFullAccess")).toMatchObject({ level: "DangerFullAccess" });
    expect(toldOf(editor, "current_mode_update").at(-1)).toMatchObject({ currentModeId: "default" });
    expect(valuesOf(toldOf(editor, "config_option_update").at(-1)?.configOptions)).toMatchObject({
      effort: "high",
    });
    // A value that is set already needs no event to change it.
    const held = { mode: "default", model: "mock:two", effort: "high", level: "DangerFullAccess" };
    for (const [configId, value] of Object.entries(held))
      expect([configId, await change(configId, value)]).toEqual([configId, held]);
    await agent.request("session/set_mode", { sessionId, modeId: "default" });
    for (const [configId, value] of [
      ["none", "x"],
      ["mode", "sideways"],
      ["effort", "endless"],
      ["level", "Root"],
      ["level", "configured"],
    ] as const)
      expect(await codeOf(change(configId, value))).toBe(-32_602);
    expect(await codeOf(agent.request("session/set_mode", { sessionId, modeId: "?" }))).toBe(-32_602);
    // The next editor finds the session as it is.
    open.cinch.closeStdin();
    await open.cinch.exited;
    await using later = place.edit(...ONE);
    await later.editor.agent.request("initialize", { protocolVersion: 1 });
    const resumed = { sessionId, cwd: place.work, mcpServers: [] };
    const found: ResumeSessionResponse = await later.editor.agent.request("session/resume", resumed);
    // The level was set for the run that has ended.
    expect(valuesOf(found.configOptions)).toEqual({
      ...{ mode: "default", model: "mock:two", effort: "high", level: "WorkspaceWrite" },
    });
    expect(textTold(later.editor, "user_message_chunk")).toBe("");
  },
  LIMIT_MS,
);

test(
  "[CTL-20] an editor shows title, time, context and cost of a session, and the usage of each turn: session_info_update, usage_update",
  async () => {
    await using place = openAcpHome([says("hello")], {}, CATALOGUE);
    await using open = place.edit(...ONE);
    const { editor } = open;
    const sessionId = await editor.begin(place.work);
    await editor.told((update) => update.sessionUpdate === "config_option_update");
    const answer = await editor.prompt(sessionId, "say hello");
    expect(answer).toMatchObject({
      stopReason: "end_turn",
      usage: { totalTokens: 120, inputTokens: 100, outputTokens: 20 },
    });
    expect(toldOf(editor, "usage_update").at(-1)).toMatchObject({ used: 120, size: 1_000 });
    const info = await editor.told((update) => update.sessionUpdate === "session_info_update");
    expect(info).toMatchObject({ title: "say hello", updatedAt: expect.stringMatching(/^\d{4}-/) });
    // An editor that finds the session later is told at once.
    open.cinch.closeStdin();
    await open.cinch.exited;
    await using later = place.edit(...ONE);
    await later.editor.agent.request("initialize", { protocolVersion: 1 });
    await later.editor.agent.request("session/resume", { sessionId, cwd: place.work });
    const found = await later.editor.told((update) => update.sessionUpdate === "usage_update");
    expect(found).toMatchObject({ used: 120, size: 1_000 });
  },
  LIMIT_MS,
);

test(
  "[CTL-20] a session is copied, looked at, closed and deleted for good: session/fork, session/status, session/close, session/list, session/delete",
  async () => {
    await using place = openAcpHome([says("first"), says("in the copy")]);
    await using open = place.edit(...ONE);
    const { editor } = open;
    const { agent } = editor;
    const sessionId = await editor.begin(place.work);
    const status = async (id: string) => (await agent.request("session/status", { sessionId: id })).status;
    const fork = (id: string) => agent.request("session/fork", { sessionId: id, cwd: place.work });
    expect(await codeOf(fork(sessionId))).toBe(-32_602); // nothing was said in it
    await editor.prompt(sessionId, "one");
    const copy = await fork(sessionId);
    expect(copy).toMatchObject({ modes: { currentModeId: "default" } });
    expect(valuesOf(copy.configOptions)).toMatchObject({ model: "mock:one" });
    await editor.prompt(copy.sessionId, "two");
    expect(place.sent()).toContain("first");
    const listed = async () =>
      (await agent.request("session/list", {})).sessions.map((each) => each.sessionId);
    expect((await listed()).toSorted()).toEqual([sessionId, copy.sessionId].toSorted());
    expect([await status(sessionId), await status(copy.sessionId)]).toEqual(["open", "open"]);
    await agent.request("session/close", { sessionId });
    expect(await codeOf(editor.prompt(sessionId, "closed"))).toBe(-32_002);
    await agent.request("session/delete", { sessionId: copy.sessionId });
    expect(await listed()).toEqual([sessionId]);
    expect(await codeOf(status(copy.sessionId))).toBe(-32_002);
    await agent.request("session/delete", { sessionId });
    expect(await listed()).toEqual([]);
  },
  LIMIT_MS,
);

test(
  "[CTL-20] a session whose turn runs is not deleted: session/delete, session/cancel",
  async () => {
    await using place = openAcpHome([calls("Write", { file_path: "a.txt", content: "x" }), says("never")]);
    await using open = place.edit(...ONE, "--level", "ReadOnly");
    const { editor } = open;
    const { agent } = editor;
    const sessionId = await editor.begin(place.work);
    const turn = editor.prompt(sessionId, "write it");
    await editor.question();
    await expect(agent.request("session/delete", { sessionId })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining("cancel it"),
    });
    await agent.notify("session/cancel", { sessionId });
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    await agent.request("session/delete", { sessionId });
    expect(await agent.request("session/list", {})).toEqual({ sessions: [] });
  },
  LIMIT_MS,
);

test(
  "[CTL-20 CLI-02] the editor's further folders are part of the workspace, and its text of the system text",
  async () => {
    await using place = openAcpHome([
      calls("Read", { file_path: "../beside/a.txt" }),
      calls("Edit", { file_path: "../beside/a.txt", old_string: "one", new_string: "two" }),
      says("done"),
    ]);
    const beside = join(place.home.path, "beside");
    mkdirSync(beside);
    writeFileSync(join(beside, "a.txt"), "one\n");
    await using open = place.edit(...ONE);
    const { editor } = open;
    const { agent } = editor;
    await agent.request("initialize", { protocolVersion: 1 });
    const begin = (additionalDirectories: string[]) =>
      agent.request("session/new", {
        cwd: place.work,
        additionalDirectories,
        mcpServers: [],
        systemPrompt: { mode: "append", content: [{ type: "text", text: "Answer in Welsh." }] },
      });
    for (const folder of ["/", "beside", join(place.home.path, "config/cinch")])
      expect([folder, await codeOf(begin([folder]))]).toEqual([folder, -32_602]);
    const { sessionId } = await begin([beside]);
    await editor.prompt(sessionId, "edit it");
    expect(editor.questions).toEqual([]);
    expect(readFileSync(join(beside, "a.txt"), "utf8")).toBe("two\n");
    expect(place.sent()).toContain(`Also part of the workspace, by absolute path: ${beside}`);
    expect(place.sent()).toContain("Answer in Welsh.");
    const [call] = toldOf(editor, "tool_call");
    expect(call).toMatchObject({ locations: [{ path: join(beside, "a.txt") }] });
  },
  LIMIT_MS,
);

test(
  "[CTL-20 MCP-01 MCP-06] the editor's MCP servers are connected, and what they ask for is asked in the editor: elicitation/create",
  async () => {
    await using http = await startEverything("http");
    await using sse = await startEverything("sse");
    const ask = calls("CallTool", { name: "mcp__outer_tools__trigger_elicitation_request", input: {} });
    await using place = openAcpHome([
      calls("CallTool", { name: "mcp__outer_tools__echo", input: { message: "by program" } }),
      calls("CallTool", { name: "mcp__far__echo", input: { message: "over http" } }),
      calls("CallTool", { name: "mcp__older__echo", input: { message: "over sse" } }),
      ask,
      says("done"),
    ]);
    const forms: string[] = [];
    await using open = place.editWith(
      {
        elicit(request) {
          forms.push("message" in request ? String(request.message) : "");
          return forms.length === 1
            ? { action: "accept", content: { answer: "Ada" } }
            : { action: "decline" };
        },
      },
      ...ONE,
    );
    const { editor } = open;
    const { agent } = editor;
    await agent.request("initialize", {
      protocolVersion: 1,
      clientCapabilities: { elicitation: { form: {} } },
    });
    const { cmd: command, args } = officialServer("everything");
    const mcpServers: McpServer[] = [
      {
        name: "outer tools",
        command,
        args: [...args],
        env: [{ name: "SECRET_OF_IT", value: "s3cret-value" }],
      },
      {
        type: "http",
        name: "far",
        url: http.url,
        headers: [{ name: "Authorization", value: "Bearer t0ken" }],
      },
      { type: "sse", name: "older", url: sse.url, headers: [] },
      { type: "http", name: "plain", url: "http://example.com/mcp", headers: [] },
    ];
    const { sessionId } = await agent.request("session/new", { cwd: place.work, mcpServers });
    const answering = answerEach(editor, (options) =>
      options.includes("answer") ? "answer" : (options[0] ?? ""),
    );
    await editor.prompt(sessionId, "use them");
    answering.stop();
    const results = JSON.stringify(toldOf(editor, "tool_call_update"));
    for (const text of ["Echo: by program", "Echo: over http", "Echo: over sse"])
      expect(results).toContain(text);
    expect(forms[0]).toContain("outer-tools asks for");
    expect(textTold(editor)).toContain(
      "The MCP server plain of the client is not connected: its address must be https",
    );
    // What may be secret stands in no file and no event.
    expect(JSON.stringify(editor.updates)).not.toContain("s3cret-value");
    const kept = Bun.spawnSync(["grep", "-rlE", "s3cret-value|Bearer t0ken", place.home.path]);
    expect(kept.stdout.toString()).toBe("");
  },
  LIMIT_MS,
);

test(
  "[CTL-20] a file with unsaved changes in the editor counts as the person sees it: fs/read_text_file",
  async () => {
    await using place = openAcpHome([
      says("seen"),
      calls("Read", { file_path: "b.txt" }),
      says("read"),
      says("seen again"),
      says("saved"),
    ]);
    const path = (name: string) => join(place.work, name);
    writeFileSync(path("a.txt"), "saved a\n");
    writeFileSync(path("b.txt"), "saved b\n");
    const buffers = new Map([[path("a.txt"), "unsaved a\n"]]);
    const asked: string[] = [];
    await using open = place.editWith(
      {
        readTextFile(file) {
          asked.push(file);
          return buffers.get(file) ?? readFileSync(file, "utf8");
        },
      },
      ...ONE,
    );
    const { editor } = open;
    const { agent } = editor;
    const clientCapabilities = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };
    await agent.request("initialize", { protocolVersion: 1, clientCapabilities });
    const { sessionId } = await agent.request("session/new", { cwd: place.work, mcpServers: [] });
    const link = { type: "resource_link" as const, name: "a.txt", uri: `file://${path("a.txt")}#L1:2` };
    const text = (words: string) => ({ type: "text" as const, text: words });
    await agent.request("session/prompt", { sessionId, prompt: [text("look"), link] });
    expect(place.sent()).toContain(`${path("a.txt")} has unsaved changes in the editor`);
    expect(place.sent()).toContain("unsaved a");
    await editor.prompt(sessionId, "read b");
    expect(place.sent()).toContain("saved b");
    // A file that the session has read is looked at again with each prompt.
    buffers.set(path("b.txt"), "unsaved b\n");
    buffers.delete(path("a.txt"));
    await editor.prompt(sessionId, "and now?");
    expect(place.sent()).toContain("unsaved b");
    expect(new Set(asked)).toEqual(new Set([path("a.txt"), path("b.txt")]));
  },
  LIMIT_MS,
);

test(
  "[CTL-20 PERM-04] what the model may not read does not reach it from the editor either: fs/read_text_file",
  async () => {
    const big = "x".repeat(150_000);
    await using place = openAcpHome([
      calls("Read", { file_path: ".env" }),
      says("denied"),
      calls("Read", { file_path: "b.txt" }),
      says("read"),
      says("told"),
      says("linked"),
      says("ruled"),
      says("large"),
    ]);
    const path = (name: string) => join(place.work, name);
    writeFileSync(path(".env"), "KEY=s3cret-disk\n");
    writeFileSync(path("b.txt"), "one\r\ntwo\r\n");
    writeFileSync(path("ruled.txt"), "saved\n");
    const buffers = new Map([
      [path(".env"), "KEY=s3cret-buffer\n"],
      [path("b.txt"), "one\ntwo\n"], // as editors hold it
      [path("ruled.txt"), "s3cret-ruled\n"],
      [path("new.txt"), "never saved\n"],
      ...["c.txt", "d.txt"].map((name) => [path(name), `${name} ${big}`] as const),
    ]);
    const asked: string[] = [];
    const readTextFile = (file: string) => {
      asked.push(file);
      return buffers.get(file) ?? readFileSync(file, "utf8");
    };
    const profiles = join(place.home.path, "config/cinch/profiles");
    mkdirSync(profiles);
    const rules = 'name = "ruled"\npermissions = { deny = ["Read:ruled.txt"] }\n';
    writeFileSync(join(profiles, "ruled.toml"), rules);
    await using open = place.editWith({ readTextFile }, ...ONE, "--profile", "ruled");
    const { editor } = open;
    const { agent } = editor;
    const clientCapabilities = { fs: { readTextFile: true }, session: { notices: {} } };
    await agent.request("initialize", { protocolVersion: 1, clientCapabilities });
    const { sessionId } = await agent.request("session/new", { cwd: place.work, mcpServers: [] });
    const turn = editor.prompt(sessionId, "read the key");
    (await editor.question()).choose("deny");
    await turn;
    await editor.prompt(sessionId, "read b");
    expect(asked).toEqual([]); // the call was denied
    await editor.prompt(sessionId, "and now?");
    expect(asked).toEqual([path("b.txt")]);
    expect(place.sent()).not.toContain("unsaved changes");
    const link = async (...names: readonly string[]) => {
      const links = names.map((name) => ({
        ...{ type: "resource_link" as const, name, uri: `file://${path(name)}` },
      }));
      await agent.request("session/prompt", {
        sessionId,
        prompt: [{ type: "text", text: "look" }, ...links],
      });
    };
    await link(".env", "new.txt");
    expect(place.sent()).toContain("never saved");
    expect(await editor.told((update) => update.sessionUpdate === "notice")).toMatchObject({
      title: expect.stringContaining(".env did not go to the model"),
    });
    await link("ruled.txt");
    expect(asked).toContain(path("ruled.txt"));
    // Both are below the limit of a file, and together above that of a prompt.
    await link("c.txt", "d.txt");
    expect(place.sent()).toContain(`d.txt ${big}`);
    expect(place.sent()).not.toContain(`c.txt ${big}`);
    expect(place.sent()).toContain(`${path("c.txt")} has unsaved changes in the editor that are too large`);
    expect(place.sent()).not.toContain("s3cret");
    const kept = Bun.spawnSync(["grep", "-rlE", "s3cret-(buffer|ruled)", place.home.path]);
    expect(kept.stdout.toString()).toBe("");
  },
  LIMIT_MS,
);

test(
  "[CTL-20 PERM-04] what the model may not read does not reach it as an embedded text of the editor either: session/prompt",
  async () => {
    await using place = openAcpHome([says("seen"), says("linked")]);
    const path = (name: string) => join(place.work, name);
    mkdirSync(path("keys"));
    for (const name of [".env", "keys/id_rsa", "ruled.txt", "open.txt"]) writeFileSync(path(name), "d1sk\n");
    symlinkSync(".env", path("innocent.txt"));
    const profiles = join(place.home.path, "config/cinch/profiles");
    mkdirSync(profiles);
    writeFileSync(
      join(profiles, "ruled.toml"),
      'name = "ruled"\npermissions = { deny = ["Read:ruled.txt"] }\n',
    );
    await using open = place.edit(...ONE, "--profile", "ruled");
    const { agent } = open.editor;
    const clientCapabilities = { session: { notices: {} } };
    await agent.request("initialize", { protocolVersion: 1, clientCapabilities });
    const { sessionId } = await agent.request("session/new", { cwd: place.work, mcpServers: [] });
    const embedded = (...uris: readonly string[]) =>
      uris.map((uri) => ({ type: "resource" as const, resource: { uri, text: `s3cret ${uri}` } }));
    const closed = [
      ...[`file://${path(".env")}`, `FILE://${path("%2Eenv")}#L1:2`, `file://localhost${path(".env")}`],
      ...[`file://${path("keys/../.env")}`, ".env", path(".env"), `file://elsewhere${path(".env")}`],
      ...[`file://${path("innocent.txt")}`, `file://${path("keys/id_rsa")}`, `file://${path("ruled.txt")}`],
      "file:///etc/shadow",
    ];
    const key = "sk-ant-api03-0123456789abcdefghijABCDEFGHIJ0123456789abcdefghij";
    await agent.request("session/prompt", {
      sessionId,
      prompt: [
        { type: "text", text: "look" },
        ...embedded(...closed),
        { type: "resource", resource: { uri: `file://${path("open.txt")}#L2-3`, text: `tea ${key}` } },
        { type: "resource", resource: { uri: `file://${path("big.txt")}`, text: "x".repeat(262_145) } },
      ],
    });
    const sent = place.sent();
    expect(sent).toContain("open.txt, lines 2 to 3:\\n<untrusted-attachment>\\ntea ");
    expect(sent).toContain("big.txt is attached with a text that is too large to go along");
    expect(sent).not.toContain("s3cret");
    const notices = () => toldOf(open.editor, "notice").map((notice) => JSON.stringify(notice));
    expect(notices().filter((text) => text.includes("did not go to the model"))).toHaveLength(closed.length);
    // A link alone reads nothing, and a prompt of which nothing is left is refused.
    const links = [{ type: "resource_link" as const, name: "env", uri: `file://${path(".env")}` }];
    await agent.request("session/prompt", { sessionId, prompt: links });
    expect(place.sent()).not.toContain("d1sk");
    const nothing = agent.request("session/prompt", { sessionId, prompt: embedded(closed[0] ?? "") });
    await expect(nothing).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining("nothing is left"),
    });
    const kept = Bun.spawnSync(["grep", "-rlE", `s3cret|${key}`, place.home.path]);
    expect(kept.stdout.toString()).toBe("");
  },
  LIMIT_MS,
);

test(
  "[CTL-20] an editor that shows notices gets them apart from the conversation, and so a compaction: notice, compaction_update",
  async () => {
    const long = "word ".repeat(4_000);
    await using place = openAcpHome([says(long), says("more"), says("a summary"), says("after")]);
    await using open = place.edit(...ONE, "--level", "ReadOnly", "--auto-approve");
    const { editor } = open;
    const clientCapabilities = { session: { notices: {}, compaction: {} } };
    await editor.agent.request("initialize", { protocolVersion: 1, clientCapabilities });
    const { sessionId } = await editor.agent.request("session/new", { cwd: place.work, mcpServers: [] });
    const notice = await editor.told((update) => update.sessionUpdate === "notice");
    expect(notice).toMatchObject({ severity: "info", title: expect.stringContaining("auto-approve") });
    await editor.prompt(sessionId, "one");
    await editor.prompt(sessionId, "two");
    expect(textTold(editor)).not.toContain("auto-approve");
    await editor.prompt(sessionId, "/compact");
    const told = toldOf(editor, "compaction_update");
    expect(told.map(({ status }) => status)).toEqual(["in_progress", "completed"]);
    expect(told[0]?.compactionId).toBe(told[1]?.compactionId);
  },
  LIMIT_MS,
);

test(
  "[CTL-20 CMD-01] commands of the line client work behind a slash in an editor: available_commands_update",
  async () => {
    await using place = openAcpHome([says("hello")]);
    await using open = place.edit(...ONE);
    const { editor } = open;
    const sessionId = await editor.begin(place.work);
    await editor.prompt(sessionId, "first words");
    const answerTo = async (text: string) => {
      const before = textTold(editor).length;
      await editor.prompt(sessionId, text);
      return textTold(editor).slice(before);
    };
    expect(await answerTo("/cost")).toContain("100 tokens in, 20 out");
    expect(await answerTo("/sessions:list")).toContain("first words");
    expect(await answerTo("/plan")).toContain("Plan mode is on");
    expect(await answerTo("/plan off")).toContain("Plan mode is over");
    expect(await answerTo("/effort low")).toContain("effort low");
    expect(await answerTo("/effort endless")).toContain("Usage: /effort");
    expect(await answerTo("/profiles")).toContain("self");
    expect(await answerTo("/sessions:find")).toContain("Write /sessions:find");
    const offered = await editor.told((update) => update.sessionUpdate === "available_commands_update");
    expect(JSON.stringify(offered)).toContain('"sessions:list"');
  },
  LIMIT_MS,
);

/** Answers every question of an editor by its options, until it is stopped. */
function answerEach(editor: AcpEditor, pick: (options: readonly string[]) => string) {
  let isStopped = false;
  const answering = async () => {
    for (let nth = 1; !isStopped; nth += 1) {
      const { request, choose } = await editor.question(nth);
      choose(pick(request.options.map(({ optionId }) => optionId)));
    }
  };
  answering().catch(() => undefined); // the editor leaves while it waits
  return {
    stop() {
      isStopped = true;
    },
  };
}

async function codeOf(request: Promise<unknown>): Promise<unknown> {
  try {
    await request;
    return "served";
  } catch (thrown) {
    return Reflect.get(Object(thrown), "code");
  }
}
