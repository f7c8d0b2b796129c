import { expect, test } from "bun:test";
import { connectionContract } from "../../../test/contracts/connection.ts";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import { until } from "../../../test/support/until.ts";
import { testWorld } from "../../../test/support/world.ts";
import { openWsRig, remoteParts } from "../../../test/support/ws-rig.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import { connectRemote } from "./connect-remote.ts";
import { OPEN_MS_MAX } from "./link.ts";
import { WAITING_CHARS_MAX, WAITING_EVENTS_MAX } from "./remote-events.ts";
import { ANSWER_BYTES_MAX, readServerFrame, SERVER_FRAME_CHARS_MAX } from "./server-frames.ts";

connectionContract("over a WebSocket", async (options) => {
  const ws = await openWsRig(options);
  return {
    rig: ws.rig,
    connect: (identityClass) => ws.remote({ claims: { identityClass } }),
    [Symbol.asyncDispose]: () => ws[Symbol.asyncDispose](),
  };
});

const { signal } = new AbortController();
const NOTE = (number: number) => ({
  kind: "CustomEvent" as const,
  payload: { namespace: "test", kind: "note", payload: { number } },
});

/** Sockets that the test may cut. */
function cuttable() {
  const open = new Set<WebSocket>();
  return {
    get count() {
      return open.size;
    },
    openSocket(address: string, protocols: string[]) {
      const socket = new WebSocket(address, protocols);
      open.add(socket);
      socket.addEventListener("close", () => open.delete(socket));
      return socket;
    },
    cut() {
      for (const socket of open) socket.close();
    },
  };
}

test("[CTL-03 ENG-08] a wire that breaks again and again loses no event and brings none twice", async () => {
  await using ws = await openWsRig({ script: [] });
  const wires = cuttable();
  await using connection = await ws.remote({ openSocket: wires.openSocket });
  await connection.handshake(PROTOCOL_VERSION);
  const { id: sessionId } = ws.rig.session;
  const events = connection.subscribe(sessionId, { signal });
  const { clientId } = connection;
  await connection.send({ kind: "AttachSession", sessionId });
  for (let number = 0; number < 100; number++) ws.tell(NOTE(number));
  const seen: number[] = [];
  for await (const event of events) {
    if (event.kind !== "CustomEvent") continue;
    seen.push(Number(Reflect.get(Object(event.payload.payload), "number")));
    if (seen.length % 10 === 0) wires.cut();
    if (seen.length === 100) for (let number = 100; number < 200; number++) ws.tell(NOTE(number));
    if (seen.length === 200) break;
  }
  expect(seen).toEqual(seen.map((_, at) => at));
  // The command finds a new socket, as the same client.
  await connection.send({ kind: "AttachSession", sessionId });
  expect(connection.clientId).toBe(clientId);
});

test("[CTL-03 R03] a command whose answer was lost is refused as that, and never sent twice", async () => {
  await using ws = await openWsRig({ script: [] });
  const wires = cuttable();
  const sent: string[] = [];
  const openSocket = (address: string, protocols: string[]) => {
    const socket = wires.openSocket(address, protocols);
    const send = socket.send.bind(socket);
    socket.send = (data) => {
      sent.push(String(data));
      send(data);
      if (String(data).includes('"AttachSession"')) wires.cut();
    };
    return socket;
  };
  await using connection = await ws.remote({ openSocket });
  await connection.handshake(PROTOCOL_VERSION);
  const { id: sessionId } = ws.rig.session;
  await expect(connection.send({ kind: "AttachSession", sessionId })).rejects.toMatchObject({
    reason: "ConnectionLost",
    fields: { kind: "AttachSession" },
  });
  expect(sent.filter((each) => each.includes('"AttachSession"'))).toHaveLength(1);
});

test("[AUTH-05] a connection whose token was revoked ends with that reason, and does not try again for ever", async () => {
  await using ws = await openWsRig({ script: [] });
  const token = ws.mint();
  await using connection = await ws.remote({ token: () => token });
  await connection.handshake(PROTOCOL_VERSION);
  const { id: sessionId } = ws.rig.session;
  const reading = Array.fromAsync(connection.subscribe(sessionId, { signal }));
  reading.catch(() => undefined); // looked at below
  await connection.send({ kind: "AttachSession", sessionId });
  const { jti } = await ws.authority.verify(token, "loopback");
  await ws.authority.revoke(jti);
  await expect(reading).rejects.toMatchObject({ reason: "TokenRevoked" });
  await expect(connection.send({ kind: "AttachSession", sessionId })).rejects.toMatchObject({
    reason: "TokenRevoked",
  });
});

test("[CTL-17] a missing engine and a refused token are reported differently", async () => {
  const ws = await openWsRig({ script: [] });
  const { url } = ws;
  await expect(ws.remote({ token: () => "nonsense" })).rejects.toMatchObject({ reason: "TokenInvalid" });
  await ws[Symbol.asyncDispose]();
  const parts = { ...remoteParts(url), token: () => "nonsense" };
  await expect(connectRemote(parts, signal)).rejects.toMatchObject({ reason: "EngineUnreachable" });
});

test("[CTL-17] a server that talks and never greets is given up after the same time as one that is silent", async () => {
  const clock = fakeClock();
  const told = new EventTarget();
  let isClosed = false;
  const socket = {
    send: () => undefined,
    close: () => {
      isClosed = true;
    },
    addEventListener: (kind: string, listener: (event: never) => void) =>
      told.addEventListener(kind, listener as unknown as EventListener),
  };
  const opening = connectRemote(
    { ...remoteParts("http://127.0.0.1:1"), clock, token: () => "t", openSocket: () => socket },
    signal,
  );
  opening.catch(() => undefined); // looked at below
  await clock.advance(0);
  told.dispatchEvent(new Event("open"));
  for (let ms = 0; ms < OPEN_MS_MAX; ms += 1_000) {
    expect(isClosed).toBe(false);
    told.dispatchEvent(new MessageEvent("message", { data: '{"frame":"pong"}' }));
    await clock.advance(1_000);
  }
  expect(isClosed).toBe(true);
  await expect(opening).rejects.toMatchObject({ reason: "EngineUnreachable" });
  expect(clock.waiting).toBe(0);
});

