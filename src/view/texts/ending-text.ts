import { unreachable } from "../../base/assert.ts";
import type { TurnEndReason } from "../../protocol/events/events.ts";

/** Returns the notice that a client has cancelled a turn. */
export function cancelledText(client: string): string {
  return `cancelled by ${client}`;
}

/** Returns the result of a call that a cancel has stopped. @param isBegun false: the call did not run. */
export function cancelledCallText(reason: string, isBegun: boolean): string {
  return `cancelled: ${reason}; ${isBegun ? MAY_HAVE_RUN : DID_NOT_RUN}`;
}

/** Returns how far a call had run that a cancel has stopped; undefined for the result of any other call. */
export function cancelledAt(text: string): "begun" | "waiting" | undefined {
  if (!text.startsWith("cancelled: ")) return undefined;
  if (text.endsWith(`; ${MAY_HAVE_RUN}`)) return "begun";
  return text.endsWith(`; ${DID_NOT_RUN}`) ? "waiting" : undefined;
}

const MAY_HAVE_RUN = "it may have taken effect in part";
const DID_NOT_RUN = "it did not run";

/** Returns the words for a turn's end; undefined if it ended as it should. */
export function endingText(reason: TurnEndReason): string | undefined {
  switch (reason) {
    case "complete":
    case "yield":
      return undefined;
    case "cancelled":
      return "cancelled";
    case "error":
      return "ended by an error";
    case "length":
      return "the answer was cut off at the model's output limit";
    case "empty":
      return "the model answered with nothing";
    case "turn_limit":
      return "ended at the limit of rounds";
    case "time_limit":
      return "ended at the time limit";
    case "budget":
      return "ended at the cost cap";
    case "no_progress":
      return "ended because the model repeated itself without progress";
    default:
      return unreachable(reason);
  }
}
