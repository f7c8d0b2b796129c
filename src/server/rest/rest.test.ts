import { expect, test } from "bun:test";
import { openControlRig, refusalOf, StreamReader } from "../../../test/support/control-rig.ts";
import { failed, fakeTool, ok } from "../../../test/support/rig.ts";
import { calls, hangs, says } from "../../../test/support/scripted-provider.ts";
import type { SessionId } from "../../base/ids.ts";
import { TEXTS } from "../../base/reason-texts.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { COMMAND_KINDS } from "../../protocol/kinds.ts";

const text = (words: string) => ({ content: [{ type: "text", text: words }] });

test("[CTL-06] a prompt with ?wait=turn is answered with how its turn ended; without, with 202", async () => {
  const touch = fakeTool("Touch", () => ok("touched"));
  await using control = await openControlRig({
    script: [calls("I look first. ", { name: "Touch" }), says("all done"), says("again")],
    tools: [touch],
  });
  await control.shake();
  const path = `/v1/sessions/${control.rig.session.id}/input`;
  const waited = await control.ask(`${path}?wait=turn`, { json: text("go") });
  expect([waited.status, await waited.json()]).toEqual([
    200,
    {
      text: "all done",
      reason: "complete",
      turns: 2,
      cost_usd: 0,
      usage: { calls: 0, input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 },
      tools_used: ["Touch"],
      refused: 0,
    },
  ]);
  const answer = await control.askUnix(path, { json: text("go on") });
  expect([answer.status, await answer.json()]).toEqual([202, {}]);
  await control.rig.until("TurnEnded", 2);
});

test("[CTL-06] with ?events=true the answer holds every event of the turn", async () => {
  await using control = await openControlRig({ script: [says("hello")] });
  await control.shake();
  const path = `/v1/sessions/${control.rig.session.id}/input?wait=turn&events=true`;
  const { events } = (await (await control.ask(path, { json: text("go") })).json()) as {
    readonly events: readonly Envelope[];
  };
  await control.rig.until("TurnEnded");
  expect(events).toEqual(control.rig.events);
});

test("[CTL-06] an input that had to wait is answered when its own turn has ended, not the one before", async () => {
  await using control = await openControlRig({ script: [hangs("first "), says("third"), says("second")] });
  await control.shake();
  const path = `/v1/sessions/${control.rig.session.id}`;
  await control.ask(`${path}/input`, { json: text("one") });
  await control.rig.until("TextDelta");
  const waiting = control.ask(`${path}/input?wait=turn`, { json: { ...text("two"), delivery: "queue" } });
  await control.rig.until("InputQueued");
  await control.ask(`${path}/cancel`, { json: {} });
  await control.rig.until("TurnEnded");
  // What waits is held until a person acts, and then comes after what that person sends.
  await control.ask(`${path}/input`, { json: { ...text("three"), delivery: "queue" } });
  expect(await (await waiting).json()).toMatchObject({ text: "second", reason: "complete" });
});

test("[CTL-06] a withdrawn input ends the waiting for it", async () => {
  await using control = await openControlRig({ script: [hangs("first ")] });
  await control.shake();
  const path = `/v1/sessions/${control.rig.session.id}`;
  await control.ask(`${path}/input`, { json: text("one") });
  const waiting = control.ask(`${path}/input?wait=turn`, { json: { ...text("two"), delivery: "queue" } });
  const { inputId } = (await control.rig.until("InputQueued")).payload;
  const withdraw = { kind: "WithdrawInput", inputId };
  expect((await control.ask(`${path}/command`, { json: withdraw })).status).toBe(200);
  expect(await (await waiting).json()).toMatchObject({ reason: "withdrawn" });
  await control.ask(`${path}/cancel`, { json: {} });
});

test("[CTL-03 CTL-06] who leaves in the middle of ?wait=turn stops waiting, and nothing else", async () => {
  const started = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const slow = fakeTool("Slow", async () => {
    started.resolve();
    await goOn.promise;
    return ok("slept");
  });
  await using control = await openControlRig({
    script: [calls({ name: "Slow" }), says("done")],
    tools: [slow],
  });
  await control.shake();
  const leave = new AbortController();
  const path = `/v1/sessions/${control.rig.session.id}/input?wait=turn`;
  const asked = control.ask(path, { json: text("go"), signal: leave.signal }).catch(() => "left");
  await started.promise;
  leave.abort();
  expect(await asked).toBe("left");
  goOn.resolve();
  expect((await control.rig.until("TurnEnded")).payload.reason).toBe("complete");
});

