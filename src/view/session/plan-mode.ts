import { isObject } from "../../base/json.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";

/** Returns whether a session is in plan mode after an event (ENG-21); undefined if the event does not change it. */
export function planModeOf(envelope: Envelope): boolean | undefined {
  if (envelope.kind !== "CustomEvent" || envelope.payload.namespace !== "cinch") return undefined;
  const { kind, payload } = envelope.payload;
  return kind === "PlanMode" && isObject(payload) ? payload["active"] === true : undefined;
}
