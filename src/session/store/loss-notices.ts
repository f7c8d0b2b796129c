import type { LogId } from "../../base/ids.ts";
import type { Log } from "../../base/log.ts";
import { lossText } from "./findings.ts";
import type { Loss, SessionStore } from "./store.ts";

/** Losses that are named individually. */
const NAMED_MAX = 3;

/** Losses of an engine's session store that no person was shown yet (SES-18). */
export class LossNotices {
  readonly #store: Pick<SessionStore, "losses" | "lossesTold">;
  readonly #log: Log;
  /** A log that continues, or a new one that replaces a missing one, ends a loss in the store. It stays here. */
  readonly #untold = new Map<LogId, Loss>();

  constructor(store: Pick<SessionStore, "losses" | "lossesTold">, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** Reads the losses. Call it before a session writes: its first write makes its log count as whole. */
  async look(): Promise<void> {
    for (const loss of await this.#store.losses("untold")) {
      if (this.#untold.has(loss.logId)) continue;
      this.#untold.set(loss.logId, loss);
      this.#log.for("session").write("warn", "the session store has lost something", { log: loss.logId });
    }
  }

  /**
   * Returns one sentence for each log that has lost something, the first few by name, and counts them as reported. Call
   * it only for a session whose notices a person reads, once nothing can fail any more.
   */
  async tell(): Promise<readonly string[]> {
    const losses = [...this.#untold.values()];
    await this.#store.lossesTold(losses);
    for (const { logId } of losses) this.#untold.delete(logId);
    const more = losses.length - NAMED_MAX;
    return [
      ...losses.slice(0, NAMED_MAX).map((loss) => `${lossText(loss)} See: cinch doctor`),
      ...(more > 0 ? [`${more} more sessions have lost something: cinch doctor`] : []),
    ];
  }
}