test("[ENG-08] a reader that is slower than the wire is refilled from the log", async () => {
  await using ws = await openWsRig({ script: [] });
  const wires = cuttable();
  await using connection = await ws.remote({ openSocket: wires.openSocket });
  await connection.handshake(PROTOCOL_VERSION);
  const { id: sessionId } = ws.rig.session;
  const events = connection.subscribe(sessionId, { since: 0, signal });
  const count = WAITING_EVENTS_MAX + 2_000;
  for (let number = 0; number < count; number++) ws.tell(NOTE(number));
  await ws.rig.until("CustomEvent", count);
  // Nobody has read yet: what waits here is bounded, and the socket is let go of.
  await until("the socket to be let go of", () => wires.count === 1);
  const seen: number[] = [];
  for await (const event of events) {
    if (event.kind === "CustomEvent") seen.push(event.id);
    if (seen.length === count) break;
  }
  expect(seen).toEqual(seen.map((_, at) => (seen[0] ?? 0) + at));
}, 300_000);

const MEBIBYTE = 1_048_576;

/** A server of the test's own, without a network: each socket is greeted, and then does as it is told. */
function ownServer() {
  const { ids } = testWorld();
  const session = ids.next("sess");
  const sockets: {
    readonly url: string;
    isGreeted: boolean;
    isClosed: boolean;
    say(frame: object): void;
  }[] = [];
  const openSocket = (url: string) => {
    const told = new EventTarget();
    const opened = {
      url,
      isGreeted: false,
      isClosed: false,
      say: (frame: object) =>
        void told.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(frame) })),
    };
    sockets.push(opened);
    const greeting = {
      frame: "handshake",
      client: ids.next("cli"),
      identityClass: "human",
      engine: "one",
      since: 0,
      body: { protocol_version: PROTOCOL_VERSION },
    };
    queueMicrotask(() => told.dispatchEvent(new Event("open")));
    return {
      send: (text: string) => {
        const { frame, id } = JSON.parse(text);
        if (frame !== "handshake") return;
        queueMicrotask(() => {
          opened.say({ ...greeting, id });
          opened.isGreeted = true;
        });
      },
      close: () => {
        opened.isClosed = true;
      },
      addEventListener: (kind: string, listener: (event: never) => void) =>
        told.addEventListener(kind, listener as unknown as EventListener),
    };
  };
  const event = (id: number, text: string) => ({
    frame: "event",
    body: { id, kind: "TextDelta", session, ts: "2025-06-15T15:06:40.000Z", payload: { text } },
  });
  return { session, sockets, openSocket, event };
}

test("[CTL-17 R21] a server that sends long events to a client which does not read them is let go of, and asked for the rest later", async () => {
  const { session, sockets, openSocket, event } = ownServer();
  const parts = { ...remoteParts("http://127.0.0.1:1"), clock: fakeClock(), token: () => "t", openSocket };
  await using connection = await connectRemote(parts, signal);
  await connection.handshake(PROTOCOL_VERSION);
  const events = connection.subscribe(session, { since: 0, signal });
  await until("the socket of the session", () => sockets[1]?.isGreeted === true);
  const [, first] = sockets;
  const text = "x".repeat(MEBIBYTE);
  let sent = 0;
  while (first?.isClosed === false && sent < 1_000) {
    sent += 1;
    first.say(event(sent, text));
  }
  expect([first?.isClosed, sent]).toEqual([true, WAITING_CHARS_MAX / MEBIBYTE]);

  // Whoever reads on gets what waited, and the next from a new socket, after the last of them.
  const reader = events[Symbol.asyncIterator]();
  for (let id = 1; id < sent; id++) expect((await reader.next()).value?.id).toBe(id);
  const next = reader.next();
  await until("a new socket", () => sockets[2]?.isGreeted === true);
  expect(sockets[2]?.url).toEndWith(`lastEventId=${sent - 1}`);
  sockets[2]?.say(event(sent, "y"));
  expect((await next).value?.id).toBe(sent);
});

test("[CTL-17 R21] a frame or an answer without an end is given up, with no more of it read than the limit", async () => {
  const told = new EventTarget();
  let pulled = 0;
  const endless = () =>
    new Response(
      new ReadableStream<Uint8Array>({
        pull(controller) {
          pulled += MEBIBYTE;
          controller.enqueue(new Uint8Array(MEBIBYTE));
        },
      }),
      { status: 401 },
    );
  const silent = () => {
    queueMicrotask(() => told.dispatchEvent(new Event("close")));
    return {
      send: () => undefined,
      close: () => undefined,
      addEventListener: (kind: string, listener: (event: never) => void) =>
        told.addEventListener(kind, listener as unknown as EventListener),
    };
  };
  const parts = { ...remoteParts("http://127.0.0.1:1"), clock: fakeClock(), token: () => "t" };
  const refused = connectRemote({ ...parts, fetch: async () => endless(), openSocket: silent }, signal);
  await expect(refused).rejects.toMatchObject({ reason: "EngineUnreachable" });
  expect(pulled).toBeLessThan(ANSWER_BYTES_MAX + 16 * MEBIBYTE);

  expect(() => readServerFrame(" ".repeat(SERVER_FRAME_CHARS_MAX + 1))).toThrow("has more than");
});
