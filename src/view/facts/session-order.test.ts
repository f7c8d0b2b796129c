import { expect, test } from "bun:test";
import type { SessionInfo } from "../../protocol/resources.ts";
import { orderedSessions } from "./session-order.ts";

function session(title: string, updated: string, cost?: number | null): SessionInfo {
  return { title, updated_at: updated, ...(cost === undefined ? {} : { cost_usd: cost }) } as SessionInfo;
}

test("[TUI-06] sessions are ordered by time, by name and by cost; unknown costs come last", () => {
  const all = [
    session("b 10", "2026-03-01T00:00:00Z", 0.5),
    session("B 9", "2026-03-03T00:00:00Z", null),
    session("a", "2026-03-02T00:00:00Z", 2),
    session("c", "2026-02-02T00:00:00Z"),
  ];
  const titles = (order: Parameters<typeof orderedSessions>[1]) =>
    orderedSessions(all, order).map(({ title }) => title);
  expect(titles("newest")).toEqual(["B 9", "a", "b 10", "c"]);
  expect(titles("name")).toEqual(["a", "B 9", "b 10", "c"]);
  expect(titles("cost")).toEqual(["a", "b 10", "B 9", "c"]);
});
