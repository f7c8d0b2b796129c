import { expect, test } from "bun:test";
import { settle } from "../../../test/support/fake-clock.ts";
import { fakeTool, ok } from "../../../test/support/rig.ts";
import { calls, says } from "../../../test/support/scripted-provider.ts";
import { until } from "../../../test/support/until.ts";
import type { WsRig } from "../../../test/support/ws-rig.ts";
import { clientFrame, openWsRig, RawSocket, upgradeRequest } from "../../../test/support/ws-rig.ts";
import { DRAIN_MS, EXPIRING_MS } from "../auth/grant-watch.ts";
import { HANDSHAKE_MS_MAX, UNANSWERED_FRAMES_MAX } from "./socket.ts";

const NOTE = (text: string) => ({
  kind: "CustomEvent" as const,
  payload: { namespace: "test", kind: "note", payload: { text } },
});

function input(ws: WsRig, text = "go") {
  const { id: sessionId } = ws.rig.session;
  return { kind: "SendInput", sessionId, content: [{ type: "text", text }] };
}

test("[CTL-04 CTL-07] a command before the handshake is refused, and taken after it", async () => {
  await using ws = await openWsRig({ script: [says("hello")] });
  await using client = await ws.open({ shake: false });
  await client.opened();
  expect(await client.command(1, input(ws))).toEqual({
    frame: "error",
    id: 1,
    body: {
      reason: "HandshakeRequired",
      message: "Send /v1/handshake before any command. See § Protocol versioning.",
    },
  });
  expect(client.events).toEqual([]);
  const greeting = await client.shake();
  expect(greeting).toMatchObject({ id: 0, identityClass: "human", body: { protocol_version: "0.3.0" } });
  expect(client.socket.protocol).toBe("cinch.v1");
  expect(await client.command(2, input(ws))).toEqual({ frame: "accepted", id: 2, body: {} });
  const started = await client.untilEvent("TurnStarted");
  expect(started.originator as string).toBe(greeting.client ?? "");
  await client.untilEvent("TurnEnded");
  expect(client.events).toEqual(ws.rig.events.filter(({ id }) => id > (greeting.since ?? 0)));
});

test("[CTL-04] a version that does not fit is refused with its remedy, and another may be tried", async () => {
  await using ws = await openWsRig({ script: [] });
  await using client = await ws.open({ shake: false });
  await client.opened();
  client.send({ frame: "handshake", id: 7, body: { protocol_version: "0.99.0" } });
  expect(await client.until(({ id }) => id === 7)).toMatchObject({
    frame: "error",
    body: {
      reason: "HandshakeVersionMismatch",
      message: "Client speaks protocol 0.99.0; server speaks 0.3.0. Upgrade server.",
    },
  });
  await client.shake();
});

test("[CTL-04] a socket on which no handshake is made is closed", async () => {
  await using ws = await openWsRig({ script: [] });
  await using client = await ws.open({ shake: false });
  await client.opened();
  await until("the socket", () => ws.sockets.open === 1);
  await ws.rig.world.clock.advance(HANDSHAKE_MS_MAX);
  expect(await client.closed).toEqual({ code: 4_409, reason: "HandshakeRequired" });
});

test("[CTL-07] a command is read in each of its spellings, with the session of the socket where it names none", async () => {
  const words = ["a", "b", "c", "d"];
  await using ws = await openWsRig({ script: words.map((word) => says(word)) });
  await using client = await ws.open();
  const { id: sessionId } = ws.rig.session;
  const content = [{ text: "go" }];
  const spellings = [
    { frame: "command", id: 1, body: { kind: "SendInput", sessionId, content } },
    { kind: "command", id: 2, cmd: "SendInput", content },
    { kind: "SendInput", id: 3, body: { sessionId, content } },
    { kind: "SendInput", id: 4, content },
  ];
  for (const [at, spelling] of spellings.entries()) {
    client.send(spelling);
    expect(await client.until(({ id }) => id === at + 1)).toMatchObject({ frame: "accepted" });
    await client.untilEvent("TurnEnded", at + 1);
  }
});

