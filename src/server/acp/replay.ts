import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { EventSeq } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { reachedBy } from "../../view/follow.ts";
import { joinUpdates } from "./updates.ts";

/** Past events of a session, shown again: text is joined into long pieces. */
export class Replay {
  readonly #to: EventSeq;
  readonly #ended: () => void;
  #waiting: SessionUpdate | undefined;

  /** @param ended called once all updates up to the event `to` were sent. */
  constructor(to: EventSeq, ended: () => void) {
    this.#to = to;
    this.#ended = ended;
  }

  /** Takes the updates of one more event. Returns those that are ready to be sent. */
  add(event: Envelope, updates: readonly SessionUpdate[]): readonly SessionUpdate[] {
    const ready: SessionUpdate[] = [];
    for (const update of updates) {
      const both = this.#waiting === undefined ? undefined : joinUpdates(this.#waiting, update);
      if (both === undefined && this.#waiting !== undefined) ready.push(this.#waiting);
      this.#waiting = both ?? update;
    }
    if (this.isOver(event) && this.#waiting !== undefined) ready.push(this.#waiting);
    return ready;
  }

  /** Returns true if an event is the last of the replay. */
  isOver(event: Envelope): boolean {
    return reachedBy(event) >= this.#to;
  }

  /** Ends the replay for the caller that waits for it. */
  end(): void {
    this.#ended();
  }
}
