import { expect, test } from "bun:test";
import { settle } from "../../test/support/fake-clock.ts";
import { FakeConnection, SESSION } from "../../test/support/fake-connection.ts";
import { HarnessError } from "../base/errors.ts";
import type { Event } from "../protocol/events/events.ts";
import { followSession, RESUBSCRIBE_TIMES_MAX } from "./follow.ts";

const { signal } = new AbortController();

function text(words: string): Event {
  return { kind: "TextDelta", payload: { text: words } };
}

test("[CTL-03] a subscription that breaks is opened again after the last event, without gap or duplicate", async () => {
  const connection = new FakeConnection();
  for (const words of ["a", "b", "c"]) connection.publish(text(words));
  const ids: number[] = [];
  const reading = (async () => {
    for await (const envelope of followSession(connection, SESSION, { since: 1, signal }))
      ids.push(envelope.id);
  })();
  await settle();
  connection.breakOff();
  connection.publish(text("d"));
  await settle();
  connection.breakOff(new Error("the wire broke"));
  connection.publish({ kind: "SessionEnded", payload: { reason: "user" } });
  await reading;
  expect(ids).toEqual([2, 3, 4, 5]);
  expect(connection.subscriptions).toEqual([1, 3, 4]);
});

test("[CTL-03] after a gap it continues behind the gap", async () => {
  const connection = new FakeConnection();
  connection.publish({ kind: "StreamGap", payload: { from: 1, to: 5, reason: "ttl" } });
  const events = followSession(connection, SESSION, { since: 0, signal });
  await events.next();
  const second = events.next();
  await settle();
  connection.breakOff();
  await settle();
  expect(connection.subscriptions).toEqual([0, 5]);
  connection.publish({ kind: "SessionEnded", payload: { reason: "user" } });
  connection.breakOff(new HarnessError("EngineStopping", {}));
  await expect(second).rejects.toThrow("shutting down");
});

test("[CTL-03] a wire that only breaks is given up after its limit; a refusal at once", async () => {
  const connection = new FakeConnection();
  const broken = followSession(
    Object.assign(connection, {
      subscribe: () => {
        connection.subscriptions.push(undefined);
        throw new Error("no wire");
      },
    }),
    SESSION,
    { signal },
  );
  await expect(broken.next()).rejects.toThrow("no wire");
  expect(connection.subscriptions).toHaveLength(RESUBSCRIBE_TIMES_MAX + 1);
});

test("[CTL-03] leaving the loop, and aborting, unsubscribe", async () => {
  const connection = new FakeConnection();
  connection.publish(text("a"));
  for await (const _ of followSession(connection, SESSION, { since: 0, signal })) break;
  expect(connection.subscribers).toBe(0);
  const leave = new AbortController();
  const waiting = followSession(connection, SESSION, { signal: leave.signal }).next();
  await settle();
  leave.abort();
  expect(await waiting).toEqual({ done: true, value: undefined });
});