test("[CTL-02 BUS-03] a second prompt is refused with who sent the first and when, as on every wire", async () => {
  await using control = await openControlRig({ script: [hangs("on it ")] });
  await control.shake();
  const path = `/v1/sessions/${control.rig.session.id}`;
  await control.ask(`${path}/input`, { json: text("one") });
  const { originator } = (await control.rig.until("TurnStarted")).payload;
  const answer = await control.ask(`${path}/input`, { json: text("two") });
  const body = (await answer.json()) as { readonly reason: string; readonly message: string };
  expect([answer.status, body.reason]).toEqual([409, "TurnInProgress"]);
  expect(body).toMatchObject({ details: { originator } });
  expect(body.message).toStartWith("Another client is sending input to this session (started by cli_");
  await control.ask(`${path}/cancel`, { json: {} });
});

test("[CTL-04] no command and no stream before the handshake, which may come with the request itself", async () => {
  await using control = await openControlRig({ script: [says("hello")] });
  const path = `/v1/sessions/${control.rig.session.id}`;
  const early = await control.ask(`${path}/input`, { json: text("go") });
  expect([early.status, await early.json()]).toEqual([
    409,
    {
      reason: "HandshakeRequired",
      message: "Send /v1/handshake before any command. See § Protocol versioning.",
    },
  ]);
  expect(await refusalOf(await control.ask(`${path}/events`))).toEqual([409, "HandshakeRequired"]);
  const newer = await control.ask(`${path}/input`, {
    json: text("go"),
    headers: { "x-harness-version": "0.99.0" },
  });
  expect([newer.status, await newer.json()]).toMatchObject([
    409,
    { message: "Client speaks protocol 0.99.0; server speaks 0.3.0. Upgrade server." },
  ]);
  const stated = { json: text("go"), headers: { "x-harness-version": "0.2.0" } };
  expect((await control.ask(`${path}/input?wait=turn`, stated)).status).toBe(200);
});

test("[CTL-04] a request that says a version which this server does not speak is refused, whatever its client said before", async () => {
  await using control = await openControlRig({ script: [says("hello")] });
  await control.shake();
  const path = `/v1/sessions/${control.rig.session.id}`;
  const headers = { "x-harness-version": "7.0.0" };
  for (const ask of [
    () => control.ask(`${path}/input`, { json: text("go"), headers }),
    () => control.ask(`${path}/events`, { headers }),
    () => control.ask("/v1/sessions", { headers }),
    () => control.ask("/v1/clients", { json: {}, headers }),
    () => control.ask("/v1/handshake?version=0.2.0", { headers }),
  ]) {
    expect(await refusalOf(await ask())).toEqual([409, "HandshakeVersionMismatch"]);
  }
  expect(control.rig.events).toEqual([]);
  expect((await control.ask("/v1/handshake", { token: null, headers })).status).toBe(200);
  expect((await control.ask(`${path}/input?wait=turn`, { json: text("go") })).status).toBe(200);
});

test("[CTL-15 CTL-06] a session at its own address has its last events, as many as are asked for", async () => {
  await using control = await openControlRig({ script: [says("hello")] });
  await control.shake();
  await control.rig.send("go");
  const path = `/v1/sessions/${control.rig.session.id}`;
  const read = async (query: string) =>
    (await (await control.ask(`${path}${query}`)).json()) as { readonly last_events: readonly Envelope[] };
  const events = [...control.rig.events];
  expect(await read("")).toMatchObject({ session: control.rig.session.id, last_events: events });
  expect((await read("?last=2")).last_events).toEqual(events.slice(-2));
  expect((await read("?last=0")).last_events).toEqual([]);
  for (const last of ["-1", "1001", "x", "1&last=2"])
    expect(await refusalOf(await control.ask(`${path}?last=${last}`))).toEqual([400, "InvalidPath"]);
});

test("[CTL-15 PROV-13] providers have their models beside them, unless nobody asks for those", async () => {
  await using control = await openControlRig({ script: [] });
  const scripted = { name: "scripted", configured: true };
  expect(await (await control.ask("/v1/providers")).json()).toEqual({
    providers: [{ ...scripted, models: [{ id: "scripted-1" }] }],
  });
  expect(await (await control.ask("/v1/providers?models=false")).json()).toEqual({ providers: [scripted] });
  // A provider is asked over the network: for an agent only where it says so.
  const token = control.mint({ identityClass: "agent" });
  expect(await (await control.ask("/v1/providers", { token })).json()).toEqual({ providers: [scripted] });
  expect(await (await control.ask("/v1/providers?models=true", { token })).json()).toEqual({
    providers: [{ ...scripted, models: [{ id: "scripted-1" }] }],
  });
});

