import { expect, test } from "bun:test";
import { asks, CALL, envelopes, INFO, says, starts } from "../../../../test/support/transcript-rig.ts";
import type { Event } from "../../../protocol/events/events.ts";
import { lastText } from "./last-text.ts";

test("[CTL-19] a person's command that starts while the model writes does not cut the last text", async () => {
  const start = starts("Bash", { command: "ls" }) as Extract<Event, { kind: "ToolCallStarted" }>;
  const by = { by: "user", shell: true } as const;
  const events = envelopes(
    asks(1, "x"),
    says("the whole "),
    { ...start, payload: { ...start.payload, ...by } },
    { kind: "ToolResult", payload: { callId: CALL, content: [], ...by } },
    says("answer"),
  );
  const store = { eventsBefore: async () => events };
  expect(await lastText(store, { ...INFO, lastEvent: events.length })).toBe("the whole answer");
});
