import { count } from "../../../base/text/text.ts";
import { printPrice } from "../../../view/costs/cost.ts";
import { totalCost } from "../../../view/costs/session-costs.ts";
import { neutralise, neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import type { SessionAccess } from "../layout/services.ts";

/**
 * Returns the lines that stay on the main screen: the cost of the session, and the command that continues it. If the
 * engine was never reached, the texts that nothing keeps.
 * @param unsent messages on their way, and the draft.
 */
export function farewell(
  { open, view, self }: Pick<SessionAccess, "open" | "view" | "self">,
  unsent: readonly string[],
): readonly string[] {
  const lost = unsent.filter((text) => text.trim() !== "");
  if (self === undefined && lost.length > 0)
    return ["Not sent, and kept nowhere else:", ...lost.flatMap((text) => neutralise(text).split("\n"))];
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
