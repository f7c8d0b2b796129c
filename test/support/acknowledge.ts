import type { HarnessOptions } from "../../src/app/engine/options.ts";
import { openReview } from "../../src/app/explain/review.ts";

/** What a person does who reads every file of the project and says yes to each. */
export async function acknowledgeAll(options: HarnessOptions): Promise<readonly string[]> {
  const { pending, ledger } = await openReview(options);
  await ledger.approve(pending.map(({ item }) => item));
  return pending.map(({ path }) => path);
}
