import { expect, test } from "bun:test";
import { testWorld } from "../../../test/support/world.ts";
import { planRetention } from "./retention.ts";
import type { LogInfo } from "./store.ts";

const NOW = Date.parse("2026-03-31T08:00:00.000Z");
const CLOCK = { now: NOW, lastDay: "2026-03-29" };
const world = testWorld();

function log(parts: Partial<LogInfo>): LogInfo {
  return {
    logId: world.ids.next("log"),
    session: world.ids.next("sess"),
    workingDir: "/",
    profile: "default",
    model: "a:b",
    createdAt: "2026-02-01T08:00:00.000Z",
    updatedAt: "2026-02-02T08:00:00.000Z",
    lastEvent: 9,
    turns: 1,
    title: "",
    pinned: false,
    interrupted: false,
    ...parts,
  };
}

test("[SES-06] content is kept for thirty whole days, and announced seven days before", () => {
  const days = ["2026-02-28", "2026-03-01", "2026-03-07", "2026-03-08", "2026-03-31"];
  const logs = days.map((oldestDay) => log({ oldestDay }));
  const plan = planRetention(logs, () => 30, CLOCK);
  expect(plan.expire).toEqual([{ log: logs[0] as LogInfo, beforeDay: "2026-03-01" }]);
  expect(plan.soon.map(({ day }) => day)).toEqual(["2026-04-01", "2026-04-07"]);
  expect(plan.soon.map((soon) => soon.log)).toEqual(logs.slice(1, 3));
  expect(plan.left).toEqual([]);
});

test("[SES-06 R29] what is pinned, dated in the future or of a profile that cannot be read is left, and said to be; an open one is not", () => {
  const old = { oldestDay: "2026-01-01" } as const;
  const logs = [
    log({ ...old, pinned: true }),
    log({ ...old, heldBy: { pid: 1, processStart: "x" } }),
    log({ ...old, updatedAt: "2026-05-01T08:00:00.000Z" }),
    log({ ...old, createdAt: "not a date" }),
    log({ ...old, profile: "gone" }),
  ];
  const { expire, soon, left } = planRetention(
    logs,
    (profile) => (profile === "gone" ? undefined : 30),
    CLOCK,
  );
  expect([expire.map(({ log: info }) => info), soon]).toEqual([[logs[1] as LogInfo], []]);
  expect(left.map(({ why }) => why)).toEqual(["pinned", "future", "future", "profile unknown"]);
});

test("[SES-06] each profile says how long, 0 keeps for good, and a log without content is done with", () => {
  const ttl = (profile: string) => ({ keep: 0, short: 1, long: 1e12 })[profile];
  const logs = ["keep", "short", "long"].map((profile) => log({ profile, oldestDay: "2020-01-01" }));
  const plan = planRetention([...logs, log({ profile: "short" })], ttl, CLOCK);
  expect(plan.expire).toEqual([{ log: logs[1] as LogInfo, beforeDay: "2026-03-30" }]);
  expect([plan.soon, plan.left]).toEqual([[], []]);
});

test("[SES-06 R29] a clock that jumped ahead destroys nothing automatically, and a person can", () => {
  const due = log({ oldestDay: "2020-01-01" });
  const expired = [undefined, "2026-01-29", "2026-01-30", "trusted"].map((lastDay) => {
    const { expire, left } = planRetention([due], () => 30, { now: NOW, lastDay });
    return [expire.length, ...left.map(({ why }) => why)];
  });
  expect(expired).toEqual([[0, "clock"], [0, "clock"], [1], [1]]);
});
