import { expect, test } from "bun:test";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { Event } from "../../protocol/events/events.ts";
import { NEW_SESSION, sessionAfter } from "./session-view.ts";

const [FIRST, SECOND] = ["sess_01JXT21Q002WWEBET3V09HVC5T", "sess_01JXT21Q002WWEBET3V09HVC6T"] as const;
const INPUT = "inp_01JXT21Q002WWEBET3V09HVC5T";
const CLIENT = "cli_01JXT21Q002WWEBET3V09HVC5T";

test("[CTL-14 SES-17] what a crash took makes nothing of a view unknown: the session has gone on without it", () => {
  const waits = { inputId: INPUT, content: [], delivery: "queue", originator: CLIENT };
  const before = [
    at(1, FIRST, { kind: "TurnStarted", payload: { turn: 1, originator: CLIENT } } as unknown as Event),
    at(2, FIRST, { kind: "InputQueued", payload: waits } as unknown as Event),
  ].reduce(sessionAfter, NEW_SESSION);
  const gap = (reason: "crash" | "ttl") =>
    at(9, SECOND, { kind: "StreamGap", payload: { from: 3, to: 9, reason } });
  const after = sessionAfter(before, gap("crash"));
  expect(after.missed).toBeUndefined();
  expect(after.waiting).toEqual(before.waiting);
  expect(after.reached).toBe(9);
  expect(after.notices.map(({ text, isFailure }) => [text, isFailure])).toEqual([
    ["the engine was killed here: the last words before this may be missing", false],
  ]);
  expect(sessionAfter(before, gap("ttl")).missed).toMatchObject({ upTo: 9 });
});

function at(id: number, session: string, event: Event): Envelope {
  return { id, session, ts: "2026-01-01T00:00:00.000Z", ...event } as Envelope;
}
