import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { temporaryDirectory } from "../../../test/support/world.ts";
import { SILENT_LOG } from "../../base/log.ts";
import type { ListenOptions, ServerSocket } from "../../base/world.ts";
import { hostListen } from "./listen.ts";

const UPGRADE =
  "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n";
const LOOPBACK = { kind: "tcp", hostname: "127.0.0.1", port: 0 } as const;

function listen(options: Omit<ListenOptions, "target"> & Partial<Pick<ListenOptions, "target">>) {
  return hostListen(SILENT_LOG)({ target: LOOPBACK, ...options });
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

test("[CTL-10] a port that is listened at already is not shared", async () => {
  await using first = await listen({ handle: () => new Response("first") });
  const port = Number(new URL(first.address).port);
  const second = listen({ target: { ...LOOPBACK, port }, handle: () => new Response("second") });
  await expect(second).rejects.toMatchObject({ code: "EADDRINUSE" });
  expect(await (await fetch(first.address)).text()).toBe("first");
});

test("[CTL-06] an exception of a handler becomes a 500 without details, and is written to the operational log", async () => {
  const told: string[] = [];
  const log = {
    ...SILENT_LOG,
    for: () => ({
      ...SILENT_LOG,
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

test("[CTL-07] a peer that answers no ping, and one that takes nothing in, are let go of; one that answers stays", async () => {
  const closed: string[] = [];
  const flooded = Promise.withResolvers<ServerSocket>();
  await using listening = await listen({
    socketIdleMsMax: 16_000,
    handle: ({ url }) => ({
      webSocket(socket: ServerSocket) {
        const { pathname } = new URL(url);
        if (pathname === "/flooded") flooded.resolve(socket);
        return {
          message: (data) => void socket.send(`heard ${String(data)}`),
          closed: () => void closed.push(pathname),
        };
      },
    }),
  });
  const port = Number(new URL(listening.address).port);
  const over = ["/silent", "/flooded"].map((path) => {
    const peer = connect(port, "127.0.0.1");
    peer.on("error", () => undefined); // a reset is a close
    peer.on("data", () => undefined); // it reads, and answers nothing
    peer.write(UPGRADE.replace("GET /", `GET ${path}`));
    if (path === "/flooded") peer.pause();
    return new Promise<void>((resolve) => peer.on("close", () => resolve()));
  });
  const answering = new WebSocket(`ws://127.0.0.1:${port}/answering`);
  const heard = Promise.withResolvers<string>();
  answering.onmessage = ({ data }) => heard.resolve(String(data));
  await new Promise((resolve) => {
    answering.onopen = resolve;
  });
  const socket = await flooded.promise;
  while (await socket.send("x".repeat(64 * 1024)));
  await over[0];
  answering.send("still here");
  expect(await heard.promise).toBe("heard still here");
  expect(closed.toSorted()).toEqual(["/flooded", "/silent"]);
  answering.close();
}, 120_000);

test("[CTL-06] a connection that asks for nothing, for nothing more, or never ends its request is closed after a while", async () => {
  await using listening = await listen({ idleMsMax: 1_000, handle: () => new Response("here") });
  const port = Number(new URL(listening.address).port);
  const whole = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const closings = ["", "GET / HTTP/1.1\r\nHost: local", whole].map(async (bytes) => {
    const peer = connect(port, "127.0.0.1");
    let got = "";
    peer.on("data", (chunk) => {
      got += chunk.toString("latin1");
    });
    peer.write(bytes);
    await new Promise((resolve) => peer.on("close", resolve));
    return got.slice(-4);
  });
  expect(await Promise.all(closings)).toEqual(["", "", "here"]);
  expect(await (await fetch(listening.address)).text()).toBe("here");
}, 120_000);