test("[CTL-07] what cannot be read is refused by its reason, and ends neither this socket nor another", async () => {
  await using ws = await openWsRig({ script: [] });
  await using client = await ws.open();
  await using other = await ws.open();
  const { id: sessionId } = ws.rig.session;
  const deep = `${"[".repeat(100)}${"]".repeat(100)}`;
  const cases: readonly (readonly [string | Uint8Array<ArrayBuffer>, string, string])[] = [
    ["", "InvalidFrame", "not JSON"],
    ["{", "InvalidFrame", "not JSON"],
    [deep, "InvalidFrame", "nested too deep"],
    ["[]", "InvalidFrame", "JSON object"],
    ["null", "InvalidFrame", "JSON object"],
    ['{"frame":"event","id":1,"body":{}}', "InvalidFrame", "a client sends"],
    ['{"frame":"command","id":1}', "InvalidFrame", "body"],
    ['{"frame":"command","id":"1","body":{"kind":"CancelTurn"}}', "InvalidFrame", "id:"],
    ['{"frame":"command","id":-1,"body":{"kind":"CancelTurn"}}', "InvalidFrame", "id:"],
    ['{"frame":"command","id":1e300,"body":{"kind":"CancelTurn"}}', "InvalidFrame", "id:"],
    ['{"kind":"command","id":1}', "InvalidFrame", "cmd:"],
    ['{"frame":"handshake","id":1,"body":{}}', "InvalidFrame", "protocol_version"],
    ['{"id":1}', "InvalidCommand", "kind"],
    ['{"kind":"DropTables","id":1}', "InvalidCommand", "The command DropTables"],
    ['{"kind":"Drop\\u001b[2J","id":1}', "InvalidCommand", "(not a name)"],
    ['{"kind":"CancelTurn","id":1,"sessionId":"sess_../../etc"}', "InvalidCommand", "sessionId"],
    ['{"kind":"SendInput","id":1,"content":"go"}', "InvalidCommand", "content"],
    [new Uint8Array([1, 2, 3]), "InvalidFrame", "binary"],
  ];
  for (const [data, reason, words] of cases) {
    client.frames.length = 0;
    client.socket.send(data);
    const answer = await client.until(() => true);
    expect(answer).toMatchObject({ frame: "error", body: { reason } });
    expect(answer?.body.message).toContain(words);
  }
  expect(await client.command(99, { kind: "AttachSession", sessionId })).toMatchObject({ frame: "accepted" });
  expect(await other.command(1, { kind: "AttachSession", sessionId })).toMatchObject({ frame: "accepted" });
});

test("[CTL-07 R03] two frames of one id that wait for their answers stay distinct: the second is refused", async () => {
  const refused = Promise.withResolvers<void>();
  await using ws = await openWsRig({
    script: [],
    // The answer of the first stays on its way until the second was refused.
    wrap: (socket) => ({
      send: async (text) => {
        if (text.startsWith('{"frame":"accepted"') && text.includes('"id":5')) await refused.promise;
        if (text.startsWith('{"frame":"error"')) refused.resolve();
        return await socket.send(text);
      },
      flushed: () => socket.flushed(),
      close: (code, reason) => socket.close(code, reason),
    }),
  });
  await using client = await ws.open();
  const { id: sessionId } = ws.rig.session;
  for (let time = 0; time < 2; time++) client.send({ kind: "AttachSession", sessionId, id: 5 });
  let count = 0;
  await client.until(({ id }) => id === 5 && ++count === 2);
  const answers = client.frames.filter(({ id }) => id === 5);
  expect(answers.map(({ frame }) => frame).sort()).toEqual(["accepted", "error"]);
  // The id is free again once it was answered.
  client.frames.length = 0;
  expect(await client.command(5, { kind: "AttachSession", sessionId })).toMatchObject({ frame: "accepted" });
});

test("[CTL-07] a message that is too large is refused by its reason, or its socket closed, and nobody else's", async () => {
  await using ws = await openWsRig({ script: [] });
  await using client = await ws.open();
  await using other = await ws.open();
  const { id: sessionId } = ws.rig.session;
  client.socket.send(" ".repeat(34_000_000));
  expect(await client.until(({ frame }) => frame === "error")).toMatchObject({
    body: { reason: "BodyTooLarge" },
  });
  client.socket.send(" ".repeat(70_000_000));
  expect((await client.closed).code).not.toBe(1_000);
  expect(await other.command(1, { kind: "AttachSession", sessionId })).toMatchObject({ frame: "accepted" });
});

