import { HarnessError } from "../../base/errors.ts";
import type { ClientId } from "../../base/ids.ts";
import type { Clock } from "../../base/world.ts";
import type { Turn } from "../../engine/loop/turn.ts";

/** A session's claim to run one turn. Freeing it again does nothing. */
export interface Slot {
  free(): void;
}

interface RunningTurn {
  readonly originator: ClientId;
  readonly startedAt: string;
  readonly cancel: (cause: Error) => void;
  readonly done: Promise<void>;
}

/** The one slot of a session for a turn, or for work that excludes one ([A] hard rule 9). */
export class TurnSlot {
  readonly #clock: Clock;
  /** Called each time that it is taken or freed. */
  readonly #onChange: () => void;
  #running: RunningTurn | undefined;

  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  get taken(): boolean {
    return this.#running !== undefined;
  }

  /** Client that has it; undefined while it is free. */
  get originator(): ClientId | undefined {
    return this.#running?.originator;
  }

  /** @throws HarnessError TurnInProgress, which names the client that has it. */
  assertFree(): void {
    if (this.#running === undefined) return;
    const { originator, startedAt: ts } = this.#running;
    throw new HarnessError("TurnInProgress", { originator, ts });
  }

  /** Takes it for a turn, which ends with it. */
  claim(turn: Turn): Slot {
    const { promise: done, resolve: finished } = Promise.withResolvers<void>();
    const running: RunningTurn = {
      originator: turn.originator,
      startedAt: new Date(this.#clock.now()).toISOString(),
      cancel: (cause) => turn.cancel.cancel(cause),
      done,
    };
    this.#running = running;
    this.#onChange();
    return {
      free: () => {
        const wasRunning = this.#running === running;
        if (wasRunning) this.#running = undefined;
        turn[Symbol.dispose]();
        finished();
        if (wasRunning) this.#onChange();
      },
    };
  }

  /** Cancels what runs, if anything does. */
  cancel(cause: Error): void {
    this.#running?.cancel(cause);
  }

  /** Resolves when it is free. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running.done;
  }
}
