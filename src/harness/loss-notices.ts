import { lossText } from "../session/findings.ts";
import type { SessionStore } from "../session/store.ts";

/** Losses that are named one by one. */
const NAMED_MAX = 3;

/** One notice for each log that the store has lost something of, and that nobody was told of yet (SES-18). */
export async function lossNotices(store: Pick<SessionStore, "losses">): Promise<readonly string[]> {
  const losses = await store.losses("untold");
  const more = losses.length - NAMED_MAX;
  return [
    ...losses.slice(0, NAMED_MAX).map((loss) => `${lossText(loss)} See: cinch doctor`),
    ...(more > 0 ? [`${more} more sessions have lost something: cinch doctor`] : []),
  ];
}