test("[CTL-07] who never reads its answers is cut off, and nobody waits for it", async () => {
  await using ws = await openWsRig({ script: [] });
  await using other = await ws.open();
  await using raw = new RawSocket(ws.port);
  raw.write(upgradeRequest(ws.port, "/v1/ws", { "X-Harness-Token": ws.mint() }));
  await raw.until((got) => got.includes("101 "));
  raw.stall();
  await until("the socket", () => ws.sockets.open === 2);
  const one = clientFrame("?");
  const flood = new Uint8Array(one.length * 1_000);
  for (let at = 0; at < flood.length; at += one.length) flood.set(one, at);
  // Answers pile up in the wire until it takes no more; behind that only so many wait.
  await until("the end of it", async () => {
    raw.write(flood);
    await settle();
    return ws.sockets.open === 1;
  });
  const { id: sessionId } = ws.rig.session;
  expect(await other.command(1, { kind: "AttachSession", sessionId })).toMatchObject({ frame: "accepted" });
});

test("[CTL-07] a client may send hundreds of commands without waiting, and has each answered", async () => {
  await using ws = await openWsRig({ script: [] });
  await using client = await ws.open();
  for (let id = 1; id <= UNANSWERED_FRAMES_MAX / 2; id++) client.send({ kind: "AttachSession", id });
  for (let id = 1; id <= UNANSWERED_FRAMES_MAX / 2; id++) {
    expect(await client.until((frame) => frame.id === id)).toMatchObject({ frame: "accepted" });
  }
});

test("[AUTH-06] an upgrade without a token, of a page elsewhere or for another host is refused by its status", async () => {
  await using ws = await openWsRig({ script: [], origins: ["http://localhost:5173"] });
  const token = ws.mint();
  const path = `/v1/ws?session=${ws.rig.session.id}`;
  const asked = async (headers: Readonly<Record<string, string>>, at = path) => {
    await using raw = new RawSocket(ws.port);
    raw.write(upgradeRequest(ws.port, at, headers));
    const got = await raw.until(
      (text) => text.includes("\r\n\r\n") && (text.includes("101 ") || text.includes("}")),
    );
    return [/^HTTP\/1\.1 (\d+)/.exec(got)?.[1] ?? "", /"reason":"(\w+)"/.exec(got)?.[1] ?? ""];
  };
  const carrier = { "Sec-WebSocket-Protocol": `cinch.v1, cinch.token.${token}` };
  expect(await asked({})).toEqual(["401", "TokenMissing"]);
  expect(await asked({ "X-Harness-Token": `${token}x` })).toEqual(["401", "TokenInvalid"]);
  expect(await asked({ "Sec-WebSocket-Protocol": "cinch.v1" })).toEqual(["401", "TokenMissing"]);
  expect(await asked({ Cookie: `token=${token}` })).toEqual(["401", "TokenMissing"]);
  expect(await asked({}, `${path}&token=${token}`)).toEqual(["400", "InvalidPath"]);
  expect(await asked({ ...carrier, Origin: "https://evil.example" })).toEqual(["403", "InvalidOrigin"]);
  expect(await asked({ ...carrier, Origin: "null" })).toEqual(["403", "InvalidOrigin"]);
  expect(await asked({ ...carrier, Host: `evil.example:${ws.port}` })).toEqual(["403", "InvalidHost"]);
  expect(await asked({ ...carrier, Host: "127.0.0.1" })).toEqual(["403", "InvalidHost"]);
  expect(await asked({ "Sec-WebSocket-Protocol": `cinch.token.${token}` })).toEqual(["400", "InvalidHeader"]);
  expect(await asked({ "X-Harness-Token": token })).toEqual(["101", ""]);
  expect(await asked({ ...carrier, Origin: "http://localhost:5173" })).toEqual(["101", ""]);
});

test("[AUTH-06] the token that a browser offers as a protocol is never said back", async () => {
  await using ws = await openWsRig({ script: [] });
  const token = ws.mint();
  await using raw = new RawSocket(ws.port);
  raw.write(
    upgradeRequest(ws.port, "/v1/ws", { "Sec-WebSocket-Protocol": `cinch.token.${token}, cinch.v1` }),
  );
  const got = await raw.until((text) => text.includes("\r\n\r\n"));
  expect(got.toLowerCase()).toContain("sec-websocket-protocol: cinch.v1\r\n");
  expect(got).not.toContain(token);
});

