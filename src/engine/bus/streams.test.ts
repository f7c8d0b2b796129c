import { expect, test } from "bun:test";
import type { BusRig } from "../../../test/support/bus-rig.ts";
import { custom, openBus, take, text, turnEnded, turnStarted } from "../../../test/support/bus-rig.ts";
import { settle } from "../../../test/support/fake-clock.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { BATCH_MS } from "../../providers/http/stream/batch-reader.ts";
import { DELTA_FLUSH_MS, DELTA_LOG_MS_MAX } from "./bus.ts";
import { RESERVED_IDS } from "./reservation.ts";
import { SUBSCRIBER_EVENTS_MAX } from "./subscriber.ts";

const forever = new AbortController().signal;

test("[ENG-08 BUS-02] in a turn deltas are shown from memory, and logged unchanged in one transaction after 250 ms", async () => {
  const rig = await inTurn();
  const seen = follow(rig);
  await stream(rig, ["a", "b", "c"]);
  expect(seen.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  expect(await logged(rig)).toEqual([1]);
  await rig.world.clock.advance(DELTA_LOG_MS_MAX - 2 * DELTA_FLUSH_MS - 1);
  expect(await logged(rig)).toEqual([1]);
  await rig.world.clock.advance(1);
  expect(await rig.store.events(rig.logId, 0, 99)).toEqual([...seen]);
  expect(rig.appends.length).toBe(2);
  expect(rig.appends.at(-1)?.durability).toBe("process");
});

test("[ENG-08 PERF-02] deltas whose bytes waited for each other are shown without another wait", async () => {
  const rig = await inTurn();
  const seen = follow(rig);
  for (const [at, piece] of ["a", "b", "c"].entries()) {
    rig.bus.publish(text(piece));
    await settle();
    expect(seen).toHaveLength(at + 2);
    await rig.world.clock.advance(BATCH_MS);
  }
});

test("[ENG-08] a paced stream of five seconds takes four transactions a second", async () => {
  const rig = await inTurn();
  const before = rig.appends.length;
  for (let at = 0; at < 1_000; at++) {
    rig.bus.publish(text("word "));
    await rig.world.clock.advance(5);
  }
  expect(rig.appends.length - before).toBeLessThanOrEqual(20);
  const events = rig.appends.slice(before).flatMap(({ batch }) => batch.events ?? []);
  expect(events.length).toBeGreaterThan(200);
  expect(rig.appends.slice(before).map(({ durability }) => durability)).not.toContain("power");
});

test("[ENG-08] deltas are in the log before the event that follows them is shown, at once and in one batch", async () => {
  const rig = await inTurn();
  const seen = follow(rig);
  await stream(rig, ["a"]);
  rig.bus.publish(text("b"));
  rig.bus.publish(custom(1));
  await settle();
  expect(seen.map(({ kind }) => kind)).toEqual(["TurnStarted", "TextDelta", "TextDelta", "CustomEvent"]);
  expect(rig.appends.at(-1)?.batch.events).toEqual(seen.slice(1));
});

test("[ENG-08] a delta behind an event that is being written waits for it", async () => {
  const rig = await inTurn();
  const seen = follow(rig);
  const { promise, resolve } = Promise.withResolvers<void>();
  rig.gate = promise;
  rig.bus.publish(custom(1));
  await settle();
  rig.bus.publish(text("behind"));
  await settle();
  expect(seen.map(({ id }) => id)).toEqual([1]);
  resolve();
  await settle();
  expect(seen.map(({ id, kind }) => [id, kind])).toEqual([
    [1, "TurnStarted"],
    [2, "CustomEvent"],
    [3, "TextDelta"],
  ]);
});

test("[ENG-08 SES-17] what is shown while deltas are being logged has ids behind theirs", async () => {
  const rig = await inTurn();
  const seen = follow(rig);
  await stream(rig, ["a"]);
  const { promise, resolve } = Promise.withResolvers<void>();
  rig.gate = promise;
  await rig.world.clock.advance(DELTA_LOG_MS_MAX);
  rig.bus.publish(text("b"));
  await settle();
  expect(seen.map(({ id }) => id)).toEqual([1, 2, 3]);
  resolve();
  await rig.bus.commit("process");
  expect(await rig.store.events(rig.logId, 0, 99)).toEqual([...seen]);
});

test("[CTL-14 ENG-08] a client that begins between the log and what is shown gets each event once, in order", async () => {
  const rig = await inTurn();
  await stream(rig, ["a", "b", "c"]);
  expect(rig.bus.lastEvent).toBe(1);
  expect(rig.bus.lastShown).toBe(4);
  for (const since of [0, 1, 2, 3]) {
    const ids = (await take(rig.bus.subscribe(since, forever), 4 - since)).map(({ id }) => id);
    expect(ids).toEqual([1, 2, 3, 4].slice(since));
  }
  const live = take(rig.bus.subscribe(undefined, forever), 1);
  rig.bus.publish(custom(1));
  expect(await live).toMatchObject([{ id: 5, kind: "CustomEvent" }]);
});

test("[ENG-08] a subscriber that falls behind in a stream still gets every delta once", async () => {
  const rig = await inTurn();
  const slow = rig.bus.subscribe(0, forever);
  await slow.next();
  const total = SUBSCRIBER_EVENTS_MAX + 50;
  for (let at = 0; at < total; at++) {
    rig.bus.publish(text(`${at} `));
    await rig.world.clock.advance(DELTA_FLUSH_MS);
  }
  expect(rig.bus.lastEvent).toBeLessThan(rig.bus.lastShown);
  const rest = await take(slow, rig.bus.lastShown - 1);
  expect(rest.map(({ id }) => id)).toEqual(Array.from({ length: rest.length }, (_, at) => at + 2));
  const words = rest.map((event) => (event.kind === "TextDelta" ? event.payload.text : ""));
  expect(words.join("")).toBe(Array.from({ length: total }, (_, at) => `${at} `).join(""));
});

test("[ENG-08 SES-17] without ids that are safe from loss of power a delta is in the log before it is shown", async () => {
  const rigs = [await openBus(), await inTurn(false), await inTurn(true, "process")];
  for (const rig of rigs) {
    const seen = follow(rig);
    const before = rig.appends.length;
    const { promise, resolve } = Promise.withResolvers<void>();
    rig.gate = promise;
    rig.bus.publish(text("a"));
    await settle();
    expect(rig.appends.length).toBe(before + 1);
    expect(seen.filter(({ kind }) => kind === "TextDelta")).toEqual([]);
    resolve();
    await settle();
    expect(seen.at(-1)).toMatchObject({ kind: "TextDelta" });
  }
});

test("[SES-17] ids are reserved with the commit that accepts an input, and given back with the end of the turn", async () => {
  const rig = await inTurn();
  expect(rig.appends.map(({ batch }) => batch.reserve)).toEqual([1 + RESERVED_IDS]);
  await stream(rig, ["a"]);
  rig.bus.publish(custom(1));
  await rig.bus.commit("power");
  expect(rig.appends.at(-1)?.batch.reserve).toBeUndefined(); // more than half is left
  rig.bus.publish(turnEnded());
  await rig.bus.commit("power");
  expect(rig.appends.at(-1)?.batch).toMatchObject({ reserve: rig.bus.lastEvent });
  const seen = follow(rig);
  rig.bus.publish(text("of nobody's turn"));
  await settle();
  expect(seen.at(-1)?.id).toBe(rig.bus.lastEvent);
});

for (const how of ["beside its batches", "with them only"]) {
  test(`[ENG-08 SES-17] an answer of more deltas than are reserved is shown from memory to its end, where the store syncs ${how}`, async () => {
    let syncs = 0;
    const sync = () => {
      syncs += 1;
      return Promise.resolve();
    };
    const rig = await inTurn(true, "power", how === "beside its batches" ? sync : undefined);
    const syncsBefore = syncs;
    await streamWords(rig, RESERVED_IDS);
    const before = rig.appends.length;
    await streamWords(rig, 1_000);
    expect(rig.appends.length - before).toBeLessThanOrEqual(1 + (1_000 * DELTA_FLUSH_MS) / DELTA_LOG_MS_MAX);
    expect(rig.bus.lastShown).toBe(1 + RESERVED_IDS + 1_000);
    const powers = rig.appends.slice(1).filter(({ durability }) => durability === "power").length;
    expect(syncs - syncsBefore + powers).toBe(2); // each after half of the reserved ids
  }, 60_000);
}

test("[SES-16 SES-17 R15] a sync of renewed ids that fails ends the bus, and everybody gets the error", async () => {
  const failure = new HarnessError("StoreUnwritable", { path: "sessions.db", detail: "i/o error" });
  const rig = await inTurn(true, "power", () => Promise.reject(failure));
  const reading = take(rig.bus.subscribe(undefined, forever), RESERVED_IDS).catch(
    (thrown: unknown) => thrown,
  );
  const failed = await streamWords(rig, RESERVED_IDS).catch((thrown: unknown) => thrown);
  expect(failed).toBe(failure);
  expect(rig.bus.failure).toBe(failure);
  expect(await reading).toBe(failure);
}, 60_000);

test("[SES-17] ids that were shown and lost are used by no later run: their StreamGap comes first", async () => {
  const rig = await inTurn();
  const seen = follow(rig);
  await stream(rig, ["a", "b"]);
  rig.bus.publish(text("never shown"));
  expect(seen.length).toBe(3);
  const next = await rig.killed();
  const gap = {
    id: 1 + RESERVED_IDS,
    kind: "StreamGap",
    payload: { from: 2, to: 1 + RESERVED_IDS, reason: "crash" },
  };
  for (const since of [1, 2, 3, RESERVED_IDS])
    expect(await take(next.bus.subscribe(since, forever), 1)).toMatchObject([gap]);
  next.bus.publish(custom(1));
  await next.bus.commit("process");
  expect(await take(next.bus.subscribe(0, forever), 3)).toMatchObject([
    { id: 1, kind: "TurnStarted" },
    gap,
    { id: 2 + RESERVED_IDS, kind: "CustomEvent" },
  ]);
  expect(
    (await Array.fromAsync(next.store.check("full", forever))).filter(({ kind }) => kind === "gap"),
  ).toEqual([]);
});

test("[SES-17] until the next turn begins, a reader without a place gets the gap of the crash before what is live", async () => {
  const rig = await inTurn();
  await stream(rig, ["a"]);
  const { bus } = await rig.killed();
  const followed = () => follow({ bus }, "now");
  const early = followed();
  bus.publish(custom(1));
  await bus.commit("process");
  const [second, third] = [followed(), followed()];
  bus.publish(turnStarted(rig));
  const late = followed();
  bus.publish(custom(2));
  await bus.commit("process");
  await settle();
  const idsOf = (events: readonly Envelope[]) => events.map(({ id }) => id - RESERVED_IDS);
  expect([early, second, third, late].map(idsOf)).toEqual([
    [1, 2, 3, 4],
    [1, 3, 4],
    [1, 3, 4],
    [3, 4],
  ]);
  expect(second[0]).toMatchObject({ kind: "StreamGap", payload: { reason: "crash" } });
  expect(second[0]).toEqual(early[0]);
});

test("[SES-17] a turn that begins before the gap of the crash is logged does not show it twice", async () => {
  const rig = await inTurn();
  await stream(rig, ["a"]);
  const { bus } = await rig.killed();
  bus.publish(turnStarted(rig));
  const early = follow({ bus }, "now");
  await bus.commit("process");
  const late = follow({ bus }, "now");
  await settle();
  expect(early.map(({ kind }) => kind)).toEqual(["StreamGap", "TurnStarted"]);
  expect(late).toEqual([]);
});

test("[SES-17] a session that ended well leaves no reserved ids, and one whose log failed does", async () => {
  const well = await inTurn();
  await stream(well, ["a"]);
  await well.bus.close();
  expect((await well.reopened()).reserved).toBe(2);
  const badly = await inTurn();
  await stream(badly, ["a"]);
  badly.gate = Promise.reject(
    new HarnessError("StoreUnwritable", { path: "sessions.db", detail: "disk full" }),
  );
  badly.gate.catch(() => undefined);
  badly.bus.publish(custom(1));
  await settle();
  await badly.bus.close();
  expect((await badly.reopened()).reserved).toBe(1 + RESERVED_IDS);
});

/** Opens a bus in whose session a turn has begun. */
async function inTurn(
  keeps = true,
  durability: "process" | "power" = "power",
  sync?: () => Promise<void>,
): Promise<BusRig> {
  const rig = await openBus(keeps, sync);
  rig.bus.publish(turnStarted(rig));
  await rig.bus.commit(durability);
  return rig;
}

function follow({ bus }: Pick<BusRig, "bus">, since: number | "now" = 0): readonly Envelope[] {
  const seen: Envelope[] = [];
  void (async () => {
    for await (const event of bus.subscribe(since === "now" ? undefined : since, forever)) seen.push(event);
  })().catch(() => undefined);
  return seen;
}

/** Publishes deltas that are each shown by themselves. */
async function stream(rig: BusRig, words: readonly string[]): Promise<void> {
  await settle();
  for (const [at, word] of words.entries()) {
    if (at > 0) await rig.world.clock.advance(DELTA_FLUSH_MS);
    rig.bus.publish(text(word));
    await settle();
  }
}

/** Publishes so many deltas, each when it can be shown. */
async function streamWords({ bus, world }: BusRig, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    bus.publish(text("word "));
    await world.clock.advance(DELTA_FLUSH_MS);
  }
}

async function logged(rig: BusRig): Promise<readonly number[]> {
  return (await rig.store.events(rig.logId, 0, 99)).map(({ id }) => id);
}
