import type { Event } from "../../protocol/events/events.ts";
import type { EventOrigin } from "./origin.ts";

/** Longest merged delta, so that events stay bounded while the log is slow. */
export const DELTA_CHARACTERS_MAX = 65_536;

/** A piece of something that is still being written: clients see it before it is in the log. */
export type DeltaEvent = Extract<Event, { kind: "TextDelta" | "ThinkingDelta" | "ToolCallProgress" }>;

export function isDelta(event: Event): event is DeltaEvent {
  return event.kind === "TextDelta" || event.kind === "ThinkingDelta" || event.kind === "ToolCallProgress";
}

/** A delta that nobody has seen yet: later ones of its block are merged into it. */
export class WaitingDelta {
  readonly kind = "delta";
  readonly origin: EventOrigin;
  readonly ts: string;
  /** Its block is that of the first; the numbers of a running command are the latest. */
  #newest: DeltaEvent;
  #text: string;

  constructor(first: DeltaEvent, origin: EventOrigin, ts: string) {
    this.#newest = first;
    this.origin = origin;
    this.ts = ts;
    this.#text = textOf(first);
  }

  /** Adds the next delta; returns false if it is of another block or origin, or makes this one too long. */
  merge(next: DeltaEvent, origin: EventOrigin): boolean {
    if (!isSameBlock(this.#newest, next) || !isSameOrigin(this.origin, origin)) return false;
    const text = textOf(next);
    if (this.#text.length + text.length > DELTA_CHARACTERS_MAX) return false;
    this.#text += text;
    if (next.kind === "ToolCallProgress" && next.payload.bytes !== undefined) this.#newest = next;
    return true;
  }

  get event(): DeltaEvent {
    return withText(this.#newest, this.#text);
  }
}

function textOf(event: DeltaEvent): string {
  switch (event.kind) {
    case "TextDelta":
      return event.payload.text;
    case "ThinkingDelta":
      return event.payload.block.text;
    case "ToolCallProgress":
      return event.payload.partial;
  }
}

function withText(event: DeltaEvent, text: string): DeltaEvent {
  switch (event.kind) {
    case "TextDelta":
      return { kind: event.kind, payload: { ...event.payload, text } };
    case "ThinkingDelta": {
      const block = { ...event.payload.block, text };
      return { kind: event.kind, payload: { ...event.payload, block } };
    }
    case "ToolCallProgress":
      return { kind: event.kind, payload: { ...event.payload, partial: text } };
  }
}

function isSameBlock(one: DeltaEvent, other: DeltaEvent): boolean {
  if (one.kind === "TextDelta" && other.kind === "TextDelta")
    return one.payload.index === other.payload.index;
  if (one.kind === "ToolCallProgress" && other.kind === "ToolCallProgress")
    return one.payload.callId === other.payload.callId;
  if (one.kind !== "ThinkingDelta" || other.kind !== "ThinkingDelta") return false;
  return one.payload.index === other.payload.index && one.payload.block.family === other.payload.block.family;
}

function isSameOrigin(one: EventOrigin, other: EventOrigin): boolean {
  return one === other || (one.originator === other.originator && one.parentCall === other.parentCall);
}
