import type { EventSeq } from "../../../base/ids.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import { foldText, shownText } from "../../search/fold-text.ts";
import { makeGramFilter } from "../../search/gram-filter.ts";
import { GramSet, toolGram } from "../../search/grams.ts";
import { ItemTexts } from "../../search/item-texts.ts";
import type { SegmentFacts } from "./segments.ts";

/** Events from which on a segment ends at the next event after which no item is open. */
export const SEGMENT_EVENTS = 512;
/** Pieces of text from which on it ends there too. */
const SEGMENT_GRAMS = 32_768;

export interface BuiltSegment {
  readonly facts: SegmentFacts;
  readonly filter: Uint8Array;
}

/** Makes segments of events in order, beginning where no item is open. */
export class SegmentBuilder {
  #grams = new GramSet();
  #items: ItemTexts;
  #from: EventSeq;
  #fromTs = "~";
  #toTs = "";
  /** The last event after which no item was open. */
  #quiet: EventSeq = 0;
  #last: EventSeq = 0;

  constructor(from: EventSeq) {
    this.#from = from;
    this.#items = this.#openItems();
  }

  /** Adds the next event; returns the segment that ends with it, if one does. */
  add(event: Envelope, isExpired: boolean): BuiltSegment | undefined {
    const { id, ts } = event;
    this.#items.add(event, isExpired);
    if (ts < this.#fromTs) this.#fromTs = ts;
    if (ts > this.#toTs) this.#toTs = ts;
    this.#last = id;
    if (this.#items.isQuiet) this.#quiet = id;
    const isLong = id - this.#from + 1 >= SEGMENT_EVENTS || this.#grams.size >= SEGMENT_GRAMS;
    return isLong && this.#quiet === id ? this.#cut(id) : undefined;
  }

  /**
   * Returns the last segment, if there is one.
   * @param at "end" where nothing can be added to the open items, "quiet" where they may still get more.
   */
  end(at: "end" | "quiet"): BuiltSegment | undefined {
    if (at === "end") {
      this.#items.end();
      this.#quiet = this.#last;
    }
    return this.#quiet >= this.#from ? this.#cut(this.#quiet) : undefined;
  }

  #cut(to: EventSeq): BuiltSegment {
    const facts = { from: this.#from, to, fromTs: this.#fromTs, toTs: this.#toTs };
    const filter = makeGramFilter(this.#grams);
    this.#grams = new GramSet();
    [this.#from, this.#fromTs, this.#toTs] = [to + 1, "~", ""];
    return { facts, filter };
  }

  #openItems(): ItemTexts {
    return new ItemTexts(({ text, tool }) => {
      this.#grams.addText(foldText(shownText(text)));
      if (tool !== undefined) this.#grams.add(toolGram(tool));
    });
  }
}
