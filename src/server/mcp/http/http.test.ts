import { expect, test } from "bun:test";
import { ResourceNotFoundError } from "@modelcontextprotocol/client";
import * as z from "zod";
import { framesOf, openControlRig, StreamReader } from "../../../../test/support/control-rig.ts";
import type { PostOptions } from "../../../../test/support/mcp-http.ts";
import { INITIALIZE, mcpClient, post } from "../../../../test/support/mcp-http.ts";
import type { McpUpdate } from "../../../../test/support/mcp-stdio.ts";
import { failed, fakeTool, ok } from "../../../../test/support/rig.ts";
import { calls, hangs, says } from "../../../../test/support/scripted-provider.ts";
import { until } from "../../../../test/support/until.ts";
import { RuntimeInfo } from "../../../protocol/resources.ts";
import type { Questions } from "../../../session/questions/questions.ts";
import { PERMISSION_TIMEOUT_MS } from "../../../session/questions.ts";
import type { ToolMiddleware } from "../../../tools/middleware.ts";
import type { RouteRequest } from "../../http/route.ts";
import { BANNER, RUN_TOOL } from "../mcp-names.ts";
import { WATCHED_RESOURCES_MAX } from "../resource-subscriptions.ts";
import { LOOK_AGAIN_MS } from "../watch-resource.ts";
import { McpHttp, SESSION_IDLE_MS, SESSIONS_PER_TOKEN_MAX } from "./http.ts";

const NO_USAGE = {
  calls: 0,
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
};

for (const era of ["legacy", "modern"] as const) {
  test(`[CTL-09 CTL-12] an agent runs a session over HTTP and is answered with what it cost and took (${era} era)`, async () => {
    const touch = fakeTool("Touch", () => ok("touched"));
    await using control = await openControlRig({
      script: [calls("I look first. ", { name: "Touch" }), says("all done")],
      tools: [touch],
    });
    const sessionId = control.rig.session.id;
    await using mcp = await mcpClient(control, { era });
    expect(mcp.client.getNegotiatedProtocolVersion()).toBe(era === "legacy" ? "2025-11-25" : "2026-07-28");
    expect(mcp.client.getInstructions()).toBe(BANNER);
    const summary = { cost: 0, turns: 2, tools_used: ["Touch"] };
    expect(await mcp.call(RUN_TOOL, { prompt: "go", sessionId })).toEqual({
      isError: false,
      texts: ["all done", JSON.stringify({ ...summary, reason: "complete", sessionId }), BANNER],
      facts: {
        ...summary,
        reason: "complete",
        sessionId,
        text: "all done",
        ended: true,
        refused: 0,
        usage: NO_USAGE,
      },
      meta: expect.objectContaining(summary),
    });
  });

  test(`[CTL-09 CTL-14] events are followed over HTTP, from where the client says, to the end of the session (${era} era)`, async () => {
    await using control = await openControlRig({ script: [says("one"), says("two")] });
    const { id } = control.rig.session;
    await control.rig.send("first");
    await using mcp = await mcpClient(control, { era });
    const uri = `harness/v1://session/${id}/events?since=1`;
    if (era === "legacy") await mcp.client.subscribeResource({ uri });
    else await mcp.client.listen({ resourceSubscriptions: [uri] });
    await control.rig.send("second");
    await control.rig.session.end("user");
    const seen = () => mcp.updates.map(({ contents }) => contents?.id);
    await until(
      "the session's end was told",
      () => mcp.updates.at(-1)?.contents?.kind === "SessionEnded",
      60_000,
    );
    expect(seen()).toEqual(control.rig.events.slice(1).map(({ id }) => id));
    expect(mcp.updates.map(({ contents }) => contents)).toEqual(
      JSON.parse(JSON.stringify(control.rig.events.slice(1))),
    );
  });
}

