import type { ClientId } from "../../../base/ids.ts";
import type { KnownClients } from "../../../view/session/clients.ts";
import type { SubAgents } from "../../../view/session/sub-agents.ts";
import type { TranscriptItem } from "../../../view/transcript/items.ts";
import type { DiffLayout } from "../diff/diff-rows.ts";
import type { DrawnRow } from "../drawing/span.ts";
import type { Unfolded } from "./folds.ts";

/** Values that drawing an item depends on besides the item. */
export interface DrawContext {
  readonly columns: number;
  /** Items that are unfolded, by their events. */
  readonly unfolded: Unfolded;
  readonly clients: KnownClients;
  readonly self: ClientId | undefined;
  /** Wall clock in milliseconds, for the time of what runs. */
  readonly nowMs: number;
  /** Last lines of output that a folded call shows. Default: 5. */
  readonly lastLines?: number;
  /** Key that unfolds all blocks, for rows about what is left out. Absent: no key does. */
  readonly unfoldKey?: string;
  /** Sub-agents by the calls that run them: their cost and state. Default: none. */
  readonly subAgents?: SubAgents;
  /** Default: `auto`. */
  readonly diffLayout?: DiffLayout;
}

/** Draws the items of a sub-agent. */
export type DrawNested = (items: readonly TranscriptItem[], context: DrawContext) => readonly DrawnRow[];
