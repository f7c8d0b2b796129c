import { expect, test } from "bun:test";
import { fakeClock, settle } from "../../../../test/support/fake-clock.ts";
import { BATCH_MS, BatchReader, UNWATCHED_BATCH_MS } from "./batch-reader.ts";

test("[CRED-03 PERF-02] a body is handed on at once after a pause, and what follows closely goes together; none is lost", async () => {
  const clock = fakeClock();
  const { stream, write } = openBody();
  using pieces = new BatchReader(stream.getReader(), { clock });
  const read = async () =>
    new TextDecoder().decode((await pieces.next()) ?? new TextEncoder().encode("(end)"));
  const say = (text: string) => write.enqueue(new TextEncoder().encode(text));
  say("a");
  expect(await read()).toBe("a");
  say("b");
  const together = read();
  await clock.advance(5);
  say("c");
  await settle(); // a timer never fires before what is there already is read
  await clock.advance(BATCH_MS);
  expect(await together).toBe("bc");
  await clock.advance(BATCH_MS);
  say("d");
  expect(await read()).toBe("d");
  say("e");
  write.close();
  expect([await read(), await read()]).toEqual(["e", "(end)"]);
});

test("[PERF-02] the end of a body, its failure, and enough bytes end the wait for more", async () => {
  const clock = fakeClock();
  const { stream, write } = openBody();
  using pieces = new BatchReader(stream.getReader(), { clock });
  write.enqueue(Uint8Array.of(1));
  expect(await pieces.next()).toEqual(Uint8Array.of(1));
  const many = pieces.next();
  write.enqueue(new Uint8Array(40_000));
  write.enqueue(new Uint8Array(40_000));
  expect(await many).toHaveLength(80_000);
  const last = pieces.next();
  write.enqueue(Uint8Array.of(2));
  await settle();
  write.error(new Error("reset"));
  await expect(last).resolves.toEqual(Uint8Array.of(2));
  await expect(pieces.next()).rejects.toThrow("reset");
});

test("[PERF-02] an answer that nobody watches is gathered for longer, and its end still ends the wait", async () => {
  const clock = fakeClock();
  const { stream, write } = openBody();
  using pieces = new BatchReader(stream.getReader(), { clock, isUnwatched: true });
  write.enqueue(Uint8Array.of(1));
  expect(await pieces.next()).toEqual(Uint8Array.of(1));
  let isThere = false;
  const together = pieces.next().finally(() => {
    isThere = true;
  });
  write.enqueue(Uint8Array.of(2));
  await settle();
  await clock.advance(UNWATCHED_BATCH_MS - 1);
  expect(isThere).toBe(false);
  write.enqueue(Uint8Array.of(3));
  await settle();
  await clock.advance(1);
  expect(await together).toEqual(Uint8Array.of(2, 3));
  const last = pieces.next();
  write.enqueue(Uint8Array.of(4));
  write.close();
  expect([await last, await pieces.next()]).toEqual([Uint8Array.of(4), undefined]);
});

/** A body that the test writes. */
function openBody() {
  let write: ReadableStreamDefaultController<Uint8Array> | undefined;
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      write = controller;
    },
  });
  if (write === undefined) throw new Error("a stream starts at once");
  return { stream, write };
}