test("[AUTH-07 CTL-07] a socket for a session that is unknown, is another's, or from beyond its end does not open", async () => {
  await using ws = await openWsRig({ script: [] });
  const { id } = ws.rig.session;
  const other = ws.rig.world.ids.next("sess");
  const why = async (query: string, token = ws.mint()) => {
    const answer = await fetch(`${ws.url}/v1/ws${query}`, { headers: { "x-harness-token": token } });
    const text = await answer.text();
    return [answer.status, /"reason":"(\w+)"/.exec(text)?.[1] ?? text];
  };
  expect(await why(`?session=${id}`)).toEqual([426, ""]);
  expect(await why("?session=sess_1%0d%0aX-Evil:1")).toEqual([400, "InvalidSessionID"]);
  expect(await why(`?session=${other}`)).toEqual([404, "UnknownSession"]);
  expect(await why(`?session=${id}`, ws.mint({ sessions: [other] }))).toEqual([403, "Forbidden"]);
  expect(await why(`?session=${id}&lastEventId=99999`)).toEqual([400, "InvalidPath"]);
  expect(await why(`?session=${id}&lastEventId=-1`)).toEqual([400, "InvalidPath"]);
  expect(await why(`?session=${id}&session=${id}`)).toEqual([400, "InvalidPath"]);
  expect(await why("?lastEventId=1")).toEqual([400, "InvalidPath"]);
  for (const query of ["?args=true", `?session=${id}&args=1`, `?session=${id}&args=true&args=true`])
    expect(await why(query)).toEqual([400, "InvalidPath"]);
});

test("[AUTH-07 S49] a token of one session commands no other over its socket", async () => {
  await using ws = await openWsRig({ script: [] });
  const { id } = ws.rig.session;
  const token = ws.mint({ sessions: [ws.rig.world.ids.next("sess")] });
  await using client = await ws.open({ token, query: "" });
  expect(await client.command(1, { kind: "CancelTurn", sessionId: id })).toMatchObject({
    frame: "error",
    body: { reason: "Forbidden" },
  });
});

test("[CTL-07] a message in fragments is one message; a broken frame ends its own socket alone", async () => {
  await using ws = await openWsRig({ script: [] });
  await using other = await ws.open();
  const { id: sessionId } = ws.rig.session;
  const opened = async () => {
    const raw = new RawSocket(ws.port);
    raw.write(upgradeRequest(ws.port, "/v1/ws", { "X-Harness-Token": ws.mint() }));
    await raw.until((got) => got.includes("\r\n\r\n"));
    raw.write(clientFrame('{"frame":"handshake","id":0,"body":{"protocol_version":"0.2.0"}}'));
    await raw.until((got) => got.includes('"handshake"'));
    return raw;
  };
  await using raw = await opened();
  const text = `{"kind":"AttachSession","sessionId":"${sessionId}","id":1}`;
  raw.write(clientFrame(text.slice(0, 10), { fin: false }));
  raw.write(clientFrame("", { opcode: 9 })); // a ping in between
  for (const piece of text.slice(10, -1)) raw.write(clientFrame(piece, { opcode: 0, fin: false }));
  raw.write(clientFrame(text.slice(-1), { opcode: 0 }));
  await raw.until((got) => got.includes('"accepted"'));
  const broken = [
    Uint8Array.from([0xf1, 0x80, 1, 2, 3, 4]), // reserved bits
    Uint8Array.from([0x81, 0x02, 0x7b, 0x7d]), // not masked
    clientFrame("x", { opcode: 0 }), // goes on with nothing
    clientFrame("x".repeat(200), { opcode: 9 }), // a ping that is too long
    clientFrame(Uint8Array.from([0xff, 0xfe])), // text that is no UTF-8
    Uint8Array.from([0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4]), // 2^64 bytes
  ];
  for (const bytes of broken) {
    await using each = await opened();
    each.write(bytes);
    await each.closed;
  }
  await until("the sockets to be let go of", () => ws.sockets.open === 2);
  expect(await other.command(1, { kind: "AttachSession", sessionId })).toMatchObject({ frame: "accepted" });
});

test("[CTL-07] a client that vanishes in the middle of a frame leaves nothing behind", async () => {
  await using ws = await openWsRig({ script: [] });
  for (let time = 0; time < 20; time++) {
    await using raw = new RawSocket(ws.port);
    raw.write(
      upgradeRequest(ws.port, `/v1/ws?session=${ws.rig.session.id}`, { "X-Harness-Token": ws.mint() }),
    );
    await raw.until((got) => got.includes("\r\n\r\n"));
    raw.write(clientFrame('{"frame":"handshake"').slice(0, 9));
  }
  await until("the sockets to be let go of", () => ws.sockets.open === 0);
});