test("[CTL-04] the handshake shows anybody the served features, and nothing private", async () => {
  await using control = await openControlRig({ script: [] });
  const handshake = await control.ask("/v1/handshake", { token: null });
  expect([handshake.status, handshake.headers.get("x-harness-client"), await handshake.json()]).toMatchObject(
    [200, null, { protocol_version: "0.3.0", features: ["rest", "sse"] }],
  );
  const health = await control.ask("/v1/health", { token: null });
  expect([health.status, await health.json()]).toEqual([200, { status: "ok", protocol_version: "0.3.0" }]);
});

test("[BUS-02 CTL-01] a client continues from request to request: what it sent it may take back, another may not", async () => {
  await using control = await openControlRig({ script: [hangs("on it ")] });
  const agent = control.mint({ identityClass: "agent" });
  await control.shake();
  await control.shake(agent);
  const path = `/v1/sessions/${control.rig.session.id}`;
  await control.ask(`${path}/input`, { json: text("one") });
  const queue = { ...text("two"), delivery: "queue" };
  const sent = await control.ask(`${path}/input`, { json: queue, token: agent });
  const mine = sent.headers.get("x-harness-client") ?? "";
  const { inputId } = (await sent.json()) as { readonly inputId: string };
  expect((await control.rig.until("InputQueued")).payload.originator as string).toBe(mine);
  const second = await control.ask("/v1/clients", { json: { label: "second" }, token: agent });
  const { client } = (await second.json()) as { readonly client: string };
  expect([second.status, second.headers.get("x-harness-client")]).toEqual([201, client]);
  expect(client).not.toBe(mine);
  const withdraw = { kind: "WithdrawInput", inputId };
  const asSecond = { json: withdraw, token: agent, headers: { "x-harness-client": client } };
  expect(await refusalOf(await control.ask(`${path}/command`, asSecond))).toEqual([409, "InvalidCommand"]);
  const asMine = { json: withdraw, token: agent, headers: { "x-harness-client": mine } };
  expect((await control.ask(`${path}/command`, asMine)).status).toBe(200);
  await control.ask(`${path}/cancel`, { json: {} });
});

test("[CTL-01] nobody acts as the client of another token, and its existence is not revealed", async () => {
  await using control = await openControlRig({ script: [] });
  const own = await control.ask("/v1/handshake");
  const id = own.headers.get("x-harness-client") ?? "";
  const other = control.mint({});
  const path = `/v1/sessions/${control.rig.session.id}/cancel`;
  for (const forged of [id, control.rig.world.ids.next("cli"), "cli_nonsense", "%0d%0aX: y"]) {
    const answer = await control.ask(path, {
      json: {},
      token: other,
      headers: { "x-harness-client": forged },
    });
    expect(await refusalOf(answer)).toEqual([404, "UnknownClient"]);
  }
});

test("[CTL-06] a token has so many clients and no more, and one that is not used is forgotten", async () => {
  await using control = await openControlRig({ script: [] });
  const make = () => control.ask("/v1/clients", { json: {} });
  for (let made = 0; made < 64; made++) expect((await make()).status).toBe(201);
  expect(await refusalOf(await make())).toEqual([429, "TooManyClients"]);
  await control.rig.world.clock.advance(3_600_000);
  expect((await make()).status).toBe(201);
});