test("[CTL-09 AUTH-02 AUTH-06 S43 S45] without a token, from another page or for another host there is nothing at /mcp", async () => {
  await using control = await openControlRig({ script: [] });
  const refused = async (options: PostOptions) => {
    const answer = await post(control, INITIALIZE, options);
    const { reason } = (await answer.json()) as { readonly reason: string };
    return [answer.status, reason, answer.headers.get("www-authenticate")];
  };
  expect(await refused({ token: null })).toEqual([401, "TokenMissing", "Bearer"]);
  expect(await refused({ token: "AAAA.BBBB" })).toEqual([401, "TokenInvalid", "Bearer"]);
  expect(await refused({ token: null, headers: { "x-harness-token": control.token } })).toEqual([
    401,
    "TokenMissing",
    "Bearer",
  ]);
  expect(await refused({ headers: { origin: "http://evil.example" } })).toEqual([403, "InvalidOrigin", null]);
  expect(await refused({ headers: { host: `evil.example:${control.port}` } })).toEqual([
    403,
    "InvalidHost",
    null,
  ]);
  expect(await refused({ headers: { "content-type": "text/plain" } })).toEqual([
    415,
    "UnsupportedMediaType",
    null,
  ]);
});

test("[CTL-09 AUTH-06] a page of an allowed origin may use /mcp, and one that looks like it may not", async () => {
  const origin = "vscode-webview://0a1b2c3d4e5f";
  await using control = await openControlRig({ script: [], origins: [origin] });
  const asked = async (from: string) => {
    const { status, headers } = await post(control, INITIALIZE, { headers: { origin: from } });
    return [status, headers.get("access-control-allow-origin")];
  };
  expect(await asked(origin)).toEqual([200, origin]);
  for (const other of ["vscode-webview://0a1b2c3d4e5", `${origin}.evil`, origin.toUpperCase(), "null"])
    expect(await asked(other)).toEqual([403, null]);
});

test("[CTL-09 AUTH-07 S49] a token's sessions and commands bound what is listed, read, followed and run", async () => {
  await using control = await openControlRig({ script: [says("one")] });
  const { id } = control.rig.session;
  const elsewhere = "sess_01ARZ3NDEKTSV4RRFFQ69G5FAV";
  const token = control.mint({
    identityClass: "agent",
    sessions: [elsewhere as typeof id],
    commands: ["SendInput", "AttachSession"],
  });
  await using mcp = await mcpClient(control, { token });
  const { tools } = await mcp.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    "harness.list_sessions",
    "harness.attach_session",
    RUN_TOOL,
    "harness.wait_for_turn",
  ]);
  const { resources } = await mcp.client.listResources();
  expect(resources.filter(({ uri }) => uri.includes(id))).toEqual([]);
  expect((await mcp.call("harness.list_sessions")).facts).toEqual({ sessions: [], more: false });
  const forbidden = { isError: true, meta: { reason: "Forbidden" } };
  expect(await mcp.call(RUN_TOOL, { prompt: "go", sessionId: id })).toMatchObject(forbidden);
  expect(await mcp.call("harness.cancel_turn", { sessionId: id })).toMatchObject(forbidden);
  expect(await mcp.call("harness.create_session")).toMatchObject(forbidden);
  for (const uri of [`harness/v1://session/${id}`, `harness/v1://session/${id}/log`]) {
    expect(await failureOf(mcp.client.readResource({ uri }))).toMatchObject({
      data: { reason: "Forbidden" },
    });
  }
  const events = `harness/v1://session/${id}/events`;
  expect(await failureOf(mcp.client.subscribeResource({ uri: events }))).toMatchObject({
    data: { reason: "Forbidden" },
  });
  await using modern = await mcpClient(control, { token, era: "modern" });
  expect(await failureOf(modern.client.listen({ resourceSubscriptions: [events] }))).toMatchObject({
    data: { reason: "Forbidden" },
  });
});

test("[CTL-09 CTL-12] an agent approves nothing, whatever class its token is of", async () => {
  const touch = fakeTool("Touch", () => ok("touched"));
  await using control = await openControlRig({
    script: [calls({ name: "Touch" }), says("over")],
    tools: [touch],
    gate: (questions) => [asksFirst(questions)],
  });
  const sessionId = control.rig.session.id;
  const human = control.mint({ identityClass: "human" });
  await using mcp = await mcpClient(control, { token: human });
  const running = mcp.call(RUN_TOOL, { prompt: "go", sessionId });
  const { payload } = await control.rig.until("PermissionRequested");
  const { callId } = payload;
  const answered = await mcp.call("harness.answer_permission", { sessionId, callId, decision: "allow" });
  expect(answered).toMatchObject({ isError: true, meta: { reason: "InvalidCommand" } });
  expect(answered.texts[0]).toContain("agents cannot approve");
  await control.rig.connection.send({ kind: "AnswerPermission", sessionId, callId, decision: "allow" });
  expect((await running).facts).toMatchObject({ text: "over", tools_used: ["Touch"] });
});