test("[ENG-08 CTL-07] 1,000 events at full speed arrive whole and in order, at each of 50 sockets beside one that is stalled", async () => {
  await using ws = await openWsRig({ script: [] });
  await using stalled = new RawSocket(ws.port);
  const query = `?session=${ws.rig.session.id}&lastEventId=0`;
  stalled.write(upgradeRequest(ws.port, `/v1/ws${query}`, { "X-Harness-Token": ws.mint() }));
  await stalled.until((got) => got.includes("\r\n\r\n"));
  stalled.write(clientFrame('{"frame":"handshake","id":0,"body":{"protocol_version":"0.2.0"}}'));
  await stalled.until((got) => got.includes('"handshake"'));
  stalled.stall();
  await using open = new AsyncDisposableStack();
  const clients = [];
  for (let count = 0; count < 50; count++) clients.push(open.use(await ws.open({ query })));
  const text = "x".repeat(4_000);
  for (let number = 0; number < 1_000; number++) ws.tell(NOTE(`${number} ${text}`));
  for (const client of clients) await client.untilEvent("CustomEvent", 1_000);
  const wanted = ws.rig.events.map(({ id }) => id);
  for (const client of clients) expect(client.events.map(({ id }) => id)).toEqual(wanted);
  // It was held up alone, and gets all of it once it reads.
  expect(stalled.got).not.toContain('"999 x');
  stalled.resume();
  await stalled.until((got) => got.includes('"999 x'));
  for (let number = 0; number < 1_000; number++) expect(stalled.got).toContain(`"${number} x`);
}, 300_000);

test("[CTL-03 CTL-14] lastEventId brings what followed it, neither a gap nor anything twice", async () => {
  await using ws = await openWsRig({ script: [says("one two three")] });
  await ws.rig.send("go");
  const all = ws.rig.events.map(({ id }) => id);
  for (const since of [0, 1, all.length - 1]) {
    await using client = await ws.open({ query: `?session=${ws.rig.session.id}&lastEventId=${since}` });
    await client.untilEvents(all.length - since);
    expect(client.events.map(({ id }) => id)).toEqual(all.slice(since));
  }
});

test("[PERM-06 CTL-07] a socket that opens while a question waits brings the question first", async () => {
  await using ws = await openWsRig({
    script: [calls({ name: "Touch" }), says("done")],
    tools: [fakeTool("Touch", () => ok("touched"), { mutating: true })],
    gate: (questions) => [
      async ({ id: callId, name: tool, input: args }, { originator, signal }) => {
        await questions.askPermission({ callId, tool, args, originator, summary: tool }, signal);
        return ok("asked");
      },
    ],
  });
  const sent = ws.rig.send("go");
  const { id, payload } = await ws.rig.until("PermissionRequested");
  await using late = await ws.open();
  const asked = () => late.events.find(({ kind }) => kind === "PermissionRequested");
  await until("the question comes", () => asked() !== undefined);
  expect(asked()).toMatchObject({ id, payload });
  const { id: sessionId } = ws.rig.session;
  const answer = { kind: "AnswerPermission", sessionId, callId: payload.callId, decision: "deny" } as const;
  await ws.rig.connection.send(answer);
  await sent;
  await using later = await ws.open();
  ws.tell({ kind: "CustomEvent", payload: { namespace: "test", kind: "note", payload: {} } });
  await later.untilEvents(1);
  expect(later.events.map(({ kind }) => kind)).toEqual(["CustomEvent"]);
});

test("[CTL-01] the sockets of one client are one client, and one that broke comes back as itself", async () => {
  await using ws = await openWsRig({ script: [] });
  const token = ws.mint();
  const named = async (client: string | undefined, by = token) => {
    await using socket = await ws.open({ token: by, shake: false });
    await socket.opened();
    socket.send({ frame: "handshake", id: 0, body: { protocol_version: "0.2.0", client } });
    return (await socket.until(({ frame }) => frame === "handshake")).client;
  };
  const first = await named(undefined);
  expect(await named(first)).toBe(first);
  // It is this token's alone.
  expect(await named(first, ws.mint())).not.toBe(first);
  expect(await named("cli_forged")).not.toBe("cli_forged");
});

