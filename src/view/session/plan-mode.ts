import { isObject } from "../../base/json.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";

/** Whether a session is in plan mode from an event on (ENG-21); undefined where it does not tell. */
export function planModeOf(envelope: Envelope): boolean | undefined {
  if (envelope.kind !== "CustomEvent" || envelope.payload.namespace !== "cinch") return undefined;
  const { kind, payload } = envelope.payload;
  return kind === "PlanMode" && isObject(payload) ? payload["active"] === true : undefined;
}
