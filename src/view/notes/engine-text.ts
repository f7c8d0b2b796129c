import type { HarnessError } from "../../base/errors.ts";
import { neutraliseLine } from "../terminal/terminal-text.ts";

/** A sentence about the engine of a client. `away` holds until `back`. */
export interface EngineNotice {
  readonly kind: "upgrading" | "away" | "back" | "resumed";
  readonly text: string;
}

/** The schema of the database is brought up to date before the engine serves (SES-02). */
export const UPGRADING: EngineNotice = { kind: "upgrading", text: "Database is upgrading…" };
export const ENGINE_BACK: EngineNotice = { kind: "back", text: "The engine answers again." };
export const ENGINE_RESUMED: EngineNotice = {
  kind: "resumed",
  text: "It was restarted: the session continues, and what it was doing has ended.",
};

export function engineAway({ message }: HarnessError): EngineNotice {
  return { kind: "away", text: `${neutraliseLine(message)} What you type waits; it is tried for again.` };
}