test("[CTL-12 CTL-09] a question without an answer in time is denied, and the waiting agent gets the rest of the turn", async () => {
  const touch = fakeTool("Touch", () => ok("touched"));
  await using control = await openControlRig({
    script: [calls({ name: "Touch" }), says("then without")],
    tools: [touch],
    gate: (questions) => [asksFirst(questions)],
  });
  const sessionId = control.rig.session.id;
  await using mcp = await mcpClient(control);
  const running = mcp.call(RUN_TOOL, { prompt: "go", sessionId });
  await control.rig.until("PermissionRequested");
  await control.rig.world.clock.advance(PERMISSION_TIMEOUT_MS);
  expect((await running).facts).toMatchObject({ text: "then without", reason: "complete" });
});

test("[CTL-09] an agent that takes its request back stops the turn that it began; one that only leaves stops nothing", async () => {
  await using control = await openControlRig({ script: [hangs("first "), hangs("second "), says("third")] });
  const sessionId = control.rig.session.id;
  const { rig } = control;
  await using mcp = await mcpClient(control);
  const wish = new AbortController();
  const taken = mcp.client.callTool(
    { name: RUN_TOOL, arguments: { prompt: "one", sessionId } },
    { signal: wish.signal },
  );
  await rig.until("TextDelta");
  wish.abort("not wanted any more");
  await failureOf(taken);
  expect((await rig.until("TurnEnded")).payload.reason).toBe("cancelled");

  const gone = new AbortController();
  const token = control.mint({ identityClass: "agent" });
  const left = await mcpClient(control, {
    token,
    fetch: (url, init) => fetch(url, { ...init, signal: gone.signal }),
  });
  void failureOf(left.call(RUN_TOOL, { prompt: "two", sessionId }));
  await rig.until("TextDelta", 2);
  gone.abort();
  await left[Symbol.asyncDispose]();
  await rig.connection.send({ kind: "CancelTurn", sessionId });
  expect((await rig.until("Cancelled", 2)).payload.by).toBe(rig.connection.clientId);
});

test("[CTL-09] input that still waits is withdrawn when the agent takes its request back", async () => {
  await using control = await openControlRig({ script: [hangs("first ")] });
  const sessionId = control.rig.session.id;
  const { rig } = control;
  await using mcp = await mcpClient(control);
  const first = await mcp.call(RUN_TOOL, { prompt: "one", sessionId, wait: "none" });
  expect(first.facts).toMatchObject({ sessionId, ended: false });
  const wish = new AbortController();
  const second = { prompt: "two", sessionId, delivery: "queue" };
  const taken = mcp.client.callTool({ name: RUN_TOOL, arguments: second }, { signal: wish.signal });
  await rig.until("InputQueued");
  wish.abort("not wanted any more");
  await failureOf(taken);
  await rig.until("InputWithdrawn");
  expect(rig.events.some(({ kind }) => kind === "TurnEnded")).toBe(false);
});

test("[CTL-09] a client that waits for a turn hears of its calls, so that it continues waiting", async () => {
  const touch = fakeTool("Touch", () => ok("touched"));
  await using control = await openControlRig({
    script: [calls({ name: "Touch" }), hangs("on")],
    tools: [touch],
  });
  const sessionId = control.rig.session.id;
  await using mcp = await mcpClient(control);
  const heard: string[] = [];
  const wish = new AbortController();
  const running = mcp.client.callTool(
    { name: RUN_TOOL, arguments: { prompt: "go", sessionId } },
    { signal: wish.signal, onprogress: ({ message = "" }) => heard.push(message) },
  );
  await control.rig.until("TextDelta");
  await until("its call was told", () => heard.includes("Calls Touch."), 60_000);
  await control.rig.world.clock.advance(10_000);
  await until("it is told that the turn goes on", () => heard.includes("The turn continues."), 60_000);
  wish.abort();
  await failureOf(running);
});

