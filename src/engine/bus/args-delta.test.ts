import { expect, test } from "bun:test";
import { openBus } from "../../../test/support/bus-rig.ts";
import { fakeId } from "../../../test/support/fake-connection.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { ARGS_DELTA_CHARACTERS_MAX } from "../../protocol/events/progress-limits.ts";
import type { ArgsDelta } from "./args-delta.ts";
import { ASIDE_EVENTS_MAX } from "./subscriber.ts";

function piece(call: number, text: string, offset: number): ArgsDelta {
  return { kind: "ToolArgsDelta", payload: { callId: fakeId("call", call), tool: "Write", text, offset } };
}

/** Reads what waits for a subscriber, up to the event that `isLast` names. */
async function waiting(
  events: AsyncGenerator<Envelope>,
  isLast: (event: Envelope) => boolean,
): Promise<readonly Envelope[]> {
  const seen: Envelope[] = [];
  for await (const event of events) {
    seen.push(event);
    if (isLast(event)) break;
  }
  return seen;
}

const isEnd = ({ kind, payload }: Envelope) => kind === "ToolArgsDelta" && payload.text === "end";
const MARK = { kind: "CustomEvent", payload: { namespace: "test", kind: "end", payload: 1 } } as const;

test("[CTL-19 ENG-08] pieces that wait for a slow reader are joined, and never hold more than a limit", async () => {
  const { bus } = await openBus();
  const stop = new AbortController();
  const events = bus.subscribe(undefined, stop.signal, { args: true });
  const size = 1_000;
  for (let at = 0; at < 5_000; at++) bus.notifyArgs(piece(1, "x".repeat(size), at * size), {});
  bus.notifyArgs(piece(9, "end", 0), {});
  const seen = (await waiting(events, isEnd)).slice(0, -1);
  expect(seen.length).toBe(ASIDE_EVENTS_MAX - 1);
  let end: number | undefined;
  for (const event of seen) {
    if (event.kind !== "ToolArgsDelta") continue;
    const { text, offset } = event.payload;
    expect(text.length).toBeLessThanOrEqual(ARGS_DELTA_CHARACTERS_MAX);
    if (end === undefined)
      expect(offset).toBeGreaterThan(0); // a reader sees that it missed the beginning
    else expect(offset).toBe(end);
    end = offset + text.length;
  }
  expect(end).toBe(5_000 * size);
});

test("[CTL-19] pieces of other calls stand between without harm, and only those who ask get any", async () => {
  const { bus } = await openBus();
  const stop = new AbortController();
  expect(bus.isArgsWanted).toBe(false);
  const other = bus.subscribe(undefined, stop.signal);
  expect(bus.isArgsWanted).toBe(false);
  const asking = bus.subscribe(undefined, stop.signal, { args: true });
  expect(bus.isArgsWanted).toBe(true);
  for (const [call, text, offset] of [
    [1, "a", 0],
    [2, "x", 0],
    [1, "b", 1],
    [2, "y", 1],
  ] as const)
    bus.notifyArgs(piece(call, text, offset), {});
  bus.notifyArgs(piece(9, "end", 0), {});
  bus.notify(MARK, {});
  const [seen, others] = await Promise.all([
    waiting(asking, isEnd),
    waiting(other, ({ kind }) => kind === "CustomEvent"),
  ]);
  expect(seen.flatMap(({ kind, payload }) => (kind === "ToolArgsDelta" ? [payload] : []))).toEqual([
    piece(1, "ab", 0).payload,
    piece(2, "xy", 0).payload,
    piece(9, "end", 0).payload,
  ]);
  expect(others.map(({ kind }) => kind)).toEqual(["CustomEvent"]);
  expect(bus.isArgsWanted).toBe(false);
});
