import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import { openToolRig } from "../../../test/support/tool-rig.ts";
import { testWorld } from "../../../test/support/world.ts";
import type { Fetch } from "../../base/world.ts";
import type { Tool } from "../../tools/tool.ts";
import { EXPORT_EVERY_MS, Exporter, FLUSH_MS_MAX, SPANS_WAITING_MAX } from "./exporter.ts";
import { Histogram } from "./histogram.ts";
import type { OtlpSpan } from "./otlp.ts";
import { SessionTelemetry } from "./session-telemetry.ts";

const SPAN: OtlpSpan = {
  traceId: "a".repeat(32),
  spanId: "b".repeat(16),
  name: "chat",
  kind: "client",
  startMs: 1_750_000_000_000.25,
  endMs: 1_750_000_000_001,
  attributes: { left: undefined, right: 1.5 },
};

function openRig(answer: Fetch, endpoint = "http://collector") {
  const logged: (readonly [string, unknown])[] = [];
  const log = {
    for: () => log,
    write: (_: string, message: string, fields?: unknown) => void logged.push([message, fields]),
  };
  const posts: { readonly url: string; readonly body: string }[] = [];
  const fetch: Fetch = (url, init) => {
    posts.push({ url, body: String(init.body) });
    return answer(url, init);
  };
  const world = testWorld({ fetch, log });
  const at = (signal: string) =>
    ({ url: `${endpoint}/v1/${signal}`, encoding: "json", headers: {} }) as const;
  const to = { traces: at("traces"), metrics: at("metrics") };
  const parts = { world, to, resource: { "service.name": "cinch" }, version: "1" };
  return { exporter: new Exporter(parts), clock: world.clock, posts, logged };
}

const ok: Fetch = async () => Response.json({});
const spansIn = (body: string): Record<string, unknown>[] =>
  JSON.parse(body).resourceSpans[0].scopeSpans[0].spans;

test("[OBS-01] spans wait for each other and go out together, with times to the nanosecond", async () => {
  const rig = openRig(ok);
  await using _exporter = rig.exporter;
  rig.exporter.add(SPAN);
  rig.exporter.add(SPAN);
  expect(rig.posts).toEqual([]);
  await rig.clock.advance(EXPORT_EVERY_MS);
  expect(rig.posts.map(({ url }) => url)).toEqual(["http://collector/v1/traces"]);
  const [first, ...rest] = spansIn(rig.posts[0]?.body ?? "");
  expect(rest).toHaveLength(1);
  expect(first).toMatchObject({
    kind: 3,
    startTimeUnixNano: "1750000000000250000",
    endTimeUnixNano: "1750000000001000000",
    attributes: [{ key: "right", value: { doubleValue: 1.5 } }],
  });
});

test("[OBS-01] an unreachable collector is reported once, the queue of spans is bounded, and the export is retried", async () => {
  let isGone = true;
  const rig = openRig((url, init) => (isGone ? Promise.reject(new Error("refused")) : ok(url, init)));
  await using _exporter = rig.exporter;
  for (let round = 0; round < 5; round++) {
    for (let at = 0; at < SPANS_WAITING_MAX; at++) rig.exporter.add(SPAN);
    await rig.clock.advance(EXPORT_EVERY_MS);
  }
  expect(rig.logged.map(([message]) => message)).toEqual(["the collector cannot be reached"]);
  isGone = false;
  for (let round = 0; round < 6; round++) {
    rig.exporter.add(SPAN);
    await rig.clock.advance(EXPORT_EVERY_MS);
  }
  expect(rig.logged.at(-1)).toEqual(["spans were dropped", { spans: expect.any(Number) }]);
  const sent = rig.posts.length;
  rig.exporter.add(SPAN);
  await rig.clock.advance(EXPORT_EVERY_MS);
  expect(rig.posts.length).toBeGreaterThan(sent);
});

