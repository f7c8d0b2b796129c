import { invalidEvent, messageOf } from "./errors.ts";
import type { Envelope } from "./protocol.ts";
import { EVENT_KINDS } from "./protocol.ts";

const KINDS: ReadonlySet<string> = new Set(EVENT_KINDS);

/** An event with its place, or the place alone of one whose kind this version does not know. */
export type Placed = { readonly id: number; readonly kind: string; readonly event: Envelope | undefined };

/**
 * Reads one event. Its frame is checked; what is in the payload is the engine's word.
 * @throws CinchError InvalidEvent.
 */
export function readEnvelope(text: string): Placed {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    throw invalidEvent(`it is no JSON (${messageOf(thrown)})`, thrown);
  }
  return checkedEnvelope(value);
}

/** `readEnvelope`, of what was read already. */
export function checkedEnvelope(value: unknown): Placed {
  const { id, kind, session, payload } = Object(value) as Record<string, unknown>;
  if (typeof id !== "number" || !Number.isSafeInteger(id) || id < 1)
    throw invalidEvent("its id is no whole number");
  if (typeof kind !== "string") throw invalidEvent("it has no kind");
  if (typeof session !== "string") throw invalidEvent("it has no session");
  if (typeof payload !== "object" || payload === null) throw invalidEvent(`${kind}: it has no payload`);
  if (!KINDS.has(kind)) return { id, kind, event: undefined };
  if (kind === "StreamGap") {
    const { from, to } = payload as Record<string, unknown>;
    if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to))
      throw invalidEvent("StreamGap: it does not say from where to where");
  }
  return { id, kind, event: value as Envelope };
}