test("[PERM-03 CTL-06] a question is answered over the wire, and only by a person", async () => {
  const touch = fakeTool("Touch", () => ok("touched"), { mutating: true });
  await using control = await openControlRig({
    script: [calls({ name: "Touch" }), says("done")],
    tools: [touch],
    gate: (questions) => [
      async (call, context, next) => {
        const { originator } = context;
        const question = { callId: call.id, tool: call.name, args: call.input, originator, summary: "Touch" };
        const answer = await questions.askPermission(question, context.signal);
        const isAllowed = answer.kind === "answered" && answer.decision === "allow";
        return isAllowed ? await next(call, context) : failed("refused");
      },
    ],
  });
  const agent = control.mint({ identityClass: "agent" });
  await control.shake();
  await control.shake(agent);
  const path = `/v1/sessions/${control.rig.session.id}`;
  const waiting = control.ask(`${path}/input?wait=turn`, { json: text("go") });
  const { callId } = (await control.rig.until("PermissionRequested")).payload;
  const allow = { callId, decision: "allow" };
  const byAgent = await control.ask(`${path}/permission`, { json: allow, token: agent });
  expect(await refusalOf(byAgent)).toEqual([409, "InvalidCommand"]);
  const first = await control.ask(`${path}/permission`, { json: allow });
  expect([first.status, await first.json()]).toEqual([200, { result: { counted: true } }]);
  // It tells nothing of what was decided: that is in the events.
  const second = await control.ask(`${path}/permission`, { json: { ...allow, decision: "deny" } });
  expect([second.status, await second.json()]).toEqual([200, { result: { counted: false } }]);
  expect(await (await waiting).json()).toMatchObject({ text: "done", tools_used: ["Touch"] });
});

test("[AUTH-07 CTL-15 S49] whatever address of another session is asked, by whatever method, a token of one session is refused there", async () => {
  await using control = await openControlRig({ script: [] });
  await control.shake();
  const made = await control.ask("/v1/sessions", { json: { profile: "test" } });
  const { sessionId: another } = (await made.json()) as { readonly sessionId: string };
  const bound = control.mint({ sessions: [control.rig.session.id] });
  await control.shake(bound);
  const document = (await (await control.ask("/v1/openapi.json")).json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  const callId = "call_01JXT21Q00440WAKYHT0DB49BR";
  const bodies: Readonly<Record<string, unknown>> = {
    input: text("go"),
    permission: { callId, decision: "allow" },
    answer: { askId: "ask_01JXT21Q00440WAKYHT0DB49BR", answer: "yes" },
    model: { model: "scripted:other" },
    command: { kind: "CancelTurn" },
    shell: { command: "true", toModel: false },
    stop: { callId },
    prompts: { name: "x" },
    "mcp-prompts": { name: "x" },
    complete: { text: "@", cursor: 1 },
    rename: { title: "x" },
    archive: { archived: true },
    read: { event: 0, reader: "me" },
    draft: { text: "x", reader: "me" },
  };
  const refusals = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    if (!path.startsWith("/v1/sessions/{id}")) continue;
    for (const method of Object.keys(methods)) {
      const address = path
        .replace("{id}", another)
        .replace("{event}", "1")
        .replace(/profile-check$/, "$&?profile=x")
        .replace(/draft$/, method === "get" ? "$&?reader=me" : "$&");
      const json = bodies[path.split("/").at(-1) ?? ""] ?? {};
      const asked = { method: method.toUpperCase(), token: bound, ...(method === "post" ? { json } : {}) };
      refusals.push([method, path, ...(await refusalOf(await control.ask(address, asked)))]);
    }
  }
  expect(refusals.length).toBeGreaterThan(8);
  expect(refusals.filter(([, , , reason]) => reason !== "Forbidden")).toEqual([]);
});

test("[AUTH-07] a token of one session sees and touches that one alone, lists included", async () => {
  await using control = await openControlRig({ script: [says("a"), says("b")] });
  const { id } = control.rig.session;
  await control.shake();
  const made = await control.ask("/v1/sessions", { json: { profile: "test" } });
  const { sessionId: second } = (await made.json()) as { readonly sessionId: string };
  expect([made.status, made.headers.get("location")]).toEqual([201, `/v1/sessions/${second}`]);
  const bound = control.mint({ sessions: [id], commands: ["SendInput"] });
  await control.shake(bound);
  const listed = await control.ask("/v1/sessions?past=true", { token: bound });
  expect(await listed.json()).toMatchObject({ sessions: [{ session: id, live: true }] });
  const all = (await (await control.ask("/v1/sessions")).json()) as { readonly sessions: readonly object[] };
  expect(all.sessions).toHaveLength(2);
  const forbidden = [
    await control.ask(`/v1/sessions/${second}`, { token: bound }),
    await control.ask(`/v1/sessions/${second}/tasks`, { token: bound }),
    await control.ask(`/v1/sessions/${second}/tools`, { token: bound }),
    await control.ask(`/v1/sessions/${second}/events`, { token: bound }),
    await control.ask(`/v1/sessions/${second}/input`, { token: bound, json: text("go") }),
    await control.ask(`/v1/sessions/${id}/cancel`, { token: bound, json: {} }),
    await control.ask(`/v1/sessions/${id}`, { token: bound, method: "DELETE" }),
    await control.ask("/v1/sessions", { token: bound, json: { profile: "test" } }),
  ];
  for (const answer of forbidden) expect(await refusalOf(answer)).toEqual([403, "Forbidden"]);
  const allowed = await control.ask(`/v1/sessions/${id}/input?wait=turn`, { token: bound, json: text("go") });
  expect(allowed.status).toBe(200);
});

