import type { ClientId, EventSeq } from "../../../base/ids.ts";
import type { KnownClients } from "../../../view/session/clients.ts";

/** What drawing an item depends on besides the item. */
export interface DrawContext {
  readonly columns: number;
  /** Items that the person has unfolded, by their event; `all` unfolds every one. */
  readonly unfolded: ReadonlySet<EventSeq | "all">;
  readonly clients: KnownClients;
  readonly self: ClientId | undefined;
  /** Wall clock in milliseconds, for the time of what runs. */
  readonly nowMs: number;
}
