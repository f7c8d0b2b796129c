import type { Event } from "../../protocol/events/events.ts";
import { ARGS_DELTA_CHARACTERS_MAX } from "../../protocol/events/progress-limits.ts";
import type { EventOrigin } from "./origin.ts";

/** A piece of the arguments of a call that the model writes: outside the log, for those who ask. */
export type ArgsDelta = Extract<Event, { kind: "ToolArgsDelta" }>;

/** The calls that a model writes. */
export interface ArgsSource {
  readonly origin: EventOrigin;
  /** Returns everything that was shown of them, in pieces. */
  shown(): readonly ArgsDelta[];
}

/**
 * Joins two pieces of one call that follow each other: a call then takes few places in the queue of a slow reader.
 * Returns undefined if they do not follow, or if the joined piece would be too long.
 */
export function joinedArgs(
  { payload: before }: ArgsDelta,
  { payload: next }: ArgsDelta,
): ArgsDelta | undefined {
  if (before.callId !== next.callId || before.offset + before.text.length !== next.offset) return undefined;
  const text = before.text + next.text;
  if (text.length > ARGS_DELTA_CHARACTERS_MAX) return undefined;
  return { kind: "ToolArgsDelta", payload: { ...next, text, offset: before.offset } };
}
