import type { AskId } from "../base/ids.ts";
import type { Envelope } from "../protocol/events/envelope.ts";

/** Moments that a person who looks elsewhere is notified of. */
export const NOTIFIED_EVENTS = ["turn-end", "question", "error"] as const;
export type NotifiedEvent = (typeof NOTIFIED_EVENTS)[number];

/** Moments that the user's configuration notifies of, by the way in which it does. */
export interface NoticeWays {
  /** The terminal of a client rings its bell. */
  readonly bell: readonly NotifiedEvent[];
  /** The engine shows a notice on the desktop. */
  readonly desktop: readonly NotifiedEvent[];
}

/** Sorts the events of one session by what a person is notified of: each question once, and each turn's end. */
export class NotifiedEvents {
  readonly #open = new Set<AskId>();

  /**
   * Returns what the event is to a person; undefined for all other events. A failed turn is an error. A turn that
   * somebody cancelled is nothing, and neither is the end of a sub-agent's work.
   */
  add(envelope: Envelope): NotifiedEvent | undefined {
    switch (envelope.kind) {
      case "PermissionRequested":
        return "question";
      case "Asked": {
        const { askId } = envelope.payload;
        if (this.#open.has(askId)) return undefined; // its time limit has changed
        this.#open.add(askId);
        return "question";
      }
      case "Answered":
        this.#open.delete(envelope.payload.askId);
        return undefined;
      case "TurnEnded": {
        const { reason, error } = envelope.payload;
        if (envelope.parentCall !== undefined || reason === "cancelled") return undefined;
        return reason === "error" || error !== undefined ? "error" : "turn-end";
      }
      default:
        return undefined;
    }
  }
}
