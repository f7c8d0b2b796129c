import { HarnessError } from "../../../base/errors.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import type { ProcessContext } from "../../process-context.ts";

/**
 * Asks a person at the terminal for a yes. Any other answer, Ctrl-C, and the end of the input mean no.
 * @throws HarnessError UsageInvalid without a terminal; the signal's reason.
 */
export async function askYes(
  question: string,
  { at, signal }: { readonly at: Pick<ProcessContext, "stderr" | "world">; readonly signal: AbortSignal },
): Promise<boolean> {
  if (process.stdin.isTTY !== true) {
    throw new HarnessError("UsageInvalid", {
      problem: "nobody can be asked here: say --yes to do it",
    });
  }
  const { terminalAnswers } = await import("./terminal-answers.ts");
  using answers = terminalAnswers(at, signal);
  const answer = await answers.next(`${neutraliseLine(question)} [y/N] `);
  signal.throwIfAborted();
  return /^y(?:es)?$/i.test(answer?.trim() ?? "");
}
