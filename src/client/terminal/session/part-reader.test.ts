import { expect, test } from "bun:test";
import { CLIENT, FakeConnection, SESSION } from "../../../../test/support/fake-connection.ts";
import type { Event } from "../../../protocol/events/events.ts";
import { PartReader } from "./part-reader.ts";
import { ShownLog } from "./shown-log.ts";

/** Events of the log, three for each turn. None of them is in the transcript. */
const EVENTS = 3_000;

function openReader() {
  const connection = new FakeConnection();
  for (let turn = 1; turn <= EVENTS / 3; turn += 1) {
    const content = [{ type: "text" as const, text: `prompt ${turn}` }];
    connection.publish({ kind: "TurnStarted", payload: { turn, originator: CLIENT, content } } as Event);
    connection.publish({ kind: "TextDelta", payload: { text: "done" } } as Event);
    connection.publish({ kind: "TurnEnded", payload: { turn, reason: "complete" } } as Event);
  }
  const log = new ShownLog();
  log.beginBehind(EVENTS, []);
  const leave = new AbortController();
  const refused: unknown[] = [];
  let completed = 0;
  let failure: Error | undefined;
  const parts = new PartReader({
    session: SESSION,
    log,
    async connection() {
      if (failure !== undefined) throw failure;
      return connection;
    },
    signal: leave.signal,
    completed: () => {
      completed += 1;
    },
    refused: (thrown) => void refused.push(thrown),
  });
  const fail = (error: Error | undefined) => {
    failure = error;
  };
  return { connection, log, parts, leave, refused, fail, completed: () => completed };
}

test("[TUI-10] the page at a place of a part comes back, read once however often it is asked for", async () => {
  const { connection, log, parts, completed } = openReader();
  await Promise.all([parts.readBack(1, "end"), parts.readBack(1, "end")]);
  expect([connection.subscriptions, completed()]).toEqual([[2_000], 1]);
  const [rest, page] = log.transcript.segments;
  expect([rest?.first, rest?.items]).toEqual([1, undefined]);
  expect(page?.items?.[0]).toMatchObject({ kind: "prompt" });
  await parts.readBack(page?.first ?? 0, "end");
  expect(completed()).toBe(1);
});

test("[TUI-10] a part that could not be read is reported once, and read again only after a retry", async () => {
  const { parts, refused, fail, completed } = openReader();
  const error = new Error("the connection is gone");
  fail(error);
  for (let frame = 0; frame < 3; frame += 1) await parts.readBack(1, "end");
  expect(refused).toEqual([error]);
  await expect(parts.pageOf({ first: 1, last: EVENTS }, "end")).rejects.toBe(error);
  fail(undefined);
  await parts.readBack(1, "end");
  expect(completed()).toBe(0);
  parts.retry();
  await parts.readBack(1, "end");
  expect(completed()).toBe(1);
});

test("[TUI-10] a page that comes once another session is shown changes nothing", async () => {
  const { log, parts, leave, refused, completed } = openReader();
  const { transcript } = log;
  const reads = [parts.readBack(1, "end"), parts.pageOf({ first: 1, last: EVENTS }, "start")];
  leave.abort();
  expect(await Promise.all(reads)).toEqual([undefined, undefined]);
  expect([log.transcript === transcript, refused, completed()]).toEqual([true, [], 0]);
});
