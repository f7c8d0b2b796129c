import { HarnessError, messageOf } from "../../base/errors.ts";
import { neutraliseLine } from "../terminal/terminal-text.ts";
import { refusalText } from "../texts/refusal-text.ts";

/** A sentence about the engine of a client. `away` holds until `back`, `failed` until the client ends. */
export interface EngineNotice {
  readonly kind: "upgrading" | "away" | "back" | "resumed" | "failed";
  readonly text: string;
}

/** The schema of the database is brought up to date before the engine serves (SES-02). */
export const UPGRADING: EngineNotice = { kind: "upgrading", text: "Database is upgrading…" };
export const ENGINE_BACK: EngineNotice = { kind: "back", text: "The engine answers again." };
export const ENGINE_RESUMED: EngineNotice = {
  kind: "resumed",
  text: "The engine was restarted: the session continues, and what it was doing has ended.",
};

/** The engine of this user, which its clients start again by themselves. */
export const OWN_ENGINE_AWAY: EngineNotice = {
  kind: "away",
  text: "The engine has stopped: it is started again. What you type waits.",
};

/** Returns the notice of the engine of this user after a start that failed. Undefined: it has died too often. */
export function engineNotRestarted(failure: unknown): EngineNotice {
  const text =
    failure === undefined
      ? "The engine has stopped again and again: it is not restarted any more. What you type waits until another cinch starts one."
      : `The engine has stopped, and could not be started: ${failureSentence(failure)} It is tried again. What you type waits.`;
  return { kind: "away", text };
}

/** Returns the notice of an engine at an address, which nobody starts from here. The failure may end with a command. */
export function engineAway({ message }: HarnessError): EngineNotice {
  const why = neutraliseLine(message);
  return { kind: "away", text: `What you type waits, and cinch tries again to reach the engine. ${why}` };
}

/** Returns the notice of an engine that was never reached, or of a session that could not be opened at the start. */
export function engineFailed(failure: unknown): EngineNotice {
  const text = `${failureSentence(failure)} Nothing can be sent here: leave cinch, and start it again.`;
  return { kind: "failed", text };
}

function failureSentence(failure: unknown): string {
  const why = neutraliseLine(failure instanceof HarnessError ? refusalText(failure) : messageOf(failure));
  return /[.!?]$/.test(why) ? why : `${why}.`;
}
