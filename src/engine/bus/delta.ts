import type { Event } from "../../protocol/events/events.ts";
import type { EventOrigin } from "./origin.ts";

/** Longest merged delta, so that events stay bounded while the log is slow. */
export const DELTA_CHARACTERS_MAX = 65_536;

interface Waiting {
  readonly event: Event;
  readonly origin: EventOrigin;
}

/** Merges two consecutive deltas of the same origin into one event; undefined if they cannot be merged. */
export function mergeDelta(waiting: Waiting, next: Event, origin: EventOrigin): Event | undefined {
  const { event } = waiting;
  if (waiting.origin.originator !== origin.originator || waiting.origin.parentCall !== origin.parentCall) {
    return undefined;
  }
  if (event.kind === "TextDelta" && next.kind === "TextDelta") {
    if (event.payload.index !== next.payload.index) return undefined;
    const text = joined(event.payload.text, next.payload.text);
    return text === undefined ? undefined : { kind: "TextDelta", payload: { ...event.payload, text } };
  }
  if (event.kind === "ToolCallProgress" && next.kind === "ToolCallProgress") {
    const { callId } = next.payload;
    if (event.payload.callId !== callId) return undefined;
    const partial = joined(event.payload.partial, next.payload.partial);
    return partial === undefined ? undefined : { kind: "ToolCallProgress", payload: { callId, partial } };
  }
  if (event.kind === "ThinkingDelta" && next.kind === "ThinkingDelta") {
    const [first, second] = [event.payload.block, next.payload.block];
    if (first.family !== second.family || event.payload.index !== next.payload.index) return undefined;
    const text = joined(first.text, second.text);
    if (text === undefined) return undefined;
    return { kind: "ThinkingDelta", payload: { ...event.payload, block: { ...first, text } } };
  }
  return undefined;
}

function joined(first: string, second: string): string | undefined {
  return first.length + second.length > DELTA_CHARACTERS_MAX ? undefined : first + second;
}
