import { lossText } from "../session/findings.ts";
import type { Loss, SessionStore } from "../session/store.ts";

/** Losses that are named one by one. */
const NAMED_MAX = 3;

export interface UntoldLosses {
  readonly losses: readonly Loss[];
  /** One sentence for each log that the store has lost something of, the first few by name. */
  readonly notices: readonly string[];
}

/** Returns the losses that nobody was shown yet (SES-18). Whoever shows the notices calls `lossesTold`. */
export async function untoldLosses(store: Pick<SessionStore, "losses">): Promise<UntoldLosses> {
  const losses = await store.losses("untold");
  const more = losses.length - NAMED_MAX;
  return {
    losses,
    notices: [
      ...losses.slice(0, NAMED_MAX).map((loss) => `${lossText(loss)} See: cinch doctor`),
      ...(more > 0 ? [`${more} more sessions have lost something: cinch doctor`] : []),
    ],
  };
}
