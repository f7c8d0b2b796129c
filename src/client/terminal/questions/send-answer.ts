import { HarnessError, hasReason } from "../../../base/errors.ts";
import type { Services } from "../layout/services.ts";
import type { AnswerCommand } from "./dialog.ts";

/**
 * Outcome of an answer. `late`: another answer came first, and this one does not count. `gone`: nothing is asked any
 * more, such as after a restart of the engine. `refused`: the question is still open.
 */
export type AnswerOutcome =
  | { readonly kind: "taken" | "late" | "gone" }
  | { readonly kind: "refused"; readonly refusal: HarnessError };

/** Sends an answer to a question of the session that is shown. */
export async function sendAnswer(
  command: AnswerCommand,
  { session }: Pick<Services, "session">,
): Promise<AnswerOutcome> {
  const { open } = session;
  const answer = await session.send(command);
  if (!(answer instanceof HarnessError)) return { kind: answer.result?.counted === false ? "late" : "taken" };
  if (hasReason(answer, "InvalidCommand") && open !== undefined) {
    const info = await session.infoOf(open, { isFresh: true });
    if (!(info instanceof HarnessError) && info.questions === 0) return { kind: "gone" };
  }
  return { kind: "refused", refusal: answer };
}
