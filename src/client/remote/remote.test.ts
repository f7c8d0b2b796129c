import { expect, test } from "bun:test";
import { connectionContract } from "../../../test/contracts/connection.ts";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import { until } from "../../../test/support/until.ts";
import { openWsRig, remoteParts } from "../../../test/support/ws-rig.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import { connectRemote } from "./connect-remote.ts";
import { OPEN_MS_MAX } from "./link.ts";
import { WAITING_EVENTS_MAX } from "./remote-events.ts";

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

test("[CTL-03] a command whose answer was lost is refused as that, and never sent twice", async () => {
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

test("[CTL-17] an engine that is not there, and one that does not take the token, are told apart", async () => {
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
