const NAMED_MAX = 3;

/**
 * Returns the warning about sessions that lose content within a week (SES-06). Words of [A], but for one session.
 * @param total number of all of them; the first ones suffice as names.
 */
export function expiringSessionsText(sessions: readonly string[], total = sessions.length): string {
  const ids = sessions.slice(0, NAMED_MAX);
  const more = total - ids.length;
  const named = `${ids.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
  const many = total === 1 ? "1 session expires" : `${total} sessions expire`;
  const them = total === 1 ? "it" : "them";
  return `${many} this week: ${named} — /sessions:pin or /sessions:export to keep ${them}. (/sessions:dismiss)`;
}
