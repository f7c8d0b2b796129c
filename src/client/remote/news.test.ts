import { expect, test } from "bun:test";
import { settle } from "../../../test/support/fake-clock.ts";
import { until } from "../../../test/support/until.ts";
import { openWsRig } from "../../../test/support/ws-rig.ts";
import type { LogId, SessionId } from "../../base/ids.ts";
import type { NewsItem } from "../../protocol/events/news.ts";
import type { SessionInfo } from "../../protocol/resources.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import { NEWS_WAITING_MAX, NewsQueue } from "./news-queue.ts";

const changed = (at: number, more: object = {}): NewsItem => {
  const [session, log] = [`sess_${at}` as SessionId, `log_${at}` as LogId];
  return { kind: "SessionChanged", session, info: { session, log, ...more } as SessionInfo };
};
const gone = (at: number): NewsItem => ({
  kind: "SessionGone",
  session: `sess_${at}` as SessionId,
  log: `log_${at}` as LogId,
});
const READY: NewsItem = { kind: "NewsReady" };

function all(queue: NewsQueue): readonly NewsItem[] {
  const items: NewsItem[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) items.push(item);
  return items;
}

test("[CTL-19] a queue of news has one item for each session, the newest, and is bounded", () => {
  const queue = new NewsQueue();
  for (let turn = 0; turn < 1_000; turn++) queue.push(changed(turn % 3, { turns: turn }));
  queue.push(gone(1)); // the reader never had it
  expect(all(queue)).toEqual([changed(0, { turns: 999 }), changed(2, { turns: 998 })]);
  queue.push(gone(2));
  expect(all(queue)).toEqual([gone(2)]);
  const full = new NewsQueue();
  for (let at = 0; at < NEWS_WAITING_MAX; at++) full.push(changed(at));
  expect(() => full.push(changed(NEWS_WAITING_MAX))).toThrow("4096");
});

test("[CTL-19] a session that the next socket does not name any more is gone before it is ready", () => {
  const queue = new NewsQueue();
  queue.restart();
  for (const item of [changed(0), changed(1), changed(2), READY]) queue.push(item);
  expect(all(queue).length).toBe(4);
  queue.push(changed(3)); // not taken before the socket breaks
  queue.restart();
  for (const item of [changed(1), READY]) queue.push(item);
  expect(all(queue)).toEqual([changed(1), gone(0), gone(2), READY]);
  queue.restart();
  queue.push(READY);
  expect(all(queue)).toEqual([gone(1), READY]);
});

test("[CTL-19 CTL-17] news over a connection that breaks begin again, with the end of what ended meanwhile", async () => {
  await using ws = await openWsRig({ script: [] });
  const open = new Set<WebSocket>();
  let isCut = false;
  await using connection = await ws.remote({
    openSocket(address, protocols) {
      const socket = new WebSocket(isCut ? "ws://127.0.0.1:1" : address, protocols);
      open.add(socket);
      socket.addEventListener("close", () => open.delete(socket));
      return socket;
    },
  });
  await connection.handshake(PROTOCOL_VERSION);
  const { id } = ws.rig.session;
  const { sessionId: other } = await ws.rig.connection.send({ kind: "CreateSession" });
  const leave = new AbortController();
  const items: NewsItem[] = [];
  const reading = (async () => {
    for await (const item of connection.news({ signal: leave.signal })) items.push(item);
  })();
  await until("the first list", () => items.at(-1)?.kind === "NewsReady");
  isCut = true;
  for (const socket of open) socket.close();
  await until("the wire to break", () => open.size === 0);
  await ws.rig.connection.send({ kind: "EndSession", sessionId: id });
  isCut = false;
  await until("the next list", () => items.filter(({ kind }) => kind === "NewsReady").length === 2);
  expect(items.slice(3)).toMatchObject([
    { kind: "SessionChanged", session: other as SessionId },
    { kind: "SessionGone", session: id },
    { kind: "NewsReady" },
  ]);
  leave.abort();
  await reading;
  await settle();
  await until("its socket to be let go of", () => open.size <= 1);
});

test("[CTL-19] news are refused for good where the token is revoked", async () => {
  await using ws = await openWsRig({ script: [] });
  const token = ws.mint();
  await using connection = await ws.remote({ token: () => token });
  await connection.handshake(PROTOCOL_VERSION);
  const news = connection.news({ signal: new AbortController().signal });
  const reading = (async () => {
    for await (const item of news)
      if (item.kind === "NewsReady")
        await ws.authority.revoke((await ws.authority.verify(token, "loopback")).jti);
  })();
  await expect(reading).rejects.toMatchObject({ reason: "TokenRevoked" });
});

test("[CTL-17 BUS-02] all sockets that come back to a restarted engine at once are one client there", async () => {
  await using first = await openWsRig({ script: [] });
  await using second = await openWsRig({ script: [] });
  const tokens = new Map([first, second].map((each) => [each, each.mint()]));
  let engine = first;
  const open = new Set<WebSocket>();
  const clients = new Set<unknown>();
  await using connection = await first.remote({
    token: () => tokens.get(engine) ?? "",
    openSocket(address, protocols) {
      const socket = new WebSocket(address.replace(`:${first.port}`, `:${engine.port}`), protocols);
      open.add(socket);
      socket.addEventListener("close", () => open.delete(socket));
      socket.addEventListener("message", ({ data }) => {
        const { frame, client } = JSON.parse(String(data)) as { frame?: string; client?: string };
        if (frame === "handshake" && engine === second) clients.add(client);
      });
      return socket;
    },
  });
  await connection.handshake(PROTOCOL_VERSION);
  const leave = new AbortController();
  let lists = 0;
  const reading = (async () => {
    for await (const { kind } of connection.news({ signal: leave.signal }))
      if (kind === "NewsReady") lists += 1;
  })();
  await until("the first list", () => lists === 1);
  engine = second;
  const ends = [...open].map((socket) => new Promise((resolve) => socket.addEventListener("close", resolve)));
  for (const socket of open) socket.close();
  await Promise.all(ends);
  await connection.query({ kind: "ListSessions", past: true, limit: 1 });
  await until("the next list", () => lists === 2);
  expect([...clients]).toEqual([connection.clientId]);
  leave.abort();
  await reading;
});
