import { isObject } from "../../base/json.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { StateReader } from "../../session/feature.ts";
import type { CarriedState } from "../../session/moments.ts";
import { PLAN_MODE } from "./plan-mode.ts";

/** Finds out if a log ended in plan mode (ENG-21, SES-07). */
export class PlanModeReader implements StateReader {
  #active: boolean | undefined;
  #startSeen = false;

  get done(): boolean {
    return this.#active !== undefined;
  }

  get state(): CarriedState {
    return { planMode: this.#active ?? false };
  }

  add(event: Envelope): void {
    if (this.done || event.parentCall !== undefined) return;
    const active = activeIn(event);
    if (active !== undefined) this.#active = active;
    // A turn that begins in plan mode has the event before it: without one between two turns, the mode was off.
    else if (this.#startSeen && event.kind === "TurnEnded") this.#active = false;
    else if (event.kind === "TurnStarted") this.#startSeen = true;
  }
}

function activeIn(event: Envelope): boolean | undefined {
  if (event.kind !== "CustomEvent" || event.payload.namespace !== "cinch") return undefined;
  const { kind, payload } = event.payload;
  return kind === PLAN_MODE && isObject(payload) ? payload["active"] === true : undefined;
}
