import type { Envelope } from "../../protocol/events/envelope.ts";

/** Learns something of a log from its events, the newest first, until it is done. */
export interface BackReader {
  readonly done: boolean;
  add(event: Envelope): void;
}