test("[OBS-01] a collector that refuses is reported with its address, without the name and password in it", async () => {
  const rig = openRig(async () => new Response("no", { status: 404 }), "http://me:secret@collector/otlp");
  await using _exporter = rig.exporter;
  rig.exporter.add(SPAN);
  await rig.clock.advance(EXPORT_EVERY_MS);
  const what = "it answered 404 to http://collector/otlp/v1/traces";
  expect(rig.logged).toEqual([["the collector cannot be reached", { what }]]);
});

test("[OBS-01 REL-02] the end of an engine waits for a collector that says nothing only so long", async () => {
  const rig = openRig(
    (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  rig.exporter.add(SPAN);
  const ending = rig.exporter[Symbol.asyncDispose]();
  await rig.clock.advance(FLUSH_MS_MAX);
  await ending;
  rig.exporter.add(SPAN);
  await rig.clock.advance(EXPORT_EVERY_MS);
  expect(rig.posts).toHaveLength(1);
});

test("[OBS-01] every measurement falls into one bucket, and sets of attributes without end are held to a number", async () => {
  const bounds = [1, 10, 100];
  await holds(
    fc.property(fc.array(fc.tuple(fc.double({ min: 0, max: 1_000, noNaN: true }), fc.nat(400))), (all) => {
      const histogram = new Histogram({ name: "n", description: "", unit: "s", bounds });
      for (const [value, attribute] of all) histogram.record(value, { attribute });
      const points = histogram.read()?.points ?? [];
      expect(points.reduce((sum, { count }) => sum + count, 0)).toBe(all.length);
      expect(points.length).toBeLessThanOrEqual(201);
      for (const { buckets, count } of points)
        expect(buckets.reduce((sum, each) => sum + each, 0)).toBe(count);
    }),
  );
  const histogram = new Histogram({ name: "n", description: "", unit: "s", bounds });
  for (const value of [0, 1, 1.5, 10, 1_000, Number.NaN, -1]) histogram.record(value, {});
  expect(histogram.read()?.points).toMatchObject([{ buckets: [2, 2, 0, 1], count: 5, min: 0, max: 1_000 }]);
});

test("[OBS-01] a collector that does not answer makes no more than a bounded number of spans wait; how many were dropped is logged", async () => {
  const answered = Promise.withResolvers<Response>();
  let isFirst = true;
  const rig = openRig((url, init) => {
    if (!isFirst) return ok(url, init);
    isFirst = false;
    return answered.promise;
  });
  await using _exporter = rig.exporter;
  for (let at = 0; at < 4_000; at++) rig.exporter.add(SPAN);
  answered.resolve(Response.json({}));
  for (let round = 0; round < 6; round++) await rig.clock.advance(EXPORT_EVERY_MS);
  const sent = rig.posts.reduce((sum, { body }) => sum + spansIn(body).length, 0);
  expect(sent).toBe(512 + SPANS_WAITING_MAX);
  expect(rig.logged).toEqual([["spans were dropped", { spans: 4_000 - sent }]]);
});

test("[OBS-01] an exception of a call is recorded by its kind, never by its message", async () => {
  const rig = openRig(ok);
  await using tools = openToolRig();
  {
    await using exporter = rig.exporter;
    const session = { id: "s", log: "l", profile: "p" };
    const { tool } = new SessionTelemetry({
      world: testWorld(),
      exporter,
      session,
      costOf: () => null,
      content: undefined,
    });
    const call = tools.callOf({ name: "Odd" } as Tool, {});
    const failing = () => Promise.reject(new TypeError("private words"));
    expect(await tool(call, tools.context, failing).catch((thrown: unknown) => thrown)).toBeInstanceOf(
      TypeError,
    );
  }
  const all = rig.posts.map(({ body }) => body).join("");
  expect(all).toContain('"error.type","value":{"stringValue":"TypeError"}');
  expect(all).not.toContain("private words");
});
