import { visibleLine } from "../../safety/hidden.ts";
import type { PendingItem, TrustItem, TrustKind } from "../../session/guard/trust.ts";
import { kindName } from "./ledger/item.ts";

/** Kinds that only add. A plugin, a hook, a preset and a profile may restrict: a run never continues without one. */
const ADDING: ReadonlySet<TrustKind> = new Set(["skill", "agent", "prompt-template", "alias-file"]);

export interface SkippedItems {
  readonly items: ReadonlySet<TrustItem>;
  /** One sentence for the user, or none. */
  readonly notices: readonly string[];
}

/** Returns the user's unacknowledged files that only add: an unattended run continues without them (TOFU-04). */
export function skipUnacknowledged(pending: readonly PendingItem[]): SkippedItems {
  const userItems = pending.filter(({ item }) => item.scope === "user" && ADDING.has(item.kind));
  const named = userItems.map(({ item, path }) => `${visibleLine(path)} (${kindName(item.kind)})`).join(", ");
  const notices =
    userItems.length === 0
      ? []
      : [
          `Left out, since you have not acknowledged them as they are now: ${named}. At a terminal: cinch ack --all`,
        ];
  return { items: new Set(userItems.map(({ item }) => item)), notices };
}
