import type { RetentionPlan } from "../../session/store/retention.ts";
import type { DismissedOptions } from "./retention/dismissed.ts";
import { dismissedLogs, writeDismissed } from "./retention/dismissed.ts";
import type { RetentionSources } from "./retention/expire.ts";
import { retentionOf } from "./retention/expire.ts";

const NAMED_MAX = 3;

/**
 * Returns the warning about sessions that lose content within a week ([A] § Storage policy); undefined if there are
 * none, or each of them was dismissed.
 */
export async function expiryWarning(sources: RetentionSources): Promise<string | undefined> {
  // A session without input loses nothing.
  const soon = (await retentionOf(sources)).soon.filter(({ log }) => log.turns > 0);
  if (soon.length === 0) return undefined;
  const dismissed = await dismissedLogs(sources);
  if (soon.every(({ log }) => dismissed.has(log.logId))) return undefined;
  return warningText(soon);
}

/** Words of [A], except for one session and for more than a few. */
export function warningText(soon: RetentionPlan["soon"]): string {
  const ids = soon.slice(0, NAMED_MAX).map(({ log }) => log.session);
  const more = soon.length - ids.length;
  const named = `${ids.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
  const many = soon.length === 1 ? "1 session expires" : `${soon.length} sessions expire`;
  const them = soon.length === 1 ? "it" : "them";
  return `${many} this week: ${named} — /sessions:pin or /sessions:export to keep ${them}. (/sessions:dismiss)`;
}

/** Dismisses the warning about these sessions; one about another session is shown. */
export async function dismissExpiring(
  { world, paths }: DismissedOptions,
  { soon }: Pick<RetentionPlan, "soon">,
): Promise<void> {
  await writeDismissed(
    { world, paths },
    soon.map(({ log }) => log.logId),
  );
}
