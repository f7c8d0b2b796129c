import { expect, test } from "bun:test";
import { Readable } from "node:stream";
import {
  brotliCompressSync,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import { codeOf } from "../../base/world.ts";
import { connectionError, describeNetworkError } from "../../providers/http/connection-error.ts";
import { DAMAGED_ENCODING, decodeBody } from "./decode-body.ts";
import { hostFetch } from "./fetch.ts";

const { signal } = new AbortController();
const TEXT = 'data: {"said":"hello"}\n\n'.repeat(5_000);
const ENCODINGS = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync };

/** `/gzip` is whole, `/gzip/cut` has half of its bytes, `/gzip/junk` is something else. */
function serve(): Bun.Server<undefined> {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch({ url }) {
      const [, encoding = "", how] = new URL(url).pathname.split("/");
      const whole = ENCODINGS[encoding as keyof typeof ENCODINGS](TEXT);
      const bytes =
        how === "cut" ? whole.subarray(0, whole.length >> 1) : how === "junk" ? Buffer.from("junk") : whole;
      return new Response(new Uint8Array(bytes), {
        headers: { "content-encoding": encoding, "content-type": "text/event-stream" },
      });
    },
  });
}

test("[PROV-12] a compressed answer is read as it was before, whichever encoding a server picks", async () => {
  using server = serve();
  const fetch = hostFetch();
  for (const encoding of Object.keys(ENCODINGS)) {
    const answer = await fetch(new URL(`/${encoding}`, server.url).href, { signal });
    expect([encoding, answer.status, answer.headers.get("content-type")]).toEqual([
      encoding,
      200,
      "text/event-stream",
    ]);
    expect(answer.headers.get("content-encoding")).toBeNull();
    expect(await answer.text()).toBe(TEXT);
  }
});

test("[PROV-12] deflate is read with zlib's header and without it, however it is cut into pieces", async () => {
  const wholes = [TEXT, ""].flatMap((text) =>
    [1, 6, 9].flatMap((level) => [
      { text, whole: deflateSync(text, { level }) },
      { text, whole: deflateRawSync(text, { level }) },
    ]),
  );
  for (const { text, whole } of wholes)
    for (const size of [1, 7, whole.length]) {
      const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
        whole.subarray(at * size, (at + 1) * size),
      );
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          const piece = pieces.shift();
          if (piece === undefined) controller.close();
          else controller.enqueue(new Uint8Array(piece));
        },
      });
      const answer = new Response(body, { headers: { "content-encoding": "deflate" } });
      expect(await decodeBody(answer, undefined).text()).toBe(text);
    }
});

test("[PROV-12] one that is cut short, or is something else, fails in plain words", async () => {
  using server = serve();
  const fetch = hostFetch();
  for (const encoding of Object.keys(ENCODINGS)) {
    for (const how of ["cut", "junk"]) {
      const url = new URL(`/${encoding}/${how}`, server.url).href;
      const answer = await fetch(url, { signal });
      const thrown: unknown = await answer.text().then(
        (text) => text,
        (error: unknown) => error,
      );
      expect([encoding, how, codeOf(thrown)]).toEqual([encoding, how, DAMAGED_ENCODING]);
      expect(describeNetworkError(thrown)).toBe("its compressed answer was cut short or is damaged");
      expect(connectionError(thrown, "p", url)).toMatchObject({ transient: true });
    }
  }
});

test("[PROV-12] the runtime prints nothing of it", async () => {
  using server = serve();
  const code = `
    import { hostFetch } from "${import.meta.dir}/fetch.ts";
    const { signal } = new AbortController();
    for (const path of ["gzip/cut", "br/junk"])
      await (await hostFetch()("${server.url.href}" + path, { signal })).text().catch(() => console.log("failed"));
  `;
  const child = Bun.spawn([process.execPath, "-e", code], { stdout: "pipe", stderr: "pipe" });
  const said = await Promise.all([child.stdout, child.stderr].map((each) => new Response(each).text()));
  expect(said).toEqual(["failed\nfailed\n", ""]);
});

test("[PROV-12] a compressed stream is read piece by piece, as its server flushes it", async () => {
  const gzip = createGzip();
  const pieces = Readable.toWeb(gzip) as unknown as ReadableStream<Uint8Array>;
  using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response(pieces, { headers: { "content-encoding": "gzip" } }),
  });
  const flush = (text: string) =>
    new Promise<void>((resolve) => gzip.write(text, () => gzip.flush(() => resolve())));
  await flush("data: one\n\n");
  const answer = await hostFetch()(server.url.href, { signal });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toBe("data: one\n\n");
  await flush("data: two\n\n");
  expect((await reader?.read())?.value).toBe("data: two\n\n");
  gzip.end();
  expect((await reader?.read())?.done).toBe(true);
});