test("[CTL-09] a broken stream continues after the message that came last; nothing is lost and nothing comes twice", async () => {
  await using control = await openControlRig({ script: [says("one"), says("two"), says("three")] });
  const { id } = control.rig.session;
  const token = control.mint({ identityClass: "agent" });
  const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" };
  const begun = await post(control, INITIALIZE, { token });
  const session = begun.headers.get("mcp-session-id") ?? "";
  expect(session).toMatch(/^[0-9a-f]{32}$/);
  await new StreamReader(begun).until((text) => text.includes("serverInfo"));
  const own = { token, headers: { "mcp-session-id": session } };
  await post(control, { jsonrpc: "2.0", method: "notifications/initialized" }, own);
  const open = async (more: Readonly<Record<string, string>> = {}) =>
    new StreamReader(
      await fetch(`${control.url}/mcp`, { headers: { ...headers, "mcp-session-id": session, ...more } }),
    );
  const uri = `harness/v1://session/${id}/events?since=0`;
  const first = await open();
  const subscribed = await post(
    control,
    { jsonrpc: "2.0", id: 2, method: "resources/subscribe", params: { uri } },
    own,
  );
  expect(subscribed.status).toBe(200);
  await subscribed.text();
  await control.rig.send("one");
  await first.until((text) => text.includes('"TurnEnded"'));
  const before = updatesIn(first.text);
  const lastId = /id: (\d+)\n(?![\s\S]*\nid: )/.exec(first.text)?.[1] ?? "";
  await first.leave();
  await control.rig.send("two");
  const second = await open({ "last-event-id": lastId });
  await second.until((text) => updatesIn(text).includes(control.rig.events.at(-1)?.id ?? 0));
  const ids = control.rig.events.map((event) => event.id);
  expect([...before, ...updatesIn(second.text)]).toEqual(ids);
  await second.leave();

  const tooOld = await fetch(`${control.url}/mcp`, {
    headers: { ...headers, "mcp-session-id": session, "last-event-id": "999999" },
  });
  expect(tooOld.status).toBe(400);
});

