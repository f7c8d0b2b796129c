import type { RetentionPlan } from "../../session/store/retention.ts";
import { expiringSessionsText } from "../../view/notes/expiry-text.ts";
import type { DismissedOptions } from "./retention/dismissed.ts";
import { dismissedLogs, writeDismissed } from "./retention/dismissed.ts";
import type { RetentionSources } from "./retention/expire.ts";
import { retentionOf } from "./retention/expire.ts";

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
  return expiringSessionsText(soon.map(({ log }) => log.session));
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
