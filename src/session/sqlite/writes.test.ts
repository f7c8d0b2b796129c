import { expect, spyOn, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { event, LOG_KEY, newLog, says, texts } from "../../../test/support/store-rig.ts";
import { temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import type { NewLog } from "../store/store.ts";
import { StoreConnection } from "./connection.ts";
import { openSqliteStore } from "./open.ts";

const FRAME_BYTES = 4_096 + 24;
const ROUNDS = 40;
/** It was 23 when a round took two batches, and each call four trees. */
const PAGES_A_ROUND_MAX = 13;

const world = testWorld();

test("[PERF-01 SES-01] a new log is in the store with its first batch, in one transaction", async () => {
  await using place = await openPlace();
  const { store, log } = place;
  using transactions = spyOn(StoreConnection.prototype, "transaction");
  await using writer = await store.create(log, world.machine);
  expect(transactions.mock.calls.length).toBe(0);
  await writer.append({ events: texts(log.session, 1, ["a"]) }, "process");
  expect(transactions.mock.calls.length).toBe(1);
  expect(await store.find(log.logId)).toMatchObject({ lastEvent: 1 });
});

test("[SES-01 R37] a new log is there before its first batch for whoever asks this store, and has a holder", async () => {
  await using place = await openPlace();
  const { store, log } = place;
  await using writer = await store.create(log, world.machine);
  expect(await store.find(log.session)).toMatchObject({ logId: log.logId, lastEvent: 0 });
  expect((await store.list({ limit: 9 })).map(({ logId }) => logId)).toEqual([log.logId]);
  expect(writer.epoch).toBe(1);
  await using again = await openSqliteStore({ path: place.path, world, logKey: LOG_KEY });
  const opening = again.open(log.logId, world.ids.next("sess"), world.machine);
  await expect(opening).rejects.toMatchObject({ reason: "LogHeld" });
});

test("[SES-01 SES-07] a new log without a batch is kept when its writer is closed", async () => {
  await using place = await openPlace();
  const { store, log } = place;
  await (await store.create(log, world.machine))[Symbol.asyncDispose]();
  expect(await store.find(log.logId)).toMatchObject({ logId: log.logId, lastEvent: 0 });
});

test(`[PERF-02 PERF-05] a round that reads a page of a file writes at most ${PAGES_A_ROUND_MAX} pages of the store`, async () => {
  await using place = await openPlace();
  const { store, log, path } = place;
  await using writer = await store.create(log, world.machine);
  await writer.append({ events: texts(log.session, 1, ["a"]) }, "process");
  const before = statSync(`${path}-wal`).size;
  for (let round = 0; round < ROUNDS; round++) await writer.append(roundOf(log, 2 + 3 * round), "process");
  const pages = (statSync(`${path}-wal`).size - before) / FRAME_BYTES;
  expect(pages / ROUNDS).toBeLessThan(PAGES_A_ROUND_MAX);
});

/** One round with one call that reads sixty lines, as the bus appends it. */
function roundOf({ session, createdAt: at }: NewLog, id: number) {
  const callId = world.ids.next("call");
  const cost = { provider: "p", model: "m", inputTokens: 10, outputTokens: 10, usd: null, turn: 1 };
  const args = { file_path: "/project/source.txt", offset: id, limit: 60 };
  const lines = Array.from(
    { length: 60 },
    (_, line) => `${line}\texport const value${line} = compute(${id});`,
  );
  const content = [{ type: "text" as const, text: lines.join("\n") }];
  return {
    events: [
      event(session, id, { kind: "CostIncremented", payload: cost }),
      event(session, id + 1, {
        kind: "ToolCallStarted",
        payload: { callId, tool: "Read", args, mutating: false },
      }),
      event(session, id + 2, { kind: "ToolResult", payload: { callId, content } }),
    ],
    messages: [
      { after: id + 1, turn: 1, message: says("assistant", JSON.stringify(args)) },
      { after: id + 2, turn: 1, message: says("user", lines.join("\n")) },
    ],
    intents: [
      { callId, tool: "Read", argsHash: "0".repeat(64), summary: "Read", mutating: false, startedAt: at },
    ],
    outcomes: [{ callId, outcome: "ok" as const, completedAt: at }],
  };
}

async function openPlace() {
  const directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  const store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  return {
    store,
    path,
    log: newLog(world),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}
