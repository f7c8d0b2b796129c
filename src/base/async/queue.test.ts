import { expect, test } from "bun:test";
import { BoundedQueue } from "./queue.ts";

async function drained<Item>(queue: BoundedQueue<Item>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const item of queue) items.push(item);
  return items;
}

test("[ENG-08] a full queue says so and takes nothing more, until it is read or emptied", async () => {
  const queue = new BoundedQueue<number>(2);
  expect([queue.push(1), queue.push(2), queue.push(3)]).toEqual([true, true, false]);
  expect(queue.size).toBe(2);
  queue.clear();
  expect(queue.push(4)).toBe(true);
  queue.end();
  expect(await drained(queue)).toEqual([4]);
});

test("[ENG-08] a reader that waits gets what is pushed, in order, and its loop ends with the queue", async () => {
  const queue = new BoundedQueue<number>(10);
  const reading = drained(queue);
  for (const item of [1, 2, 3]) {
    queue.push(item);
    await Promise.resolve();
  }
  queue.end();
  expect(await reading).toEqual([1, 2, 3]);
});

test("a failed queue hands out what it holds before it throws, and the first failure counts", async () => {
  const queue = new BoundedQueue<number>(10);
  queue.push(1);
  queue.fail(new Error("first"));
  queue.fail(new Error("second"));
  const seen: number[] = [];
  const reading = (async () => {
    for await (const item of queue) seen.push(item);
  })();
  await expect(reading).rejects.toThrow("first");
  expect(seen).toEqual([1]);
});

test("leaving the loop closes the queue: later pushes are dropped and hold no memory", async () => {
  const queue = new BoundedQueue<number>(1);
  queue.push(1);
  for await (const _ of queue) break;
  expect([queue.push(2), queue.push(3), queue.size]).toEqual([true, true, 0]);
  expect(await drained(queue)).toEqual([]);
});

test("disposing a queue ends a reader that waits", async () => {
  const queue = new BoundedQueue<number>(1);
  const reading = drained(queue);
  queue[Symbol.dispose]();
  expect(await reading).toEqual([]);
});