test("[AUTH-05] revoking a token cuts its sockets at once, one without a handshake too, and no other", async () => {
  await using ws = await openWsRig({ script: [] });
  const token = ws.mint();
  await using client = await ws.open({ token });
  await using idle = await ws.open({ token, query: "", shake: false });
  await idle.opened();
  await using other = await ws.open();
  const { jti } = await ws.authority.verify(token, "loopback");
  await ws.authority.revoke(jti);
  expect(await client.closed).toEqual({ code: 4_401, reason: "TokenRevoked" });
  expect(client.frames.at(-1)).toMatchObject({ frame: "error", body: { reason: "TokenRevoked" } });
  expect((await idle.closed).code).toBe(4_401);
  const { id: sessionId } = ws.rig.session;
  expect(await other.command(1, { kind: "AttachSession", sessionId })).toMatchObject({ frame: "accepted" });
});

test("[AUTH-08] a stream is notified that its token expires, drains for 60 s after it, takes no command then, and is cut", async () => {
  await using ws = await openWsRig({ script: [] });
  const { clock } = ws.rig.world;
  const lifetimeMs = EXPIRING_MS + 60_000;
  const token = ws.mint({ lifetimeMs });
  await using client = await ws.open({ token, query: `?session=${ws.rig.session.id}&lastEventId=0` });
  await using bare = await ws.open({ token, query: "" });
  await clock.advance(60_000);
  const expAt = Math.floor((clock.now() + EXPIRING_MS) / 1_000);
  const told = await client.untilEvent("TokenExpiring");
  expect(told).toMatchObject({ session: ws.rig.session.id, payload: { expAt } });
  expect(await bare.until(({ frame }) => frame === "expiring")).toMatchObject({ body: { expAt } });
  await clock.advance(EXPIRING_MS);
  const { id: sessionId } = ws.rig.session;
  expect(await client.command(1, { kind: "AttachSession", sessionId })).toMatchObject({
    frame: "error",
    body: { reason: "TokenExpired" },
  });
  ws.tell(NOTE("still here"));
  await client.untilEvent("CustomEvent");
  await clock.advance(DRAIN_MS);
  expect(await client.closed).toEqual({ code: 4_401, reason: "TokenExpired" });
});

test("[CTL-07] a shutdown ends every socket with the end of its session", async () => {
  const ws = await openWsRig({ script: [] });
  const client = await ws.open();
  const bare = await ws.open({ query: "" });
  await ws[Symbol.asyncDispose]();
  expect(await client.closed).toEqual({ code: 1_000, reason: "the session has ended" });
  expect(client.events.at(-1)).toMatchObject({ kind: "SessionEnded" });
  expect((await bare.closed).code).toBe(1_001);
});

test("[CTL-07] the answer to the command that ends a session comes before the socket closes", async () => {
  await using ws = await openWsRig({ script: [] });
  await using client = await ws.open();
  client.send({ kind: "EndSession", id: 1 });
  await client.closed;
  expect(client.frames.filter(({ id }) => id === 1)).toMatchObject([{ frame: "accepted" }]);
  expect(client.events.at(-1)).toMatchObject({ kind: "SessionEnded" });
});

test("[CTL-07] a ping is answered, also before the handshake", async () => {
  await using ws = await openWsRig({ script: [] });
  await using client = await ws.open({ shake: false });
  await client.opened();
  client.send({ frame: "ping", id: 3 });
  expect(await client.until(({ id }) => id === 3)).toEqual({ frame: "pong", id: 3, body: {} });
});

test("[LIFE-02 CTL-07] at a shutdown a reader that is behind is first sent the end of its session, and only then closed", async () => {
  const room = Promise.withResolvers<void>();
  const told: string[] = [];
  const ws = await openWsRig({
    script: [],
    wrap: (socket) => ({
      send(text) {
        if (text.includes('"kind":"SessionEnded"')) told.push("the end is sent");
        return socket.send(text);
      },
      async flushed() {
        told.push("it is waited for");
        await room.promise;
        await socket.flushed();
      },
      close(code, reason) {
        told.push(`closed with ${code}`);
        socket.close(code, reason);
      },
    }),
  });
  const client = await ws.open();
  const closing = ws[Symbol.asyncDispose]().then(() => told.push("all is closed"));
  await until("the reader is waited for", () => told.length === 2);
  room.resolve();
  await closing;
  expect(told).toEqual(["the end is sent", "it is waited for", "closed with 1000", "all is closed"]);
  expect(await client.closed).toEqual({ code: 1_000, reason: "the session has ended" });
});
