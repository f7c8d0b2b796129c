import type { Envelope, EnvelopeOf } from "../protocol/events/envelope.ts";

/** Returns true for the event that starts a turn of the session's own agent; with `turn`, that turn. */
export function isTurnStarted(event: Envelope, turn?: number): event is EnvelopeOf<"TurnStarted"> {
  if (event.kind !== "TurnStarted" || event.parentCall !== undefined) return false;
  return turn === undefined || event.payload.turn === turn;
}

/** Returns true for the event that ends a turn of the session's own agent; with `turn`, that turn. */
export function isTurnEnded(event: Envelope, turn?: number): event is EnvelopeOf<"TurnEnded"> {
  if (event.kind !== "TurnEnded" || event.parentCall !== undefined) return false;
  return turn === undefined || event.payload.turn === turn;
}