test("[CTL-09] a session belongs to its token, ends with DELETE and is then not there", async () => {
  await using control = await openControlRig({ script: [] });
  const token = control.mint({ identityClass: "agent" });
  const begun = await post(control, INITIALIZE, { token });
  const session = begun.headers.get("mcp-session-id") ?? "";
  await begun.text();
  const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };
  const status = async (by: string) => {
    const answer = await post(control, list, { token: by, headers: { "mcp-session-id": session } });
    await answer.text();
    return answer.status;
  };
  expect(await status(token)).toBe(200);
  expect(await status(control.mint({ identityClass: "agent" }))).toBe(404);
  const left = await fetch(`${control.url}/mcp`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${token}`, "mcp-session-id": session },
  });
  expect(left.status).toBe(200);
  expect(await status(token)).toBe(404);
  expect((await post(control, list, { token })).status).toBe(400);
});

test("[CTL-09 AUTH-05] a token that is revoked ends its sessions and cuts what they read", async () => {
  await using control = await openControlRig({ script: [] });
  const token = control.mint({ identityClass: "agent" });
  const begun = await post(control, INITIALIZE, { token });
  const session = begun.headers.get("mcp-session-id") ?? "";
  await begun.text();
  const headers = {
    authorization: `Bearer ${token}`,
    accept: "text/event-stream",
    "mcp-session-id": session,
  };
  const stream = new StreamReader(await fetch(`${control.url}/mcp`, { headers }));
  await stream.until((text) => text.includes(": ok"));
  const { jti } = await control.authority.verify(token, "loopback");
  await control.authority.revoke(jti);
  await stream.until(() => false);
  expect(stream.isOver).toBe(true);
  const after = await post(control, INITIALIZE, { token });
  expect([after.status, await after.json()]).toMatchObject([401, { reason: "TokenRevoked" }]);
});

test("[CTL-09] a token has so many sessions and no more; one that nobody uses makes room", async () => {
  await using control = await openControlRig({ script: [] });
  const token = control.mint({ identityClass: "agent", lifetimeMs: 100 * SESSION_IDLE_MS });
  const begin = async () => {
    const answer = await post(control, INITIALIZE, { token });
    await answer.text();
    return answer.status;
  };
  for (let count = 0; count < SESSIONS_PER_TOKEN_MAX; count += 1) expect(await begin()).toBe(200);
  // All of them are idle: the one that was idle longest makes room, and its client is told to begin anew.
  expect(await begin()).toBe(200);
  await control.rig.world.clock.advance(SESSION_IDLE_MS + 1);
  expect(await begin()).toBe(200);
});

test("[CTL-09] sessions that were left without DELETE lock nobody out: the idlest makes room, none that is in use", async () => {
  await using control = await openControlRig({ script: [] });
  const { clock } = control.rig.world;
  const token = control.mint({ identityClass: "agent", lifetimeMs: 100 * SESSION_IDLE_MS });
  const begin = async () => {
    const answer = await post(control, INITIALIZE, { token });
    await answer.text();
    await clock.advance(1_000);
    return { status: answer.status, session: answer.headers.get("mcp-session-id") ?? "" };
  };
  const ping = async (session: string) => {
    const answer = await post(
      control,
      { jsonrpc: "2.0", id: 1, method: "ping" },
      { token, headers: { "mcp-session-id": session } },
    );
    await answer.text();
    return answer.status;
  };
  const listen = async (session: string) => {
    const headers = {
      authorization: `Bearer ${token}`,
      accept: "text/event-stream",
      "mcp-session-id": session,
    };
    const answer = await fetch(`${control.url}/mcp`, { headers });
    expect(answer.status).toBe(200);
    return answer;
  };
  const open = [];
  for (let count = 0; count < SESSIONS_PER_TOKEN_MAX; count += 1) open.push((await begin()).session);
  const [oldest = "", second = "", third = ""] = open;
  const stream = await listen(oldest); // in use for as long as it is read
  expect(await ping(second)).toBe(200);
  const more = await begin();
  expect(more.status).toBe(200);
  expect([await ping(oldest), await ping(second), await ping(third), await ping(more.session)]).toEqual([
    200, 200, 404, 200,
  ]);
  // Another token's sessions are not among them.
  const other = control.mint({ identityClass: "agent" });
  expect((await post(control, INITIALIZE, { token: other })).status).toBe(200);

  const streams = [stream];
  for (const session of [...open.filter((each) => each !== oldest && each !== third), more.session])
    streams.push(await listen(session));
  expect((await begin()).status).toBe(429);
  for (const each of streams) await each.body?.cancel();
});

test("[CTL-09] what is no request of the protocol is refused as such, and the server continues", async () => {
  await using control = await openControlRig({ script: [says("still here")] });
  const sessionId = control.rig.session.id;
  const token = control.mint({ identityClass: "agent" });
  const code = async (body: unknown) => {
    const answer = await post(control, body, { token });
    const { error } = (await answer.json()) as { readonly error?: { readonly code: number } };
    return [answer.status, error?.code];
  };
  expect(await code("{")).toEqual([400, -32_700]);
  expect(await code("null")).toEqual([400, -32_600]);
  expect(await code("7")).toEqual([400, -32_600]);
  expect(await code(`${"[".repeat(100)}${"]".repeat(100)}`)).toEqual([400, -32_700]);
  expect((await code([]))[0]).toBe(400);
  expect((await code({ jsonrpc: "1.0", id: 1, method: "initialize" }))[0]).toBe(400);
  expect((await code({ jsonrpc: "2.0", id: { a: 1 }, method: "initialize" }))[0]).toBe(400);
  const big = await post(control, { ...INITIALIZE, pad: "x".repeat(34_000_000) }, { token });
  expect(big.status).toBe(413);
  expect((await fetch(`${control.url}/mcp`, { method: "PUT" })).status).toBe(405);

  await using mcp = await mcpClient(control, { token });
  const unknownMethod = mcp.client.request({ method: "engine/explode" }, z.object({}));
  expect(await failureOf(unknownMethod)).toMatchObject({ code: -32_601 });
  const refusals = [
    ["harness.explode", {}],
    [RUN_TOOL, {}],
    [RUN_TOOL, { prompt: 7, sessionId }],
    [RUN_TOOL, { prompt: "go", sessionId: "sess_../../etc" }],
    [RUN_TOOL, { prompt: "go", sessionId, wait: "forever" }],
    ["harness.set_model", { sessionId, model: ["a"] }],
    ["harness.cancel_turn", { sessionId: `${sessionId}\r\nX: y` }],
  ] as const;
  const outcomes = await Promise.all(
    refusals.map(async ([name, args]) => {
      const outcome = await mcp.call(name, args).catch((thrown: { code?: number }) => thrown.code);
      return typeof outcome === "object" ? outcome.meta["reason"] : outcome;
    }),
  );
  expect(outcomes).toEqual([-32_602, ...Array.from({ length: 6 }, () => "InvalidCommand")]);
  for (const uri of [
    "harness/v1://nothing",
    "file:///etc/passwd",
    `harness/v1://session/${sessionId}/../x`,
    "",
  ]) {
    expect(await failureOf(mcp.client.readResource({ uri }))).toBeInstanceOf(ResourceNotFoundError);
  }
  const ahead = `harness/v1://session/${sessionId}/events?since=99`;
  expect(await failureOf(mcp.client.subscribeResource({ uri: ahead }))).toMatchObject({
    data: { reason: "InvalidPath" },
  });
  expect((await mcp.call(RUN_TOOL, { prompt: "go", sessionId })).texts[0]).toBe("still here");
});

