import type { SessionId } from "../../base/ids.ts";
import type { RetentionPlan } from "../../session/store/retention.ts";
import { expiringSessionsText } from "../../view/notes/expiry-text.ts";
import type { DismissedOptions } from "./retention/dismissed.ts";
import { dismissedLogs, writeDismissed } from "./retention/dismissed.ts";
import type { RetentionSources } from "./retention/expire.ts";
import { retentionOf } from "./retention/expire.ts";

/** Result of a look for sessions that lose content within a week. */
export interface ExpiringSessions {
  /** Their ids: the one that loses content first at the beginning. */
  readonly sessions: readonly SessionId[];
  /** True if a person has hidden the warning about each of them. */
  readonly dismissed: boolean;
}

/** Returns the sessions that lose content within a week (SES-06). */
export async function expiringSessions(sources: RetentionSources): Promise<ExpiringSessions> {
  // A session without input loses nothing.
  const soon = (await retentionOf(sources)).soon.filter(({ log }) => log.turns > 0);
  const hidden = soon.length === 0 ? new Set() : await dismissedLogs(sources);
  return {
    sessions: soon.map(({ log }) => log.session),
    dismissed: soon.every(({ log }) => hidden.has(log.logId)),
  };
}

/**
 * Returns the warning about sessions that lose content within a week ([A] § Storage policy); undefined if there are
 * none, or each of them was dismissed.
 */
export async function expiryWarning(sources: RetentionSources): Promise<string | undefined> {
  const { sessions, dismissed } = await expiringSessions(sources);
  return sessions.length === 0 || dismissed ? undefined : expiringSessionsText(sessions);
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
