import { expect, test } from "bun:test";
import { envelopes, starts } from "../../../../../test/support/transcript-rig.ts";
import type { Event } from "../../../../protocol/events/events.ts";
import { CompactionUpdates } from "./compactions.ts";

test("[CTL-19] a person's command that starts beside a compaction does not show it as failed", () => {
  const start = starts("Bash", { command: "ls" }) as Extract<Event, { kind: "ToolCallStarted" }>;
  const shell: Event = { ...start, payload: { ...start.payload, by: "user", shell: true } };
  const begun: Event = {
    kind: "CompactionProgress",
    payload: { state: "started", beforeTokens: 9, trigger: "threshold", timeoutMs: 9 },
  };
  const updates = new CompactionUpdates();
  const statuses = envelopes(begun, shell, start).map((event) => updates.of(event).length);
  expect(statuses).toEqual([1, 0, 1]);
});
