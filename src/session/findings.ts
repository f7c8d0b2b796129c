import type { LogId } from "../base/ids.ts";
import type { Finding, Intent } from "./store.ts";

/** A call that began in a log which nobody holds, and whose end was never written. */
export function orphanFinding(logId: LogId, { callId, tool, startedAt }: Intent): Finding {
  return {
    kind: "orphan",
    weight: "note",
    logId,
    text: `The call ${callId} of ${tool} began at ${startedAt}, and its end was never written.`,
    remedy:
      "Resume the session: it asks what became of the call, or runs it again where that changes nothing.",
  };
}
