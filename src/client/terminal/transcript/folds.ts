import type { EventSeq } from "../../../base/ids.ts";
import type { TranscriptItem } from "../../../view/transcript/items.ts";

/** The blocks that are unfolded, by the events of their items. */
export interface Unfolded {
  has(event: EventSeq): boolean;
}

/** Every block unfolded. */
export const ALL_UNFOLDED: Unfolded = { has: () => true };

/** The blocks that a person has unfolded: single ones, or all but single ones. */
export class Folds implements Unfolded {
  #isAll = false;
  /** Blocks in the other state than the rest. */
  readonly #others = new Set<EventSeq>();

  has(event: EventSeq): boolean {
    return this.#isAll !== this.#others.has(event);
  }

  /** Folds a block, or unfolds it. */
  toggle(event: EventSeq): void {
    if (!this.#others.delete(event)) this.#others.add(event);
  }

  /** Unfolds blocks that are folded. */
  unfold(events: Iterable<EventSeq>): void {
    for (const event of events) if (!this.has(event)) this.toggle(event);
  }

  /** Unfolds all blocks; folds all if they are. */
  toggleAll(): void {
    this.#isAll = !this.#isAll;
    this.#others.clear();
  }
}

/** Returns the same state with some blocks unfolded. */
export function alsoUnfolded(unfolded: Unfolded, events: ReadonlySet<EventSeq>): Unfolded {
  return { has: (event) => events.has(event) || unfolded.has(event) };
}

/** Returns the events of an item and of all items in it. */
export function eventsIn(item: TranscriptItem): readonly EventSeq[] {
  return item.kind === "call" ? [item.event, ...item.items.flatMap(eventsIn)] : [item.event];
}
