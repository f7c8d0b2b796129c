import type { ModelEvent } from "../../provider.ts";

/** Size at which a joined delta stops growing. */
const JOINED_UNITS_MAX = 16_384;

/** Joins deltas of one block that arrived together: every later step costs per event (PERF-02). */
export function joinDeltas(events: readonly ModelEvent[]): readonly ModelEvent[] {
  if (events.length < 2) return events;
  const result: ModelEvent[] = [];
  for (const event of events) {
    const last = result.at(-1);
    const isDelta = event.kind === "text" || event.kind === "thinking";
    const continues = isDelta && last?.kind === event.kind && last.index === event.index;
    if (!continues || last.text.length > JOINED_UNITS_MAX) result.push(event);
    else result[result.length - 1] = { ...last, text: last.text + event.text };
  }
  return result;
}
