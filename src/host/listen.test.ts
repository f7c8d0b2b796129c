import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { temporaryDirectory } from "../../test/support/world.ts";
import { SILENT } from "../base/log.ts";
import type { ListenOptions, ServerSocket } from "../base/world.ts";
import { hostListen } from "./listen.ts";

const UPGRADE =
  "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n";
const LOOPBACK = { kind: "tcp", hostname: "127.0.0.1", port: 0 } as const;

function listen(options: Omit<ListenOptions, "target"> & Partial<Pick<ListenOptions, "target">>) {
  return hostListen(SILENT)({ target: LOOPBACK, ...options });
}

test("[CTL-10] a Unix socket is its owner's alone from its first instant", async () => {
  await using place = temporaryDirectory();
  const path = join(place.path, "control.sock");
  await using listening = await listen({
    target: { kind: "unix", path },
    handle: () => new Response("here"),
  });
  expect(listening.address).toBe(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await (await fetch("http://localhost/", { unix: path })).text()).toBe("here");
});

test("[CTL-06] what a handler throws becomes a 500 that tells nothing, and is told in the operational log", async () => {
  const told: string[] = [];
  const log = {
    ...SILENT,
    for: () => ({
      ...SILENT,
      write: (_: unknown, __: unknown, fields?: object) => void told.push(JSON.stringify(fields)),
    }),
  };
  await using listening = await hostListen(log)({
    target: LOOPBACK,
    handle: () => {
      throw new Error("the inner workings");
    },
  });
  const response = await fetch(listening.address);
  expect([response.status, await response.text()]).toEqual([500, ""]);
  expect(told.join()).toContain("the inner workings");
});

test("[CTL-06] a body over the limit is refused before anybody reads it", async () => {
  let seen = 0;
  await using listening = await listen({
    bodyBytesMax: 1_000,
    handle: () => {
      seen += 1;
      return new Response("read");
    },
  });
  const response = await fetch(listening.address, { method: "POST", body: "x".repeat(1_001) });
  expect([response.status, seen]).toEqual([413, 0]);
});

test("[CTL-07] messages go both ways over a WebSocket, and both sides learn of its end", async () => {
  const closed = Promise.withResolvers<string>();
  await using listening = await listen({
    handle: () => ({
      protocol: "cinch.v1",
      webSocket: (socket: ServerSocket) => ({
        message: (data) => void socket.send(`heard ${String(data)}`),
        closed: () => closed.resolve("closed"),
      }),
    }),
  });
  const socket = new WebSocket(listening.address.replace("http", "ws"), "cinch.v1");
  const heard = Promise.withResolvers<string>();
  const over = Promise.withResolvers<void>();
  socket.onopen = () => socket.send("hello");
  socket.onmessage = ({ data }) => heard.resolve(String(data));
  socket.onclose = () => over.resolve();
  expect([await heard.promise, socket.protocol]).toEqual(["heard hello", "cinch.v1"]);
  socket.close();
  await over.promise;
  expect(await closed.promise).toBe("closed");
});

test("[CTL-07] a reader that stops holds its sender up, loses nothing, and costs no memory without bound", async () => {
  const opened = Promise.withResolvers<ServerSocket>();
  await using listening = await listen({
    handle: () => ({
      webSocket: (socket: ServerSocket) => {
        opened.resolve(socket);
        return { message: () => undefined, closed: () => undefined };
      },
    }),
  });
  // A WebSocket by hand, that reads only when it is told to.
  const port = Number(new URL(listening.address).port);
  const client = connect(port, "127.0.0.1");
  client.write(UPGRADE);
  const socket = await opened.promise;
  client.pause();
  const text = "x".repeat(64 * 1024);
  let sent = 0;
  const sending = (async () => {
    while (sent < 400 && (await socket.send(text))) sent += 1;
  })();
  const before = sent;
  await settledAt(() => sent);
  expect(sent).toBeGreaterThan(before);
  expect(sent).toBeLessThan(400); // held up: 25 MB do not fit between the two
  let bytes = 0;
  const all = Promise.withResolvers<void>();
  client.on("data", (chunk) => {
    bytes += chunk.length;
    if (bytes >= 400 * text.length) all.resolve();
  });
  client.resume();
  await Promise.all([sending, all.promise]);
  expect(sent).toBe(400);
  client.destroy();
});

/** Resolves once a count has stood still over many turns of the event loop. */
async function settledAt(count: () => number): Promise<void> {
  for (let still = 0, last = -1; still < 50; still++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (count() !== last) still = 0;
    last = count();
  }
}

test("[CTL-07 LIFE-02] what was sent has left before a socket counts as flushed: closing it and its listener then loses nothing", async () => {
  const opened = Promise.withResolvers<ServerSocket>();
  const listening = await listen({
    handle: () => ({
      webSocket: (socket: ServerSocket) => {
        opened.resolve(socket);
        return { message: () => undefined, closed: () => undefined };
      },
    }),
  });
  const client = connect(Number(new URL(listening.address).port), "127.0.0.1");
  client.write(UPGRADE);
  const socket = await opened.promise;
  client.pause();
  const text = "x".repeat(64 * 1024);
  let sent = 0;
  let isHeldUp = false;
  while (!isHeldUp) {
    const sending = socket.send(text).then(() => "sent");
    isHeldUp = (await Promise.race([sending, turns(50).then(() => "held up")])) === "held up";
    sent += 1; // also the one that waits: it is sent once there is room
  }
  let got = "";
  const over = new Promise<void>((resolve) => client.on("close", () => resolve()));
  client.on("data", (chunk) => {
    got += chunk.toString("latin1");
  });
  client.resume();
  await socket.flushed();
  socket.close(1_000, "that is all");
  await listening[Symbol.asyncDispose]();
  await over;
  expect(got.split("x".repeat(64 * 1024))).toHaveLength(sent + 1);
  expect(got).toEndWith("that is all");
});

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test("[CTL-07] sending to a socket that has closed says so, and does not wait", async () => {
  const opened = Promise.withResolvers<ServerSocket>();
  const over = Promise.withResolvers<void>();
  await using listening = await listen({
    handle: () => ({
      webSocket: (socket: ServerSocket) => {
        opened.resolve(socket);
        return { message: () => undefined, closed: () => over.resolve() };
      },
    }),
  });
  const client = new WebSocket(listening.address.replace("http", "ws"));
  const socket = await opened.promise;
  client.close();
  await over.promise;
  expect(await socket.send("too late")).toBe(false);
});
