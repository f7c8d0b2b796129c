import { assert } from "../../base/assert.ts";
import type { EventSeq, SessionId } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { Message } from "../../protocol/message.ts";
import type { Batch, CallOutcome, EventRange, Intent, StoredMessage } from "../../session/store/store.ts";
import type { DeltaEvent } from "./delta.ts";
import { WaitingDelta } from "./delta.ts";
import type { EventOrigin } from "./origin.ts";

/** Something that is not in the log yet. */
export type BusItem =
  | { readonly kind: "event"; readonly event: Event; readonly origin: EventOrigin; readonly ts: string }
  | WaitingDelta
  /** A delta that subscribers have: its id and content are final. */
  | { readonly kind: "shown"; readonly envelope: Envelope }
  /** Ids that an earlier run reserved: its events behind the log's end may have been seen, and are lost. */
  | { readonly kind: "gap"; readonly range: EventRange; readonly ts: string }
  | { readonly kind: "message"; readonly message: Message; readonly turn: number; readonly boundary: boolean }
  | { readonly kind: "intent"; readonly intent: Intent }
  | { readonly kind: "outcome"; readonly outcome: CallOutcome; readonly mutating: boolean };

/** Items as the log gets them. */
export interface NumberedItems {
  readonly batch: Required<Omit<Batch, "reserve">>;
  /** Events that subscribers do not have yet: the last ones of the batch. */
  readonly unseen: readonly Envelope[];
  readonly last: EventSeq;
}

/** The items of one session that are not in the log yet, in order. Deltas in front can be shown before. */
export class PendingItems {
  readonly #session: SessionId;
  #items: BusItem[] = [];
  /** Index before which subscribers have every event. */
  #seenTo = 0;
  #waitingDeltas = 0;

  constructor(session: SessionId) {
    this.#session = session;
  }

  get length(): number {
    return this.#items.length;
  }

  /** Number of deltas that subscribers do not have. */
  get waitingDeltas(): number {
    return this.#waitingDeltas;
  }

  add(item: BusItem): void {
    this.#items.push(item);
    if (item instanceof WaitingDelta) this.#waitingDeltas += 1;
  }

  /** Merges a delta into the newest item; returns false if that is no delta of its block that nobody has seen. */
  merge(event: DeltaEvent, origin: EventOrigin): boolean {
    const newest = this.#items.at(-1);
    return newest instanceof WaitingDelta && newest.merge(event, origin);
  }

  has(isWanted: (item: BusItem) => boolean): boolean {
    return this.#items.some(isWanted);
  }

  /** The next event that subscribers do not have, if it is a delta. */
  get nextDelta(): WaitingDelta | undefined {
    for (; this.#seenTo < this.#items.length; this.#seenTo++) {
      const item = this.#items[this.#seenTo];
      if (item instanceof WaitingDelta) return item;
      if (item?.kind === "event" || item?.kind === "gap") return undefined;
    }
    return undefined;
  }

  /** Gives the next delta its id. */
  showNext(delta: WaitingDelta, id: EventSeq): Envelope {
    assert(this.#items[this.#seenTo] === delta, "deltas are shown in order");
    const shown = envelopeOf(id, this.#session, delta);
    this.#items[this.#seenTo] = { kind: "shown", envelope: shown };
    this.#seenTo += 1;
    this.#waitingDeltas -= 1;
    return shown;
  }

  /** Removes and returns all items. */
  take(): readonly BusItem[] {
    const items = this.#items;
    this.#items = [];
    this.#seenTo = 0;
    this.#waitingDeltas = 0;
    return items;
  }
}

/** Assigns ids to the events that have none yet, and positions to messages. */
export function numbered(items: readonly BusItem[], session: SessionId, lastEvent: EventSeq): NumberedItems {
  const events: Envelope[] = [];
  const unseen: Envelope[] = [];
  const messages: StoredMessage[] = [];
  const intents: Intent[] = [];
  const outcomes: CallOutcome[] = [];
  let last = lastEvent;
  for (const item of items) {
    switch (item.kind) {
      case "shown":
        last = item.envelope.id;
        events.push(item.envelope);
        break;
      case "event":
      case "delta": {
        last += 1;
        const event = envelopeOf(last, session, item);
        events.push(event);
        unseen.push(event);
        break;
      }
      case "gap": {
        const gap = crashGap(item.range, session, item.ts);
        last = gap.id;
        events.push(gap);
        unseen.push(gap);
        break;
      }
      case "message": {
        const { turn, message, boundary } = item;
        messages.push({ after: last, turn, message, ...(boundary ? { boundary } : {}) });
        break;
      }
      case "intent":
        intents.push(item.intent);
        break;
      case "outcome":
        outcomes.push(item.outcome);
        break;
    }
  }
  assert(Number.isSafeInteger(last), "event ids stay below 2^53");
  return { batch: { events, messages, intents, outcomes }, unseen, last };
}

function crashGap({ from, to }: EventRange, session: SessionId, ts: string): Envelope {
  return { id: to, kind: "StreamGap", session, ts, payload: { from, to, reason: "crash" } };
}

function envelopeOf(
  id: EventSeq,
  session: SessionId,
  { event, origin, ts }: { readonly event: Event; readonly origin: EventOrigin; readonly ts: string },
): Envelope {
  return { id, kind: event.kind, session, ...origin, ts, payload: event.payload } as Envelope;
}
