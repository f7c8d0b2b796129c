import type { OpenSessions } from "../../../app/sessions/open-sessions.ts";
import type { ProcessContext } from "../../process-context.ts";
import type { Stop } from "../../processes/stop.ts";
import type { SessionsWords } from "./sessions-words.ts";

/** Handles of a verb of `cinch sessions`. */
export interface SessionsVerbContext {
  readonly words: SessionsWords;
  readonly sessions: OpenSessions;
  readonly at: ProcessContext;
  readonly stop: Stop;
}
