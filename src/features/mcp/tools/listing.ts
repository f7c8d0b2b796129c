import { messageOf } from "../../../base/errors.ts";
import type { Log } from "../../../base/log.ts";
import type { Clock } from "../../../base/world.ts";

/** A server that says that its tools are others is asked no more often; one that keeps saying so, ever more rarely. */
const PAUSE_MS_MIN = 1_000;
const PAUSE_MS_MAX = 60_000;

export interface ListingParts {
  readonly clock: Clock;
  readonly log: Log;
  /** Reads the tools of the server as they are now. */
  readonly list: () => Promise<void>;
  /** Ends with the server. */
  readonly signal: AbortSignal;
}

/**
 * Reads the tools of a server again when it says that they are others, once a second at most (MCP-06). Each time that it says
 * so again in the pause, that is twice as long, a minute at most: sessions are told of what changed, and remember it.
 */
export class Listing {
  readonly #parts: ListingParts;
  #isStale = false;
  #underWay: Promise<void> | undefined;

  constructor(parts: ListingParts) {
    this.#parts = parts;
  }

  /** Resolves when it is not at work. */
  get settled(): Promise<void> {
    return this.#underWay ?? Promise.resolve();
  }

  /** The server says that its tools are others now. */
  changed(): void {
    this.#isStale = true;
    this.#underWay ??= this.#listAgain().finally(() => {
      this.#underWay = undefined;
    });
  }

  async #listAgain(): Promise<void> {
    const { clock, log, list, signal } = this.#parts;
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
