import type { ClientId } from "../../base/ids.ts";
import { isId } from "../../base/ids.ts";
import { isObject } from "../../base/json.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";

/** Returns whether a session is in plan mode after an event (ENG-21); undefined if the event does not change it. */
export function planModeOf(envelope: Envelope): boolean | undefined {
  const state = stateOf(envelope);
  return state === undefined ? undefined : state["active"] === true;
}

/**
 * Returns the client that has changed plan mode with an event, without a plan; undefined for any other event: the model
 * has begun it, or a person has approved a plan.
 */
export function planModeBy(envelope: Envelope): ClientId | undefined {
  const { by, plan } = stateOf(envelope) ?? {};
  return plan === undefined && typeof by === "string" && isId("cli", by) ? by : undefined;
}

function stateOf(envelope: Envelope): Readonly<Record<string, unknown>> | undefined {
  if (envelope.kind !== "CustomEvent" || envelope.payload.namespace !== "cinch") return undefined;
  const { kind, payload } = envelope.payload;
  return kind === "PlanMode" && isObject(payload) ? payload : undefined;
}
