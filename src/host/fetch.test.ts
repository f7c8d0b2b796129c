import { expect, test } from "bun:test";
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
  const started = performance.now();
  for (let round = 0; round < 3; round++) expect(await (await fetch(url, { signal })).text()).toBe("ok");
  expect(opened).toHaveLength(1);
  await closed.promise; // the runtime's own timer: no clock of ours moves it
  expect(performance.now() - started).toBeLessThan(9_500);
}, 15_000);

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
