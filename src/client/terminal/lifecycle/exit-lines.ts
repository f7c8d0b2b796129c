import { count, shortened } from "../../../base/text/text.ts";
import { printPrice } from "../../../view/costs/cost.ts";
import { totalCost } from "../../../view/costs/session-costs.ts";
import { neutralise, neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import type { SessionAccess } from "../layout/services.ts";

/** Characters that are printed of a message. */
const UNSENT_CHARACTERS_MAX = 2_000;

/** Texts that a person wrote. */
export interface UnsentTexts {
  /** Messages that the engine has not confirmed. */
  readonly sending: readonly string[];
  /** The draft, and one that was cleared last. */
  readonly drafts: readonly string[];
  /** Drafts, and cleared ones, that no session has kept as they are now. */
  readonly unkept: readonly string[];
}

/**
 * Returns the lines that stay on the main screen: messages that the engine has not confirmed, drafts that it could not
 * keep, the cost of the session, and the command that continues it. If the engine was never reached, all texts, whole:
 * nothing else keeps them.
 */
export function exitLines(
  { open, view, self, isUntouched }: Pick<SessionAccess, "open" | "view" | "self" | "isUntouched">,
  { sending, drafts, unkept }: UnsentTexts,
): readonly string[] {
  const lost = [...drafts, ...sending].filter((text) => text.trim() !== "");
  if (self === undefined && lost.length > 0)
    return ["Not sent, and kept nowhere else:", ...lost.flatMap((text) => neutralise(text).split("\n"))];
  const unconfirmed = [
    ...sending.map((text) => `perhaps not sent: ${shortened(neutraliseLine(text), UNSENT_CHARACTERS_MAX)}`),
    ...unkept.flatMap((text) => ["A draft that is kept nowhere else:", ...neutralise(text).split("\n")]),
  ];
  // A session in which nothing is kept is removed.
  const isEmpty = isUntouched && lost.length === 0 && view.title === undefined;
  if (open === undefined || isEmpty) return unconfirmed;
  const cost = totalCost(view.costs);
  const session = neutraliseLine(open.session);
  return [
    ...unconfirmed,
    ...(cost.calls === 0 ? [] : [`${printPrice(cost)} this session`]),
    ...(view.waiting.length === 0
      ? []
      : [`${count(view.waiting.length, "message")} in the queue, for when you continue`]),
    `cinch --resume ${session}   continues this session`,
  ];
}
