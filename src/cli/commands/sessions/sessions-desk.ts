import type { OpenSessions } from "../../../app/sessions/sessions.ts";
import type { SessionsInvocation } from "../../args/arguments.ts";
import type { Stop } from "../../processes/stop.ts";
import type { Surroundings } from "../../surroundings.ts";

/** What a verb of `cinch sessions` works with. */
export interface SessionsDesk {
  readonly words: SessionsInvocation;
  readonly sessions: OpenSessions;
  readonly at: Surroundings;
  readonly stop: Stop;
}