test("[CTL-09 PERF-04] a client that follows and never reads holds a few events and no more, and delays nobody", async () => {
  const long = "x".repeat(20_000);
  const script = Array.from({ length: 100 }, () => says(long));
  await using control = await openControlRig({ script });
  const { id } = control.rig.session;
  const token = control.mint({ identityClass: "agent" });
  const begun = await post(control, INITIALIZE, { token });
  const session = begun.headers.get("mcp-session-id") ?? "";
  await begun.text();
  const own = { token, headers: { "mcp-session-id": session } };
  const stuck = await fetch(`${control.url}/mcp`, {
    headers: { authorization: `Bearer ${token}`, accept: "text/event-stream", "mcp-session-id": session },
  });
  const uri = `harness/v1://session/${id}/events?since=0`;
  const subscribe = { jsonrpc: "2.0", id: 2, method: "resources/subscribe", params: { uri } };
  await (await post(control, subscribe, own)).text();
  for (let turn = 0; turn < 100; turn += 1) await control.rig.send("go");
  // 6 MB of events: what the library holds for this stream is what was handed to it, and that is little.
  await using mcp = await mcpClient(control, { token: control.mint({ identityClass: "agent" }) });
  expect((await mcp.call("harness.list_sessions")).isError).toBe(false);
  const stream = new StreamReader(stuck);
  await stream.until((text) => updatesIn(text).at(-1) === control.rig.events.at(-1)?.id);
  expect(updatesIn(stream.text)).toEqual(control.rig.events.map((event) => event.id));
  await stream.leave();
}, 300_000);

test("[CTL-09] resources are read in both spellings, and what is long is read in parts", async () => {
  await using control = await openControlRig({ script: [says("one")] });
  const { id } = control.rig.session;
  await control.rig.send("first");
  await using mcp = await mcpClient(control);
  const text = async (uri: string) => {
    const { contents } = await mcp.client.readResource({ uri });
    const [content] = contents;
    return content !== undefined && "text" in content ? content.text : "";
  };
  const events = JSON.parse(JSON.stringify(control.rig.events)) as unknown[];
  expect(JSON.parse(await text(`harness/v1://session/${id}/events`))).toEqual(events);
  expect(JSON.parse(await text(`harness-v1://session/${id}/events?since=2`))).toEqual(events.slice(2));
  const log = await text(`harness/v1://session/${id}/log`);
  expect(
    log
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line)),
  ).toEqual(events);
  expect(JSON.parse(await text(`harness/v1://session/${id}`))).toMatchObject({
    session: id,
    last_events: events,
  });
  expect(JSON.parse(await text("harness/v1://sessions"))).toMatchObject([{ session: id }]);
  expect(JSON.parse(await text("harness/v1://profile/test"))).toEqual({ name: "test", source: "embedded" });
  expect(JSON.parse(await text("harness/v1://provider/scripted/models"))).toEqual([{ id: "scripted-1" }]);
  expect(JSON.parse(await text("harness/v1://providers"))).toEqual([{ name: "scripted", configured: true }]);
  for (const name of ["profiles", "tools", "skills", "runtime"]) {
    expect(typeof JSON.parse(await text(`harness/v1://${name}`))).toBe("object");
  }
  const { resourceTemplates } = await mcp.client.listResourceTemplates();
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain(
    "harness-v1://session/{id}/events{?since}",
  );
  expect((await mcp.client.listPrompts()).prompts).toEqual([]);
  expect(await failureOf(mcp.client.getPrompt({ name: "harness/v1://skill/none" }))).toMatchObject({
    data: { reason: "UnknownResource" },
  });
});

