import { expect, test } from "bun:test";
import { custom, openBus, take, text } from "../../../test/support/bus-rig.ts";
import { settle } from "../../../test/support/fake-clock.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { DELTA_FLUSH_MS } from "./bus.ts";
import { SUBSCRIBER_EVENTS_MAX } from "./subscriber.ts";

const forever = new AbortController().signal;

test("[BUS-02] [SES-01] an event is in the log before a client sees it", async () => {
  const { bus, store, world } = await openBus();
  const reader = bus.subscribe(undefined, forever);
  bus.publish(custom(1), { originator: world.ids.next("cli") });
  const { value: seen } = await reader.next();
  const [info] = await store.list({ limit: 1 });
  expect(info && (await store.events(info.logId, 0, 10))).toEqual([seen as Envelope]);
  expect(seen).toMatchObject({
    id: 1,
    kind: "CustomEvent",
    session: bus.session,
    ts: "2025-06-15T15:06:40.000Z",
  });
  await reader.return(undefined);
});

test("[BUS-02] the first delta of a block leaves at once, later ones within 20 ms and as one", async () => {
  const { bus, world } = await openBus();
  const seen: Envelope[] = [];
  const stop = new AbortController();
  const reading = (async () => {
    for await (const event of bus.subscribe(0, stop.signal)) seen.push(event);
  })();
  const texts = () => seen.map((event) => (event.kind === "TextDelta" ? event.payload.text : event.kind));
  bus.publish(text("a"));
  await settle();
  expect(texts()).toEqual(["a"]);
  bus.publish(text("b"));
  bus.publish(text("c"));
  await settle();
  expect(texts()).toEqual(["a"]);
  await world.clock.advance(DELTA_FLUSH_MS);
  expect(texts()).toEqual(["a", "bc"]);
  bus.publish(text("d"));
  bus.publish(custom(1));
  await settle();
  expect(texts()).toEqual(["a", "bc", "d", "CustomEvent"]);
  stop.abort();
  await reading;
});

test("[PERF-05] [SES-01] what is published while a batch is written forms the next batch", async () => {
  const rig = await openBus();
  const { promise, resolve } = Promise.withResolvers<void>();
  rig.gate = promise;
  rig.bus.publish(custom(0));
  await settle();
  for (let number = 1; number <= 100; number++) rig.bus.publish(custom(number));
  const durable = rig.bus.commit("power");
  resolve();
  await durable;
  expect(rig.appends.map(({ batch, durability }) => [batch.events?.length, durability])).toEqual([
    [1, "process"],
    [100, "power"],
  ]);
});

test("[BUS-02] an event that is published while a batch is written follows it at once, whatever else may wait longer", async () => {
  const rig = await openBus();
  const { promise, resolve } = Promise.withResolvers<void>();
  rig.gate = promise;
  rig.bus.publish(custom(0));
  await settle();
  const callId = rig.world.ids.next("call");
  rig.bus.intend({ callId, tool: "Read", argsHash: "", summary: "", mutating: false, startedAt: "" }); // may wait
  rig.bus.publish(custom(1));
  await settle();
  resolve();
  await settle();
  expect(rig.appends.map(({ batch }) => batch.events?.length)).toEqual([1, 1]); // no time has passed
});

test("[SES-03] a commit for power covers what was written before it too", async () => {
  const { bus, appends } = await openBus();
  bus.publish(custom(1));
  await settle();
  await bus.commit("power");
  await bus.commit("power");
  expect(appends.map((append) => append.durability)).toEqual(["process", "power"]);
});

