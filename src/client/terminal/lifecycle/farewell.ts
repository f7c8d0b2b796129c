import { count, shortened } from "../../../base/text/text.ts";
import { printPrice } from "../../../view/costs/cost.ts";
import { totalCost } from "../../../view/costs/session-costs.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import type { OutgoingMessage } from "../input/message.ts";
import type { SessionAccess } from "../layout/services.ts";

/** Characters that are printed of a message. */
const UNSENT_CHARACTERS_MAX = 2_000;

/**
 * Returns the lines that stay on the main screen: messages that the engine has not confirmed, the cost of the session,
 * and the command that continues it.
 */
export function farewell(
  { open, view }: Pick<SessionAccess, "open" | "view">,
  unsent: readonly Pick<OutgoingMessage, "text">[],
): readonly string[] {
  const lost = unsent.map(
    ({ text }) => `perhaps not sent: ${shortened(neutraliseLine(text), UNSENT_CHARACTERS_MAX)}`,
  );
  if (open === undefined) return lost;
  const cost = totalCost(view.costs);
  const session = neutraliseLine(open.session);
  return [
    ...lost,
    ...(cost.calls === 0 ? [] : [`${printPrice(cost)} this session`]),
    ...(view.waiting.length === 0
      ? []
      : [`${count(view.waiting.length, "message")} in the queue, for when you continue`]),
    `cinch --resume ${session}   continues this session`,
  ];
}