test("[CTL-08 CTL-09] every address that is published is a URI, and is read as it was listed", async () => {
  await using control = await openControlRig({ script: [] });
  await using mcp = await mcpClient(control);
  const { resources } = await mcp.client.listResources();
  const { resourceTemplates } = await mcp.client.listResourceTemplates();
  const listed = resources.map(({ uri }) => uri);
  expect(listed.length).toBeGreaterThan(8);
  // RFC 3986: a letter, then letters, digits, "+", "-" and ".".
  for (const uri of [...listed, ...resourceTemplates.map(({ uriTemplate }) => uriTemplate)])
    expect([URL.canParse(uri), /^[a-z][a-z0-9+.-]*:\/\//i.test(uri)]).toEqual([true, true]);
  for (const uri of listed)
    expect((await mcp.client.readResource({ uri })).contents[0]).toMatchObject({ uri });
});

test("[SES-12 CTL-09] harness/v1://runtime shows the content of the caches and of their one budget, and the state of each", async () => {
  await using control = await openControlRig({ script: [says("one")] });
  await control.rig.send("first");
  await using mcp = await mcpClient(control);
  const { contents } = await mcp.client.readResource({ uri: "harness/v1://runtime" });
  const [content] = contents;
  const text = content !== undefined && "text" in content ? content.text : "";
  const { caches } = RuntimeInfo.parse(JSON.parse(text));
  expect(caches?.bytes_max).toBe(32 * 1_048_576);
  expect(caches?.bytes).toBe(caches?.each.reduce((sum, cache) => sum + cache.bytes, 0));
});

test("[CTL-09] a subscriber of a resource without events is notified when it changes", async () => {
  await using control = await openControlRig({ script: [says("one")] });
  const { id } = control.rig.session;
  await using mcp = await mcpClient(control);
  const uri = `harness/v1://session/${id}`;
  await mcp.client.subscribeResource({ uri });
  await control.rig.send("first");
  await until(
    "it was told",
    async () => {
      await control.rig.world.clock.advance(LOOK_AGAIN_MS);
      return mcp.updates.length > 0;
    },
    60_000,
  );
  expect(mcp.updates[0]).toEqual({ uri });
});

test("[CTL-09] so many resources are followed and no more", async () => {
  await using control = await openControlRig({ script: [] });
  const many = Array.from({ length: WATCHED_RESOURCES_MAX + 1 }, () => "harness/v1://tools");
  await using modern = await mcpClient(control, { era: "modern" });
  expect(await failureOf(modern.client.listen({ resourceSubscriptions: many }))).toMatchObject({
    data: { reason: "TooManyFollowed" },
  });
});

/** A gate that asks about every call. */
function asksFirst(questions: Questions): ToolMiddleware {
  return async (call, context, next) => {
    const { originator } = context;
    const question = { callId: call.id, tool: call.name, args: call.input, originator, summary: call.name };
    const answer = await questions.askPermission(question, context.signal);
    const allowed = answer.kind === "answered" && answer.decision === "allow";
    return allowed ? await next(call, context) : failed(`refused: ${answer.kind}`);
  };
}

/** The ids of the events that a stream has told of. */
function updatesIn(text: string): readonly number[] {
  return framesOf(text).flatMap(({ data = "" }) => {
    const { params } = JSON.parse(data === "" ? "{}" : data) as { readonly params?: McpUpdate };
    return params?.contents === undefined ? [] : [params.contents.id];
  });
}

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (thrown) {
    return thrown;
  }
  throw new Error("it was not refused");
}

test("[CTL-09] a session that is just beginning makes no room for another one", async () => {
  await using control = await openControlRig({ script: [] });
  const { authority, engine, rig } = control;
  await using http = new McpHttp({ engine, authority, world: rig.world, version: "0" });
  const grant = await authority.verify(control.mint({ identityClass: "agent" }), "loopback");
  const begin = () => {
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const request = new Request("http://localhost/mcp", { method: "POST", headers, body: "{}" });
    const call = { request, grant, json: async () => INITIALIZE, stream: () => new Response() };
    return http.handle(call as unknown as RouteRequest);
  };
  const begun = await Promise.allSettled(Array.from({ length: SESSIONS_PER_TOKEN_MAX + 1 }, begin));
  const refused = begun.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  expect(refused).toMatchObject([{ reason: "TooManyClients" }]);
  expect(http.open).toBe(SESSIONS_PER_TOKEN_MAX);
});
