import { messageOf } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Clock } from "../base/world.ts";

/** A server that keeps saying that its tools are others is asked no more often. */
const PAUSE_MS = 1_000;

export interface ListingParts {
  readonly clock: Clock;
  readonly log: Log;
  /** Reads the tools of the server as they are now. */
  readonly list: () => Promise<void>;
  /** Ends with the server. */
  readonly signal: AbortSignal;
}

/** Reads the tools of a server again as often as it says that they are others, and no more often than once in a while (MCP-06). */
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
      while (this.#isStale) {
        this.#isStale = false;
        await list();
        await clock.sleep(PAUSE_MS, signal);
      }
    } catch (thrown) {
      if (!signal.aborted)
        log.write("warn", "its tools cannot be listed again", { error: messageOf(thrown) });
    }
  }
}
