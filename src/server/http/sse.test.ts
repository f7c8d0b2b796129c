import { expect, test } from "bun:test";
import { connect } from "node:net";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import { until } from "../../../test/support/until.ts";
import { SILENT_LOG } from "../../base/log.ts";
import { hostClock } from "../../platform/clock.ts";
import { hostListen } from "../../platform/sockets/listen.ts";
import { pulledBody, STALLED_MS_MAX, sseFrame } from "./sse.ts";

const MORE_THAN_SOCKETS_HOLD_BYTES = 16 * 1_048_576;

/** Resolves once a count has stood still over many turns of the event loop. */
async function settledAt(count: () => number): Promise<number> {
  for (let still = 0, last = -1; still < 200; still++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (count() !== last) still = 0;
    last = count();
  }
  return count();
}

test("[ENG-08 CTL-06] for a reader that stops no more is made than fits into its socket, and leaving it ends the making", async () => {
  const pieces = 2_000;
  const piece = sseFrame("x".repeat(64 * 1_024));
  let made = 0;
  const left = Promise.withResolvers<void>();
  async function* endless(): AsyncGenerator<string> {
    for (; made < pieces; made++) yield piece;
  }
  await using listening = await hostListen(SILENT_LOG)({
    target: { kind: "tcp", hostname: "127.0.0.1", port: 0 },
    handle: () =>
      new Response(pulledBody(endless(), { clock: hostClock, onLeave: left.resolve, failed: () => "" })),
  });
  const client = connect(Number(new URL(listening.address).port), "127.0.0.1");
  client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await new Promise((resolve) => client.once("data", resolve));
  client.pause();
  const stoodAt = await settledAt(() => made);
  expect(stoodAt).toBeLessThan(pieces / 4); // 130 MB do not fit between the two
  client.destroy();
  await left.promise;
  expect(await settledAt(() => made)).toBeLessThan(pieces / 2);
});

test("[ENG-08 CTL-06] a reader that takes nothing for two minutes is hung up on; one that reads, or has nothing to read, is not", async () => {
  const clock = fakeClock();
  const ended: string[] = [];
  const piece = sseFrame("x".repeat(64 * 1_024));
  const more = Promise.withResolvers<string>();
  async function* endless(name: string): AsyncGenerator<string> {
    try {
      for (;;) yield piece;
    } finally {
      ended.push(name);
    }
  }
  async function* quiet(): AsyncGenerator<string> {
    yield ": ok\n\n";
    yield await more.promise;
  }
  const left: string[] = [];
  const makers = {
    "/stalled": () => endless("/stalled"),
    "/reading": () => endless("/reading"),
    "/quiet": quiet,
  };
  await using listening = await hostListen(SILENT_LOG)({
    target: { kind: "tcp", hostname: "127.0.0.1", port: 0 },
    handle: ({ url }) => {
      const { pathname } = new URL(url);
      const make = makers[pathname as keyof typeof makers];
      return new Response(
        pulledBody(make(), { clock, onLeave: () => void left.push(pathname), failed: () => "" }),
      );
    },
  });
  const open = async (path: string) => {
    const socket = connect(Number(new URL(listening.address).port), "127.0.0.1");
    const client = {
      socket,
      bytes: 0,
      closed: new Promise<void>((done) => socket.on("close", () => done())),
    };
    socket.on("error", () => undefined); // a reset is a close
    socket.on("data", (chunk) => {
      client.bytes += chunk.length;
    });
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await new Promise((resolve) => socket.once("data", resolve));
    return client;
  };
  const [stalled, reading, still] = [await open("/stalled"), await open("/reading"), await open("/quiet")];
  stalled.socket.pause();
  // What the two sockets hold of it on their own may take a while to be full.
  await until("one is left", async () => {
    await clock.advance(STALLED_MS_MAX / 10);
    const before = reading.bytes;
    await until("the other one reads", () => reading.bytes > before + MORE_THAN_SOCKETS_HOLD_BYTES);
    return ended.length > 0;
  });
  expect([left, ended]).toEqual([["/stalled"], ["/stalled"]]);
  stalled.socket.resume();
  await stalled.closed;
  more.resolve("something at last");
  await until("the quiet one ends as it should", () => left.length === 2);
  expect(left).toEqual(["/stalled", "/quiet"]);
  for (const { socket } of [reading, still]) socket.destroy();
}, 60_000);

test("[CTL-06] a failure in the middle of a stream is sent in it, as an event of its own", async () => {
  async function* failing(): AsyncGenerator<string> {
    yield ": ok\n\n";
    throw new Error("the inner workings");
  }
  const failed = () => sseFrame({ reason: "InternalError" }, { event: "refused" });
  const body = pulledBody(failing(), { clock: hostClock, onLeave: () => undefined, failed });
  expect(await new Response(body).text()).toBe(
    ': ok\n\nevent: refused\ndata: {"reason":"InternalError"}\n\n',
  );
});
