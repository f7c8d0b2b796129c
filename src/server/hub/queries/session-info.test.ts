import { expect, test } from "bun:test";
import { openRig } from "../../../../test/support/rig.ts";
import { says } from "../../../../test/support/scripted-provider.ts";
import { EVERYTHING } from "../../../session/access/scope.ts";
import type { LogInfo } from "../../../session/store/store.ts";
import { SessionInfos } from "./session-info.ts";
import { listFilter, memoryPage, readListCursor, storedPage } from "./session-page.ts";

test("[CTL-19] the window of a known model is shown, and a store without numbers and notes has them of its costs, or not at all", async () => {
  await using rig = await openRig({ script: [says("one")] });
  await rig.send("go");
  const { notes: _notes, ...store } = rig.store;
  const infos = new SessionInfos({
    store,
    running: (id) => rig.multiplexer.runningSession(id),
    contextWindowOf: (model) => (model === "scripted:scripted-1" ? 200_000 : undefined),
    nowMs: () => rig.world.clock.now(),
  });
  const log = await rig.store.find(rig.session.id);
  if (log === undefined) throw new Error("it has a log");
  const whole = await infos.of(log, { scope: EVERYTHING, reader: "me" });
  const { numbers: _numbers, ...bare } = log;
  const fewer = await infos.of(bare, { scope: EVERYTHING, reader: "me" });
  expect([whole.context_window, fewer.context_window]).toEqual([200_000, 200_000]);
  expect(fewer.input_tokens).toBe(whole.input_tokens);
  expect([fewer.context_tokens, fewer.unread]).toEqual([undefined, undefined]);
});

test("[CTL-19] a filter that finds nothing in time answers with a cursor that continues after what was read", async () => {
  let nowMs = 0;
  const clock = { monotonic: () => nowMs, sleep: async () => undefined };
  const logs = Array.from({ length: 2_000 }, (_, at) => logOf(at));
  let reads = 0;
  const list = async ({ before, limit }: { readonly before?: unknown; readonly limit: number }) => {
    reads += 1;
    nowMs += 500;
    const from =
      before === undefined
        ? 0
        : logs.findIndex(({ logId }) => logId === Reflect.get(Object(before), "logId")) + 1;
    return logs.slice(from, from + limit);
  };
  const fits = listFilter({ text: "prompt 1900" }, () => "idle");
  const { signal } = new AbortController();
  const options = { limit: 10, query: {}, fits, clock, signal };
  const find = async () => undefined;
  const first = await storedPage({ find, list }, { ...options, before: undefined });
  expect([first.logs.length, reads]).toEqual([0, 4]);
  const found: LogInfo[] = [];
  for (let { cursor } = first; cursor !== undefined; ) {
    const page = await storedPage({ find, list }, { ...options, before: readListCursor(cursor) });
    found.push(...page.logs);
    ({ cursor } = page);
  }
  expect(found.map(({ title }) => title)).toEqual(["prompt 1900"]);
});

test("[CTL-19] a cursor of a list has a time as the store writes it", () => {
  const log = `log_${"0".repeat(26)}`;
  expect(readListCursor(`2026-01-02T03:04:05.678Z/${log}`)).toBeDefined();
  for (const time of ["Dec 1", "2026-01-02", "2026-02-30T03:04:05.678Z", ""])
    expect(() => readListCursor(`${time}/${log}`)).toThrow("it is not a cursor of a list");
});

test("[CTL-19] pages in memory have the order of the store, and each log once", () => {
  const logs = Array.from({ length: 7 }, (_, at) => logOf(at));
  const pages: LogInfo[] = [];
  for (let cursor: string | undefined, more = true; more; ) {
    const page = memoryPage(logs.toReversed(), { limit: 3, before: readListCursor(cursor) });
    pages.push(...page.logs);
    ({ cursor } = page);
    more = cursor !== undefined;
  }
  expect(pages.map(({ logId }) => logId)).toEqual(logs.map(({ logId }) => logId));
});

/** The logs are of one time by threes, the newest first. */
function logOf(at: number): LogInfo {
  const id = String(9_999 - at).padStart(26, "0");
  return {
    logId: `log_${id}` as LogInfo["logId"],
    session: `sess_${id}` as LogInfo["session"],
    title: `prompt ${at}`,
    workingDir: "/w",
    profile: "default",
    model: "a:b",
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: new Date(Date.UTC(2026, 0, 1) - Math.floor(at / 3) * 1_000).toISOString(),
    lastEvent: 1,
    turns: 1,
    pinned: false,
    interrupted: false,
  };
}
