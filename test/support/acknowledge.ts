import type { HarnessOptions } from "../../src/app/engine/options.ts";
import { openReview } from "../../src/app/explain/review.ts";

/** Acknowledges every file of the project, as a person would. */
export async function acknowledgeAll(options: HarnessOptions): Promise<readonly string[]> {
  const { pending, ledger } = await openReview(options);
  await ledger.approve(pending.map(({ item }) => item));
  return pending.map(({ path }) => path);
}
