import { expect, test } from "bun:test";
import { texts } from "../../../test/support/store-rig.ts";
import { testWorld } from "../../../test/support/world.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { redactor } from "../../safety/redact.ts";
import { endedSessionEvents } from "../../server/hub/ended-session.ts";
import { memorySessionStore } from "../../session/store/memory-store.ts";
import { Bus } from "./bus.ts";
import { Redaction } from "./redaction.ts";

const DAY_MS = 86_400_000;
const signal = new AbortController().signal;

test("[CTL-14 SES-06 BUS-01] a reader that starts before expired content gets the gap first, then the rest", async () => {
  await using rig = await openRig([3, 2]);
  const { bus, session, first, second, gap } = rig;
  for (const since of [0, 1, 2]) {
    expect(await take(bus.subscribe(since, signal), 3)).toEqual([gap(since + 1, 3), ...second]);
  }
  expect(await take(bus.subscribe(3, signal), 2)).toEqual(second);
  expect(await take(bus.subscribe(4, signal), 1)).toEqual(second.slice(1));
  expect(first.every(({ session: of }) => of !== session)).toBe(true);
});

test("[CTL-14 SES-06] where everything so far has expired, the gap comes before the first live event", async () => {
  await using rig = await openRig([3, 0]);
  const reader = rig.bus.subscribe(0, signal);
  const seen = take(reader, 2);
  rig.bus.publish({ kind: "TextDelta", payload: { text: "live" } });
  expect((await seen).map(({ id, kind }) => [id, kind])).toEqual([
    [3, "StreamGap"],
    [4, "TextDelta"],
  ]);
});

test("[CTL-14 SES-06] the events of a session that has ended have a gap where its content has expired, and its end", async () => {
  await using rig = await openRig([3, 2]);
  rig.bus.publish({ kind: "SessionEnded", payload: { reason: "user" } });
  await rig.bus.commit("process");
  const ended = await Array.fromAsync(endedSessionEvents(rig.session, rig.store, { since: 0, signal }));
  expect(ended.map(({ id, kind }) => [id, kind])).toEqual([
    [3, "StreamGap"],
    [4, "TextDelta"],
    [5, "TextDelta"],
    [6, "SessionEnded"],
  ]);
});

async function openRig([gone, left]: readonly [number, number]) {
  const world = testWorld();
  const store = memorySessionStore(world.machine);
  const now = () => new Date(world.clock.now()).toISOString();
  const dated = (events: readonly Envelope[]) => events.map((event) => ({ ...event, ts: now() }));
  const log = {
    logId: world.ids.next("log"),
    session: world.ids.next("sess"),
    workingDir: "/",
    profile: "default",
    model: "a:b",
    createdAt: now(),
  };
  const first = dated(
    texts(
      log.session,
      1,
      Array.from({ length: gone }, () => "old"),
    ),
  );
  {
    await using writer = await store.create(log, world.machine);
    await writer.append({ events: first }, "process");
  }
  await world.clock.advance(DAY_MS);
  await store.expire(log.logId, now().slice(0, 10));
  const session = world.ids.next("sess");
  const second = dated(
    texts(
      session,
      gone + 1,
      Array.from({ length: left }, () => "new"),
    ),
  );
  if (left > 0) {
    await using writer = await store.open(log.logId, session, world.machine);
    await writer.append({ events: second }, "process");
  }
  const run = left > 0 ? world.ids.next("sess") : session;
  const writer = await store.open(log.logId, run, world.machine);
  const redaction = new Redaction(redactor([]));
  const bus = new Bus({ session: run, logId: log.logId, store, writer, clock: world.clock, redaction });
  const gap = (from: number, to: number): Envelope => ({
    id: to,
    session: run,
    ts: now(),
    kind: "StreamGap",
    payload: { from, to, reason: "ttl" },
  });
  return {
    bus,
    store,
    session: run,
    first,
    second,
    gap,
    async [Symbol.asyncDispose]() {
      await bus.close();
      await store[Symbol.asyncDispose]();
    },
  };
}

async function take(events: AsyncIterable<Envelope>, count: number): Promise<Envelope[]> {
  const taken: Envelope[] = [];
  for await (const event of events) if (taken.push(event) === count) break;
  return taken;
}