test("[CTL-15 AUTH-07] catalogues show a token for some sessions the entries of these, and nothing of the others", async () => {
  await using control = await openControlRig({ script: [] });
  const { id } = control.rig.session;
  const other = `sess_${"0".repeat(26)}` as SessionId;
  for (const sessions of [[id], [other]]) {
    const token = control.mint({ sessions });
    const listed = async (path: string) => await (await control.ask(path, { token })).text();
    for (const path of ["/v1/tools", "/v1/skills", "/v1/mcp/servers", "/v1/slash-commands"])
      expect([path, (await listed(path)).includes(id)]).toEqual([path, sessions.includes(id)]);
    const one = await control.ask(`/v1/skills/${id}`, { token });
    expect(one.status).toBe(sessions.includes(id) ? 200 : 404);
  }
});

test("[CTL-15] catalogues are served to who has a token", async () => {
  await using control = await openControlRig({ script: [] });
  const get = async (path: string) => (await control.ask(path)).json() as Promise<unknown>;
  expect(await get("/v1/profiles")).toEqual({ profiles: [{ name: "test", source: "embedded" }] });
  expect(await get("/v1/profiles/test")).toEqual({ name: "test", source: "embedded" });
  expect(await refusalOf(await control.ask("/v1/profiles/none"))).toEqual([404, "UnknownResource"]);
  expect(await get("/v1/providers")).toMatchObject({ providers: [{ name: "scripted", configured: true }] });
  expect(await get("/v1/providers/scripted/models")).toEqual({ models: [{ id: "scripted-1" }] });
  expect(await get("/v1/tools")).toEqual({ tools: [] });
  expect(await get("/v1/skills")).toEqual({ skills: [] });
  expect(await refusalOf(await control.ask("/v1/skills/none"))).toEqual([404, "UnknownResource"]);
  expect(await get("/v1/mcp/servers")).toEqual({ servers: [] });
  const { slash_commands: slashCommands } = (await get("/v1/slash-commands")) as {
    readonly slash_commands: readonly { readonly command: (typeof COMMAND_KINDS)[number] }[];
  };
  expect(slashCommands).toContainEqual(expect.objectContaining({ name: "cancel", command: "CancelTurn" }));
  for (const { command } of slashCommands) expect([...COMMAND_KINDS, "client"]).toContain(command);
  expect(await get("/v1/runtime")).toMatchObject({ pid: process.pid, sessions: 1 });
  expect(await get(`/v1/sessions/${control.rig.session.id}/tasks`)).toEqual({ tasks: [] });
  expect(await get(`/v1/sessions/${control.rig.session.id}/tools`)).toEqual({ tools: [] });
  expect(await refusalOf(await control.ask(`/v1/sessions/sess_${"0".repeat(26)}/tools`))).toEqual([
    404,
    "UnknownSession",
  ]);
});

test("[CTL-06 BUS-06] a command at its own address is refused by the name of what is wrong", async () => {
  await using control = await openControlRig({ script: [] });
  await control.shake();
  const path = `/v1/sessions/${control.rig.session.id}`;
  const unknown = await control.ask(`${path}/command`, { json: { kind: "Explode" } });
  expect([unknown.status, await unknown.json()]).toMatchObject([
    409,
    {
      reason: "InvalidCommand",
      details: {
        kind: "Explode",
        why: "there is no command of this kind; command_kinds of the handshake lists them",
      },
    },
  ]);
  const typed = await control.ask(`${path}/input`, { json: { content: "text" } });
  expect([typed.status, await typed.json()]).toMatchObject([400, { reason: "InvalidBody" }]);
  const empty = await control.ask(`${path}/archive`, {
    method: "POST",
    headers: { "content-type": "application/json" },
  });
  const why = "it is empty; send a JSON object";
  expect([empty.status, await empty.json()]).toMatchObject([
    400,
    { reason: "InvalidBody", details: { why } },
  ]);
  const other = control.rig.world.ids.next("sess");
  const elsewhere = await control.ask(`${path}/command`, { json: { kind: "CancelTurn", sessionId: other } });
  expect(await refusalOf(elsewhere)).toEqual([400, "InvalidBody"]);
  const plan = await control.ask(`${path}/plan-mode`, { json: {} });
  expect([plan.status, await plan.json()]).toMatchObject([409, { details: { kind: "EnterPlanMode" } }]);
  const nobody = await control.ask(`/v1/sessions/${other}/cancel`, { json: {} });
  expect(await refusalOf(nobody)).toEqual([404, "UnknownSession"]);
  const unknownField = await control.ask(`${path}/cancel`, { json: { sessionId: other, new_field: 1 } });
  expect(unknownField.status).toBe(200);
});

