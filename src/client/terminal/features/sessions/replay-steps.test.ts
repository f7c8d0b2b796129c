import { expect, test } from "bun:test";
import type { SessionId } from "../../../../base/ids.ts";
import { ReplaySteps } from "./replay-steps.ts";

const ITEMS = Array.from({ length: 250 }, (_, at) => ({
  event: at + 1,
  last_event: at + 1,
  kind: at % 50 === 0 ? "prompt" : "text",
  turn: Math.floor(at / 50) + 1,
  ts: "2026-01-01T00:00:00Z",
  text: `item ${at + 1}`,
  bytes: 1,
}));

interface Asked {
  readonly kind: string;
  readonly limit: number;
  readonly before?: number;
  readonly after?: number;
  readonly event?: number;
}

function textOf(event: number) {
  const frame = { id: event, session: "sess_1", ts: "2026-01-01T00:00:00Z" };
  return { ...frame, kind: "TextDelta", payload: { text: "words" } };
}

/** Answers as an engine does whose log has these items. */
function openSteps(): ReplaySteps {
  const query = async ({ kind, before, after, limit, event = 1 }: Asked) => {
    if (kind === "GetItem") return { item: ITEMS[0], events: [textOf(event)] };
    if (kind === "ListTurns") {
      const turns = [1, 2, 3, 4, 5].map((turn) => ({ turn, first_event: (turn - 1) * 50 + 1 }));
      if (before !== undefined)
        return { turns: turns.filter(({ turn }) => turn < before).slice(-limit), more: false };
      return { turns: turns.filter(({ turn }) => turn > (after ?? 0)).slice(0, limit), more: false };
    }
    if (after !== undefined) {
      const rest = ITEMS.filter(({ event }) => event > after);
      return { items: rest.slice(0, limit), more: rest.length > limit };
    }
    const rest = ITEMS.filter(({ event }) => event < (before ?? Number.MAX_SAFE_INTEGER));
    return { items: rest.slice(-limit), more: rest.length > limit };
  };
  return new ReplaySteps("sess_1" as SessionId, query as never);
}

test("[SES-09] a replay goes step by step and turn by turn in both directions, over the borders of pages", async () => {
  const steps = openSteps();
  await steps.goTo(1);
  expect([steps.current?.event, steps.isFirst, steps.isLast]).toEqual([1, true, false]);
  expect(await steps.move(-1)).toBe(false);
  for (let step = 0; step < 120; step += 1) expect(await steps.move(1)).toBe(true);
  expect(steps.current?.event).toBe(121);
  expect(await steps.previousTurn()).toBe(true);
  expect(steps.current?.event).toBe(101);
  expect(await steps.previousTurn()).toBe(true);
  expect(steps.current?.event).toBe(51);
  for (let step = 0; step < 40; step += 1) expect(await steps.move(-1)).toBe(true);
  expect(steps.current?.event).toBe(11);
  expect(await steps.nextTurn()).toBe(true);
  expect(steps.current?.event).toBe(51);
  expect([await steps.toTurn(5), await steps.toTurn(9)]).toEqual([true, false]);
  expect(steps.current?.event).toBe(201);
  expect(await steps.nextTurn()).toBe(false);
  await steps.end();
  expect([steps.current?.event, steps.isLast, await steps.move(1)]).toEqual([250, true, false]);
  expect(await steps.move(-1)).toBe(true);
  expect(
    steps
      .backwards()
      .take(3)
      .map(({ item }) => item.event)
      .toArray(),
  ).toEqual([249, 248, 247]);
});
