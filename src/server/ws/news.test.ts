import { expect, test } from "bun:test";
import { settle } from "../../../test/support/fake-clock.ts";
import { until } from "../../../test/support/until.ts";
import { clientFrame, openWsRig, RawSocket, upgradeRequest } from "../../../test/support/ws-rig.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import { NEWS_INTERVAL_MS } from "../hub/news/news-reader.ts";

const isReady = ({ frame, body }: { readonly frame: string; readonly body: Record<string, unknown> }) =>
  frame === "news" && body["kind"] === "NewsReady";

test("[CTL-19 CTL-07] subscribe-news is accepted, begins with each session, and leaves commands and events as they are", async () => {
  await using ws = await openWsRig({ script: [] });
  const { id: sessionId, logId } = ws.rig.session;
  await using client = await ws.open();
  client.send({ frame: "subscribe-news", id: 1 });
  await client.until(isReady);
  const frames = client.frames.filter(({ frame }) => frame !== "event" && frame !== "handshake");
  expect(frames).toMatchObject([
    { frame: "accepted", id: 1, body: {} },
    { frame: "news", body: { kind: "SessionChanged", session: sessionId, info: { log: logId, live: true } } },
    { frame: "news", body: { kind: "NewsReady" } },
  ]);
  const { body } = await client.command(2, { kind: "CreateSession" });
  await ws.rig.world.clock.advance(2 * NEWS_INTERVAL_MS);
  const made = await client.until(
    (frame) => frame.frame === "news" && frame.body["session"] === body["sessionId"],
  );
  expect(made.body["kind"]).toBe("SessionChanged");
  expect(await client.command(3, { kind: "AttachSession", sessionId })).toMatchObject({ frame: "accepted" });
});

test("[CTL-19] with past, stored sessions are there too", async () => {
  await using ws = await openWsRig({ script: [] });
  const { id: sessionId } = ws.rig.session;
  await ws.rig.connection.send({ kind: "EndSession", sessionId });
  await using client = await ws.open({ query: "" });
  client.send({ frame: "subscribe-news", id: 1, body: { past: true } });
  await client.until(isReady);
  expect(client.frames.find(({ frame }) => frame === "news")).toMatchObject({
    body: { session: sessionId, info: { live: false } },
  });
});

test("[CTL-19] a wish that cannot be read, a second one and one before the handshake are refused", async () => {
  await using ws = await openWsRig({ script: [] });
  await using client = await ws.open({ query: "", shake: false });
  await client.opened();
  client.send({ frame: "subscribe-news", id: 1 });
  expect(await client.until(({ id }) => id === 1)).toMatchObject({ body: { reason: "HandshakeRequired" } });
  await client.shake();
  for (const [id, body] of [
    [2, { past: "yes" }],
    [3, []],
    [4, "past"],
  ] as const) {
    client.send({ frame: "subscribe-news", id, body });
    expect(await client.until((frame) => frame.id === id)).toMatchObject({
      frame: "error",
      body: { reason: "InvalidFrame" },
    });
  }
  client.send({ frame: "subscribe-news", id: 5, body: {} });
  expect(await client.until(({ id }) => id === 5)).toMatchObject({ frame: "accepted" });
  client.send({ frame: "subscribe-news", id: 6, body: { past: true } });
  expect(await client.until(({ id }) => id === 6)).toMatchObject({
    frame: "error",
    body: { reason: "InvalidFrame" },
  });
});

test("[CTL-19 AUTH-05] revoking a token ends the news of its sockets, and leaves no reader behind", async () => {
  await using ws = await openWsRig({ script: [] });
  const { clock } = ws.rig.world;
  const token = ws.mint();
  await using client = await ws.open({ token, query: "" });
  client.send({ frame: "subscribe-news" });
  await client.until(isReady);
  const { jti } = await ws.authority.verify(token, "loopback");
  await ws.authority.revoke(jti);
  expect(await client.closed).toEqual({ code: 4_401, reason: "TokenRevoked" });
  await settle();
  const waiting = clock.waiting;
  ws.rig.multiplexer.changed(ws.rig.session.logId);
  expect(clock.waiting).toBe(waiting); // nobody is told, so nothing is gathered
});

test("[CTL-19] a socket that takes nothing holds up no other, and gets the last states once it reads", async () => {
  await using ws = await openWsRig({ script: [] });
  const { clock } = ws.rig.world;
  await using stalled = new RawSocket(ws.port);
  stalled.write(upgradeRequest(ws.port, "/v1/ws", { "X-Harness-Token": ws.mint() }));
  await stalled.until((got) => got.includes("\r\n\r\n"));
  stalled.write(
    clientFrame(`{"frame":"handshake","id":0,"body":{"protocol_version":"${PROTOCOL_VERSION}"}}`),
  );
  await stalled.until((got) => got.includes('"handshake"'));
  stalled.stall();
  stalled.write(clientFrame('{"frame":"subscribe-news"}'));
  await using client = await ws.open({ query: "" });
  client.send({ frame: "subscribe-news" });
  await client.until(isReady);
  const made: string[] = [];
  for (let count = 0; count < 30; count++) {
    const { sessionId } = await ws.rig.connection.send({ kind: "CreateSession" });
    made.push(sessionId as string);
    await clock.advance(NEWS_INTERVAL_MS);
  }
  const named = (id: string) => client.frames.some(({ body }) => body["session"] === id);
  await until("the other to have all", async () => {
    await clock.advance(NEWS_INTERVAL_MS);
    return made.every(named);
  });
  stalled.resume();
  await stalled.until((got) => made.every((id) => got.includes(id)));
});
