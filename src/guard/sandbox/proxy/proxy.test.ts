import { describe, expect, test } from "bun:test";
import { connect as netConnect } from "node:net";
import { join } from "node:path";
import { array, asyncProperty, integer, property, string, uint8Array } from "fast-check";
import { holds } from "../../../../test/support/property.ts";
import { until } from "../../../../test/support/until.ts";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import { hostSockets } from "../../../platform/sockets/sockets.ts";
import type { ProxyRefusal } from "../../../session/guard/hosts.ts";
import { entryFor, parseHost, parseHostEntry } from "../../../session/guard/hosts.ts";
import { openProxy } from "./proxy.ts";
import { requestBody } from "./request-body.ts";
import { parseProxyRequest } from "./request-head.ts";

describe("[SBX-01 S55 S57] a host", () => {
  test("is a plain name or a plain address, whatever byte stands in it", () => {
    for (let byte = 0; byte < 256; byte += 1) {
      const character = String.fromCharCode(byte);
      const inside = parseHost(`evil.example${character}.allowed.example`);
      if (/[a-z0-9._-]/i.test(character)) continue;
      expect([byte, inside]).toEqual([byte, undefined]);
      expect(
        parseProxyRequest(`CONNECT evil.example${character}.allowed.example:443 HTTP/1.1\r\n`),
      ).toBeUndefined();
    }
  });

  test("has one spelling: numbers in other notations are none", () => {
    const names = [
      "2130706433",
      "0x7f000001",
      "127.1",
      "0177.0.0.1",
      "127.0.0.1.",
      "1.2.3.256",
      "01.2.3.4",
      "a..b",
      "-a.b",
      "a-.b",
    ];
    expect(names.map(parseHost)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      "127.0.0.1",
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(parseHost("[::FFFF:1.2.3.4]")).toBe("[::ffff:102:304]");
    expect(parseHost("Example.COM.")).toBe("example.com");
  });

  test("of a list lets through itself, or what is below it, at the ports of the web", () => {
    const entries = ["allowed.example", "*.wide.example", "api.example:8443"].map((text) => {
      const entry = parseHostEntry(text);
      if ("problem" in entry) throw new Error(entry.problem);
      return entry;
    });
    const through = (host: string, port = 443) => entryFor(entries, host, port)?.text;
    expect(through("allowed.example")).toBe("allowed.example");
    expect(through("allowed.example", 80)).toBe("allowed.example");
    expect(through("a.b.wide.example")).toBe("*.wide.example");
    expect(through("api.example", 8443)).toBe("api.example:8443");
    for (const [host, port] of [
      ["allowed.example.evil", 443],
      ["evilallowed.example", 443],
      ["sub.allowed.example", 443],
      ["wide.example", 443],
      ["evilwide.example", 443],
      ["allowed.example", 22],
      ["api.example", 443],
      ["1.2.3.4", 443],
    ] as const) {
      expect([host, port, through(host, port)]).toEqual([host, port, undefined]);
    }
  });

  test("entries that are invalid, or open everything, are refused with the reason", () => {
    for (const text of [
      "",
      "*",
      "*.com",
      "https://a.example",
      "a.example/x",
      "a b",
      "*.1.2.3.4",
      "a.example:0",
      "a.example:99999",
      "user@a.example",
    ]) {
      expect(parseHostEntry(text)).toHaveProperty("problem");
    }
  });
});

test("[S57] the head of a request is read whole or not at all", async () => {
  expect(
    parseProxyRequest(
      "GET http://A.example:8080/x?y HTTP/1.1\r\nHost: evil\r\nProxy-Authorization: x\r\nX-A: b",
    ),
  ).toEqual({
    kind: "forward",
    host: "a.example",
    port: 8080,
    head: "GET /x?y HTTP/1.1\r\nHost: A.example:8080\r\nConnection: close\r\nX-A: b\r\n\r\n",
    body: { kind: "none" },
  });
  const bad = [
    "GET / HTTP/1.1",
    "CONNECT a.example HTTP/1.1",
    "GET https://a.example/ HTTP/1.1",
    "GET http://u@a.example/ HTTP/1.1",
    "GET http://a.example/ HTTP/1.1\r\nX: a\nY: b",
    "GET http://a.example\\@evil/ HTTP/1.1",
    "get http://a.example/ HTTP/1.1",
    "CONNECT u@a.example:443 HTTP/1.1",
    "CONNECT [::1%25lo]:443 HTTP/1.1",
    "CONNECT a.example:443:80 HTTP/1.1",
    "CONNECT a.example:0 HTTP/1.1",
    "GET http://a.example/ HTTP/1.1\r\nX-A: b\r\n continued",
    "GET http://a.example/ HTTP/1.1\r\nContent-Length : 3",
    ...[
      "Content-Length: 3\r\nContent-Length: 3",
      "Content-Length: +3",
      "Content-Length: 3, 3",
      "Transfer-Encoding: chunked\r\nContent-Length: 3",
      "Transfer-Encoding: gzip, chunked",
      "Transfer-Encoding: identity",
    ].map((fields) => `POST http://a.example/ HTTP/1.1\r\n${fields}`),
    "POST http://a.example/ HTTP/1.0\r\nTransfer-Encoding: chunked",
  ];
  expect(bad.map(parseProxyRequest)).toEqual(bad.map(() => undefined));
  await holds(
    property(string({ unit: "binary" }), (text) => {
      const read = parseProxyRequest(text);
      if (read === undefined) return true;
      return parseHost(read.host) === read.host && read.port > 0 && read.port < 65_536;
    }),
  );
});

describe("[SBX-01 S55] the proxy", () => {
  interface Edge {
    /** Addresses that take no connection. */
    readonly dead?: readonly string[];
  }
  async function rig(
    hosts: readonly string[],
    addresses: Readonly<Record<string, readonly string[]>> = {},
    { dead = [] }: Edge = {},
  ) {
    const directory = temporaryDirectory();
    const path = join(directory.path, "proxy");
    const connections: string[] = [];
    const lookedUp: string[] = [];
    const resolve = (host: string) => {
      lookedUp.push(host);
      return Promise.resolve(addresses[host] ?? []);
    };
    const asked: string[] = [];
    /** Bytes written to servers, read or not. */
    const passed: string[] = [];
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        const said = `${request.headers.get("host")} ${new URL(request.url).pathname}`;
        asked.push(`${said} ${await request.text()}`.trim());
        return new Response(said);
      },
    });
    const { port } = server;
    const sockets = {
      listen: hostSockets.listen,
      connect: (address: string, wanted: number, signal: AbortSignal) => {
        connections.push(`${address}:${wanted}`);
        if (dead.includes(address)) return Promise.reject(new Error("refused"));
        return hostSockets.connect("127.0.0.1", port ?? 0, signal).then((server) => {
          const write = server.write.bind(server);
          const recorded = (chunk: Uint8Array | string) => {
            passed.push(String(chunk));
            return write(chunk);
          };
          return Object.assign(server, { write: recorded });
        });
      },
    };
    const refused: string[] = [];
    const onRefused = ({ why }: ProxyRefusal) => void refused.push(why);
    const world = testWorld({ resolve });
    const proxy = await openProxy({ world, sockets, path, hosts, onRefused });
    return {
      connections,
      refused,
      lookedUp,
      asked,
      passed,
      path,
      clock: world.clock,
      async send(text: string): Promise<string> {
        const { promise, resolve, reject } = Promise.withResolvers<string>();
        let said = "";
        const socket = netConnect({ path }).on("error", reject);
        socket.on("data", (chunk) => {
          said += String(chunk);
        });
        socket.on("close", () => resolve(said));
        socket.write(text);
        return await promise;
      },
      async [Symbol.asyncDispose]() {
        await proxy[Symbol.asyncDispose]();
        await server.stop(true);
        await directory[Symbol.asyncDispose]();
      },
    };
  }
  const get = (host: string) => `GET http://${host}/x HTTP/1.1\r\n\r\n`;
  const tunnel = (host: string) =>
    `CONNECT ${host}:443 HTTP/1.1\r\n\r\nGET /y HTTP/1.1\r\nHost: inner\r\nConnection: close\r\n\r\n`;

  test("lets a listed host through, to the address that it looked at", async () => {
    await using at = await rig(["allowed.example"], { "allowed.example": ["10.0.0.1", "93.184.216.34"] });
    expect(await at.send(get("allowed.example"))).toEndWith("allowed.example /x");
    const through = await at.send(tunnel("allowed.example"));
    expect(through).toStartWith("HTTP/1.1 200 ");
    expect(through).toEndWith("inner /y");
    expect(at.connections).toEqual(["93.184.216.34:80", "93.184.216.34:443"]);
  });

  test("lets nothing else through, and says so", async () => {
    const addresses = {
      "private.example": ["192.168.1.1", "169.254.169.254", "::1"],
      "other.example": ["1.1.1.1"],
      localhost: ["127.0.0.1"],
    };
    await using at = await rig(["private.example", "*.wide.example"], addresses);
    for (const host of [
      "private.example",
      "other.example",
      "localhost",
      "127.0.0.1",
      "[::1]",
      "169.254.169.254",
    ]) {
      expect(await at.send(get(host))).toStartWith("HTTP/1.1 403 ");
      expect(await at.send(tunnel(host))).toStartWith("HTTP/1.1 403 ");
    }
    const why = "cinch: private.example has the address 192.168.1.1, which is not public";
    const refused = await at.send(tunnel("private.example"));
    expect(refused).toStartWith(`HTTP/1.1 403 ${why}\r\nX-Cinch-Refused: ${why}\r\n`);
    expect(refused).toEndWith(`\r\n\r\n${why}\n`);
    expect(`cinch: ${at.refused.at(-1)}`).toBe(why);
    expect(await at.send("nonsense\r\n\r\n")).toStartWith("HTTP/1.1 400 ");
    expect(await at.send(`GET http://a/ HTTP/1.1\r\nX: ${"a".repeat(20_000)}`)).toStartWith("HTTP/1.1 431 ");
    const long = `GET http://a/ HTTP/1.1\r\nX: ${"a".repeat(20_000)}\r\n\r\n`;
    expect(await at.send(long)).toStartWith("HTTP/1.1 431 ");
    expect(at.connections).toEqual([]);
  });

  test("with an empty or broken list lets nothing through", async () => {
    for (const hosts of [[], ["*"], ["https://allowed.example"]]) {
      await using at = await rig(hosts, { "allowed.example": ["93.184.216.34"] });
      expect(await at.send(get("allowed.example"))).toStartWith("HTTP/1.1 403 ");
      expect(at.connections).toEqual([]);
    }
  });

  test("reaches this machine only where the list names it, then at every port, and asks nobody where that is", async () => {
    await using at = await rig(["localhost", "127.0.0.1", "[::1]:80", "10.0.0.7"], {
      localhost: ["203.0.113.9"],
    });
    for (const host of ["localhost", "127.0.0.1:5173", "LocalHost.:3000", "[::1]", "10.0.0.7"])
      expect([host, await at.send(get(host))]).toEqual([host, expect.stringMatching(/\/x$/)]);
    expect(at.connections).toEqual([
      "127.0.0.1:80",
      "127.0.0.1:5173",
      "127.0.0.1:3000",
      "::1:80",
      "10.0.0.7:80",
    ]);
    expect(at.lookedUp).toEqual([]);
    for (const host of ["[::1]:81", "127.0.0.2", "10.0.0.7:22", "10.0.0.8", "[::ffff:127.0.0.1]", "0.0.0.0"])
      expect([host, await at.send(get(host))]).toEqual([host, expect.stringMatching(/^HTTP\/1.1 403 /)]);
    await using one = await rig(["localhost:80"]);
    expect(await one.send(get("localhost:81"))).toStartWith("HTTP/1.1 403 ");
  });

  test("[S57] a listed name that leads to this machine or network stays closed, however often it is asked for", async () => {
    const addresses = {
      "rebound.example": ["127.0.0.1", "::1", "10.0.0.1", "::ffff:127.0.0.1", "fe80::1%lo"],
    };
    await using at = await rig(["rebound.example", "app.localhost", "127.0.0.1"], addresses);
    for (const host of ["rebound.example", "rebound.example", "app.localhost"])
      expect(await at.send(tunnel(host))).toStartWith("HTTP/1.1 403 ");
    expect(at.connections).toEqual([]);
    // Looked up once for a request: what was looked at is what is connected to.
    expect(at.lookedUp).toEqual(["rebound.example", "rebound.example", "app.localhost"]);
  });

  test("tries each public address of one look, and no other", async () => {
    const addresses = { "two.example": ["10.0.0.1", "1.1.1.1", "1.0.0.1"] };
    await using at = await rig(["two.example"], addresses, { dead: ["1.1.1.1"] });
    expect(await at.send(get("two.example"))).toEndWith("/x");
    expect(at.connections).toEqual(["1.1.1.1:80", "1.0.0.1:80"]);
    expect(at.lookedUp).toEqual(["two.example"]);
  });

  test("[S57] passes on one request for a connection: what comes behind it reaches no host", async () => {
    const addresses = { "one.example": ["1.1.1.1"], "two.example": ["1.0.0.1"] };
    const second = "GET http://two.example/second HTTP/1.1\r\nHost: two.example\r\nX-Key: secret\r\n\r\n";
    const bodies = [
      ["", "", ""],
      ["Content-Length: 5\r\n", "hello", "hello"],
      ["Transfer-Encoding: chunked\r\n", "5;a=b\r\nhello\r\n1\r\n!\r\n0\r\n\r\n", "hello!"],
    ] as const;
    for (const [fields, sent, read] of bodies) {
      await using at = await rig(["one.example", "two.example"], addresses);
      const first = `POST http://one.example/x HTTP/1.1\r\n${fields}\r\n${sent}`;
      const said = await at.send(first + second);
      expect(said).toEndWith("one.example /x");
      expect(said.match(/HTTP\/1\.1 /g)).toHaveLength(1);
      expect(at.asked).toEqual([`one.example /x ${read}`.trim()]);
      expect(at.connections).toEqual(["1.1.1.1:80"]);
      expect(at.passed.join("")).not.toContain("second");
    }
  });

  test("[S57] an invalid chunk ends the connection", async () => {
    const addresses = { "one.example": ["1.1.1.1"] };
    for (const sent of ["x\r\n", "5\nhello\r\n", "5\r\nhelloo\r\n0\r\n\r\n", `${"0".repeat(2_000)}`]) {
      await using at = await rig(["one.example"], addresses);
      await at.send(`POST http://one.example/x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n${sent}`);
      expect(at.asked).toEqual([]);
    }
  });

  test("[S57] has an answer for one connection too many, and room again when others go", async () => {
    await using at = await rig(["one.example"], { "one.example": ["1.1.1.1"] });
    const idle = Array.from({ length: 128 }, () =>
      netConnect({ path: at.path }).on("error", () => undefined),
    );
    await Promise.all(idle.map((socket) => new Promise<void>((taken) => socket.on("connect", taken))));
    expect(await at.send(get("one.example"))).toStartWith("HTTP/1.1 503 ");
    for (const socket of idle) socket.destroy();
    await until("room", async () => (await at.send(get("one.example"))).endsWith("/x"));
  });

  test("[S57] a client that is slow with the head of a request is disconnected", async () => {
    await using at = await rig(["one.example"]);
    const { promise, resolve } = Promise.withResolvers<void>();
    const socket = netConnect({ path: at.path }).on("error", () => undefined);
    socket.on("close", () => resolve()).resume();
    socket.write("GET http://one.example/ HTTP/1.1\r\nX: ");
    await until("the wait for it", () => at.clock.waiting > 0);
    await at.clock.advance(30_000);
    await promise;
    expect(at.connections).toEqual([]);
  });
});

test("[S57] a body ends where it ends, in whatever pieces it comes", async () => {
  await holds(
    asyncProperty(
      array(uint8Array({ minLength: 1, maxLength: 40 })),
      integer({ min: 1, max: 9 }),
      async (chunks, step) => {
        const parts = chunks.map((chunk) => [
          Buffer.from(`${chunk.length.toString(16)}\r\n`),
          Buffer.from(chunk),
          Buffer.from("\r\n"),
        ]);
        const own = Buffer.concat([...parts.flat(), Buffer.from("0\r\n\r\n")]);
        const all = Buffer.concat([own, Buffer.from("GET / HTTP/1.1\r\n\r\n")]);
        const body = requestBody({ kind: "chunked" });
        const read: Buffer[] = [];
        body.on("data", (chunk: Buffer) => read.push(chunk));
        for (let at = 0; at < all.length; at += step) body.write(all.subarray(at, at + step));
        const { promise, resolve } = Promise.withResolvers<void>();
        body.end(resolve);
        await promise;
        return Buffer.concat(read).equals(own);
      },
    ),
  );
});
