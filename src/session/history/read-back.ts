import type { Envelope } from "../../protocol/events/envelope.ts";

/** Reads events of a log, the newest first, until it is done. */
export interface BackReader {
  readonly done: boolean;
  add(event: Envelope): void;
}
