import { expect, test } from "bun:test";
import { asks, envelopes, says, starts } from "../../../test/support/transcript-rig.ts";
import type { Event } from "../../protocol/events/events.ts";
import { LastText } from "./notification.ts";

test("[CTL-19] a person's command that starts while the model writes does not cut the text of a notification", () => {
  const start = starts("Bash", { command: "ls" }) as Extract<Event, { kind: "ToolCallStarted" }>;
  const shell: Event = { ...start, payload: { ...start.payload, by: "user", shell: true } };
  const last = new LastText();
  for (const event of envelopes(asks(1, "x"), says("the whole "), shell, says("answer"))) last.add(event);
  expect(last.text).toBe("the whole answer");
  for (const event of envelopes(start, says("next"))) last.add(event);
  expect(last.text).toBe("next");
});
