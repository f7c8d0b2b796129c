import { messageOf } from "../../../base/errors.ts";
import type { Log } from "../../../base/log.ts";
import type { Clock } from "../../../base/world.ts";

/** The pauses between lists when a server keeps announcing changes: the shortest and, after doubling, the longest. */
const PAUSE_MS_MIN = 1_000;
const PAUSE_MS_MAX = 60_000;

export interface ToolRefresherDependencies {
  readonly clock: Clock;
  readonly log: Log;
  /** Reads the server's current tools. */
  readonly list: () => Promise<void>;
  /** Aborts when the server closes. */
  readonly signal: AbortSignal;
}

/**
 * Reads a server's tools again when it announces a change, at most once a second (MCP-06). Each further announcement
 * during the pause doubles it, up to a minute, because sessions report and remember the changes.
 */
export class ToolRefresher {
  readonly #dependencies: ToolRefresherDependencies;
  #isStale = false;
  #underWay: Promise<void> | undefined;

  constructor(dependencies: ToolRefresherDependencies) {
    this.#dependencies = dependencies;
  }

  /** Resolves when no list is running. */
  get settled(): Promise<void> {
    return this.#underWay ?? Promise.resolve();
  }

  /** Handles the server's announcement that its tools have changed. */
  refresh(): void {
    this.#isStale = true;
    this.#underWay ??= this.#listAgain().finally(() => {
      this.#underWay = undefined;
    });
  }

  async #listAgain(): Promise<void> {
    const { clock, log, list, signal } = this.#dependencies;
    try {
      for (let pauseMs = PAUSE_MS_MIN; this.#isStale; pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX)) {
        this.#isStale = false;
        await list();
        await clock.sleep(pauseMs, signal);
      }
    } catch (thrown) {
      if (!signal.aborted)
        log.write("warn", "its tools cannot be listed again", { error: messageOf(thrown) });
    }
  }
}