test("[ENG-08] [BUS-02 R35] a slow subscriber holds up nobody and still gets every event once, in order", async () => {
  const { bus } = await openBus();
  const slow = bus.subscribe(0, forever);
  bus.publish(custom(0));
  expect((await slow.next()).value).toMatchObject({ id: 1 });
  const total = SUBSCRIBER_EVENTS_MAX * 3;
  for (let number = 1; number < total; number++) {
    bus.publish(custom(number));
    if (number % 100 === 0) await bus.commit("process");
  }
  await bus.commit("process");
  const rest = await take(slow, total - 1);
  expect(rest.map((event) => event.id)).toEqual(Array.from({ length: total - 1 }, (_, index) => index + 2));
});

test("[CTL-14] [SES-17] a subscriber that names the last event it saw continues right behind it", async () => {
  const { bus } = await openBus();
  for (let number = 0; number < 600; number++) bus.publish(custom(number));
  await bus.commit("process");
  const reading = take(bus.subscribe(300, forever), 310);
  await settle();
  for (let number = 600; number < 610; number++) bus.publish(custom(number));
  expect((await reading).map((event) => event.id)).toEqual(
    Array.from({ length: 310 }, (_, index) => index + 301),
  );
});

test("[ENG-08] a subscriber without a position gets only what comes from then on", async () => {
  const { bus } = await openBus();
  bus.publish(custom(1));
  await bus.commit("process");
  const reader = bus.subscribe(undefined, forever);
  bus.publish(custom(2));
  expect(await take(reader, 1)).toMatchObject([{ id: 2 }]);
});

test("[SES-16 R15] a log that cannot be written ends the bus: nothing unwritten is shown, everybody gets the error", async () => {
  const rig = await openBus();
  const seen: Envelope[] = [];
  const reading = (async () => {
    for await (const event of rig.bus.subscribe(0, forever)) seen.push(event);
    return undefined;
  })().catch((thrown: unknown) => thrown);
  rig.bus.publish(custom(1));
  await settle();
  const full = new HarnessError("StoreUnwritable", { path: "sessions.db", detail: "disk full" });
  const { promise, reject } = Promise.withResolvers<void>();
  rig.gate = promise;
  rig.bus.publish(custom(2));
  const committed = rig.bus.commit("power").catch((thrown: unknown) => thrown);
  reject(full);
  expect(await committed).toBe(full);
  expect(await reading).toBe(full);
  expect(seen.map((event) => event.id)).toEqual([1]);
  expect(() => rig.bus.publish(custom(3))).toThrow(full);
});

test("[SES-11] closing writes what is left and ends every subscription", async () => {
  const { bus } = await openBus();
  const reading = take(bus.subscribe(0, forever), 99);
  bus.publish(custom(1));
  bus.publish(text("last"));
  await bus.close();
  expect(await reading).toMatchObject([{ id: 1 }, { id: 2 }]);
});

test("[REL-05 SES-11] a command that waits for the disk while the session ends succeeds: its event is safe", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const rig = await openBus(true, () => promise);
  rig.bus.publish(custom(1));
  await settle();
  const durable = rig.bus.commit("power"); // the event is written, and not synced yet
  await settle();
  rig.bus.publish(custom(2));
  await rig.bus.close();
  resolve();
  await durable;
  expect(rig.appends.at(-1)?.durability).toBe("power");
});

test("[ENG-08] a subscription that is aborted while it reads the log ends, even when nothing is published any more", async () => {
  const rig = await openBus();
  const count = 16 + 32 + 64 + 128; // whole pages: the one behind them is empty
  for (let number = 0; number < count; number++) rig.bus.publish(custom(number));
  await rig.bus.commit("process");
  const stop = new AbortController();
  const { promise: page, resolve: asked } = Promise.withResolvers<void>();
  const { promise: free, resolve: go } = Promise.withResolvers<void>();
  const read = rig.store.events;
  rig.store.events = async (logId, since, limit) => {
    if (since === count) {
      asked();
      await free;
    }
    return await read(logId, since, limit);
  };
  const reading = take(rig.bus.subscribe(0, stop.signal), 300);
  await page;
  stop.abort();
  go();
  expect(await reading).toHaveLength(count);
});
