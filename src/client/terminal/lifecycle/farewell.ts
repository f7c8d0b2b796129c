import { count } from "../../../base/text/text.ts";
import { printPrice } from "../../../view/costs/cost.ts";
import { totalCost } from "../../../view/costs/session-costs.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import type { SessionAccess } from "../layout/services.ts";

/** Returns the lines that stay on the main screen: the cost of the session, and the command that continues it. */
export function farewell({ open, view }: Pick<SessionAccess, "open" | "view">): readonly string[] {
  if (open === undefined) return [];
  const cost = totalCost(view.costs);
  const session = neutraliseLine(open.session);
  return [
    ...(cost.calls === 0 ? [] : [`${printPrice(cost)} this session`]),
    ...(view.waiting.length === 0
      ? []
      : [`${count(view.waiting.length, "message")} in the queue, for when you continue`]),
    `cinch --resume ${session}   continues this session`,
  ];
}
