import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import type { Connection } from "../src/protocol/connection.ts";
import { connect, openPlace } from "./support/place.ts";

const BATCH = 20;
/** Objects that one further idle session may keep. It needs 1,450: a leak of a third shows, noise does not. */
const OBJECTS_MAX = 2_000;
const BYTES_MAX = 256 * 1024;

interface Heap {
  readonly objects: number;
  readonly bytes: number;
}

/** Returns the reachable objects after two full collections, because the first one leaves objects with a finaliser. */
function heap(): Heap {
  Bun.gc(true);
  Bun.gc(true);
  const { objectCount, heapSize } = heapStats();
  return { objects: objectCount, bytes: heapSize };
}

async function grownBy(connection: Connection, sessions: number): Promise<Heap> {
  const before = heap();
  for (let at = 0; at < sessions; at++)
    await connection.send({ kind: "CreateSession", profile: "default", model: "mock:test-1" });
  const after = heap();
  return {
    objects: (after.objects - before.objects) / sessions,
    bytes: (after.bytes - before.bytes) / sessions,
  };
}

// What one run and an idle engine take of the machine is measured by `npm run bench -- --only memory`.
test("[PERF-03] each further session of an engine takes a bounded and even part of the heap", async () => {
  await using place = openPlace();
  await using harness = await place.open();
  const connection = await connect(harness);
  await grownBy(connection, BATCH); // what is loaded and compiled with the first ones
  const batches: Heap[] = [];
  for (let at = 0; at < 3; at++) batches.push(await grownBy(connection, BATCH));
  for (const { objects, bytes } of batches)
    expect({ objects: objects < OBJECTS_MAX, bytes: bytes < BYTES_MAX }).toEqual({
      objects: true,
      bytes: true,
    });
  // A batch in which objects of an earlier one are collected keeps fewer: the last is compared with the largest.
  const last = batches.at(-1)?.objects ?? 0;
  expect(last / Math.max(...batches.slice(0, -1).map(({ objects }) => objects))).toBeLessThan(1.2);
});