test("[LIFE-02 CTL-06] DELETE ends a session, whose streams get its end; its log can still be read", async () => {
  await using control = await openControlRig({ script: [says("hello")] });
  await control.shake();
  const path = `/v1/sessions/${control.rig.session.id}`;
  await control.ask(`${path}/input?wait=turn`, { json: text("go") });
  const reader = new StreamReader(await control.ask(`${path}/events?since=0`));
  expect((await control.ask(path, { method: "DELETE" })).status).toBe(200);
  await reader.until(() => false);
  expect(reader.events().at(-1)).toMatchObject({ kind: "SessionEnded", payload: { reason: "user" } });
  expect(await (await control.ask("/v1/sessions")).json()).toEqual({ sessions: [], more: false });
  expect(await (await control.ask(path)).json()).toMatchObject({ live: false, turns: 1 });
  const again = new StreamReader(await control.ask(`${path}/events?since=0`));
  await again.until(() => false);
  expect(again.events()).toEqual(reader.events());
});

test("[AUTH-05] a token revokes itself, others only one that is a person's and may do everything", async () => {
  await using control = await openControlRig({ script: [] });
  const grant = await control.authority.verify(control.token, "unix");
  const bound = control.mint({ sessions: [control.rig.session.id] });
  const { jti } = await control.authority.verify(bound, "unix");
  const remove = (id: string, token: string) =>
    control.ask(`/v1/auth/tokens/${id}`, { method: "DELETE", token });
  const sessions = [control.rig.session.id];
  const lesser = [
    { sessions },
    { canMint: false },
    { sessions, canMint: true },
    { commands: ["SendInput"], canMint: true },
    { identityClass: "agent", canMint: true },
  ] as const;
  for (const claims of lesser)
    expect(await refusalOf(await remove(grant.jti, control.mint(claims)))).toEqual([403, "Forbidden"]);
  expect((await remove(jti, bound)).status).toBe(204);
  expect(await refusalOf(await control.ask("/v1/sessions", { token: bound }))).toEqual([401, "TokenRevoked"]);
  const another = control.mint({});
  const { jti: second } = await control.authority.verify(another, "unix");
  expect((await remove(second, control.token)).status).toBe(204);
  expect(await refusalOf(await remove("tok_1", control.token))).toEqual([400, "InvalidPath"]);
});

test("[AUTH-03] a token is asked for without one on the Unix socket alone; one that may mint gets its own subset", async () => {
  await using control = await openControlRig({ script: [] });
  const claims = { claims: { identity_class: "human", sessions: [control.rig.session.id] } };
  const overTcp = await control.ask("/v1/auth/token", { json: claims, token: null });
  expect(await refusalOf(overTcp)).toEqual([401, "TokenMissing"]);
  const nobodyThere = await control.askUnix("/v1/auth/token", { json: claims, token: null });
  expect([nobodyThere.status, await nobodyThere.json()]).toEqual([
    403,
    { reason: "MintRefused", message: TEXTS.MintRefused },
  ]);
  const minted = await control.ask("/v1/auth/token", { json: claims });
  const { token } = (await minted.json()) as { readonly token: string };
  expect(minted.status).toBe(201);
  expect((await control.ask("/v1/sessions", { token })).status).toBe(200);
  const wrong = await control.ask("/v1/auth/token", { json: { claims: { identity_class: "boss" } } });
  expect(await refusalOf(wrong)).toEqual([400, "ClaimsInvalid"]);
  const code = await control.askUnix("/v1/auth/token/none", { json: { code: "123456" }, token: null });
  expect(await refusalOf(code)).toEqual([403, "MintExpired"]);
});
