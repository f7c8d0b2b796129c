import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { EventSeq } from "../../../base/ids.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import { reachedBy } from "../../../view/follow.ts";
import { joinUpdates } from "./updates/updates.ts";

/** Past events of a session, shown again or only read: text is joined into long pieces. */
export class Replay {
  readonly #to: EventSeq;
  readonly #ended: () => void;
  readonly #isShown: boolean;
  #waiting: SessionUpdate | undefined;

  /** @param ended called once all updates up to the event `to` were sent. */
  constructor(to: EventSeq, { isShown, ended }: { readonly isShown: boolean; readonly ended: () => void }) {
    this.#isShown = isShown;
    this.#to = to;
    this.#ended = ended;
  }

  /** Takes the updates of one more event. Returns those that are ready to be sent. */
  add(event: Envelope, updates: readonly SessionUpdate[]): readonly SessionUpdate[] {
    if (!this.#isShown) return [];
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
