import { expect, test } from "bun:test";
import type { Socket } from "node:net";
import { createServer } from "node:net";
import { ownMs } from "../../../test/support/own-time.ts";
import { hostFetch } from "./fetch.ts";

const signal = new AbortController().signal;

test("[PROV-12] one connection serves request after request, and is closed once it was idle for its time", async () => {
  const opened: number[] = [];
  const closed = Promise.withResolvers<void>();
  using server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open: () => void opened.push(1),
      data: (socket) => void socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"),
      close: () => closed.resolve(),
    },
  });
  const fetch = hostFetch(9);
  const url = `http://127.0.0.1:${server.port}/`;
  for (let round = 0; round < 3; round++) expect(await (await fetch(url, { signal })).text()).toBe("ok");
  expect(opened).toHaveLength(1);
  expect(await ownMs(() => closed.promise)).toBeLessThan(9_500); // the runtime's own timer: no clock of ours moves it
}, 300_000);

test("[PROV-12] files and data URLs are not fetched, and redirects are handed back", async () => {
  using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response(null, { status: 307, headers: { location: "http://127.0.0.1:1/" } }),
  });
  const fetch = hostFetch();
  await expect(fetch("file:///etc/hostname", { signal })).rejects.toThrow("cannot fetch a file: URL");
  await expect(fetch("data:text/plain,x", { signal })).rejects.toThrow("cannot fetch a data: URL");
  expect((await fetch(server.url.href, { signal })).status).toBe(307);
});

test("[PROV-12] a compressed answer is asked for, unless the caller says what it takes", async () => {
  using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ headers }) => new Response(headers.get("accept-encoding")),
  });
  const fetch = hostFetch();
  const askedWith = async (headers: Readonly<Record<string, string>>) =>
    await (await fetch(server.url.href, { signal, headers })).text();
  expect(await askedWith({})).toBe("gzip, br, zstd");
  expect(await askedWith({ "Accept-Encoding": "identity" })).toBe("identity");
});

test("[TOOL-04 S55] a request goes to the address it was given, under the name of its URL", async () => {
  using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => new Response(`${request.headers.get("host")} ${new URL(request.url).pathname}`),
  });
  const fetch = hostFetch();
  const url = `http://name.invalid:${server.port}/x`;
  const response = await fetch(url, { signal, address: "127.0.0.1" });
  expect(await response.text()).toBe(`name.invalid:${server.port} /x`);
});

test("[TOOL-04 S55] with TLS it is the URL's name that is asked for, on a connection of its own", async () => {
  const hellos: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.once("data", (hello) => {
      hellos.push(hello.toString("latin1")); // the name stands in it in the clear
      socket.destroy();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const fetch = hostFetch();
  for (const name of ["one.invalid", "two.invalid"]) {
    await expect(fetch(`https://${name}:${port}/`, { signal, address: "127.0.0.1" })).rejects.toThrow();
  }
  expect(hellos.map((hello) => /(?:one|two)\.invalid/.exec(hello)?.[0])).toEqual([
    "one.invalid",
    "two.invalid",
  ]);
  expect(sockets).toHaveLength(2);
  await new Promise((resolve) => server.close(resolve));
});
