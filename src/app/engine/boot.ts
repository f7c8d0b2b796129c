import { Cancelled, HarnessError } from "../../base/errors.ts";
import { toHarnessError } from "../../base/files/storage-problem.ts";
import type { Log } from "../../base/log.ts";
import type { Reason } from "../../base/reasons.ts";

/** A start that failed, and its step (LIFE-01). The reason is that of its cause. */
export class BootFailure extends HarnessError {
  override readonly name = "BootFailure";
  readonly step: string;

  constructor(step: string, cause: HarnessError) {
    super(cause.reason, cause.fields, { cause, text: `${cause.message} (while ${step})` });
    this.step = step;
  }
}

/**
 * Runs one step of the start. A failure names the step, unless it was stopped from outside; the caller's disposable
 * stack undoes the steps before it.
 *
 * @param step the work of the step, as it reads behind "while": "reading the configuration".
 */
export async function bootStep<Value>(log: Log, step: string, run: () => Promise<Value>): Promise<Value> {
  try {
    return await run();
  } catch (caught) {
    const thrown = firstOf(caught);
    if (thrown instanceof BootFailure || thrown instanceof Cancelled) throw thrown;
    const error = toHarnessError(thrown);
    // The caller asked wrongly and gets the answer: nothing here has failed.
    const { httpStatusOf } = await import("../../server/http/statuses.ts");
    const level = httpStatusOf(error.reason as Reason) < 500 ? "info" : "error";
    log.for("boot").write(level, "the start failed", { step, reason: error.reason, message: error.message });
    throw new BootFailure(step, error);
  }
}

/** Returns the first failure, if undoing it failed too. */
function firstOf(thrown: unknown): unknown {
  return thrown instanceof SuppressedError ? firstOf(thrown.suppressed) : thrown;
}
