import type { EventSeq } from "../../base/ids.ts";
import { jsonCharacters } from "../../base/json.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";

/** Events read from the log at a time: at first, and at most. */
const PAGE_EVENTS_FIRST = 16;
const PAGE_EVENTS_MAX = 256;

/** Characters of one page that are kept for its reader; a longer event is a page of its own. */
export const PAGE_CHARS_MAX = 262_144;

export interface LogPage {
  readonly events: readonly Envelope[];
  /** True if the log had no more events when it was read. */
  readonly isLast: boolean;
}

/**
 * Reads a log for one reader, in pages that are small if its events are long: a slow reader holds no more than one of
 * them (ENG-08).
 */
export class LogPages {
  readonly #read: (since: EventSeq, limit: number) => Promise<readonly Envelope[]>;
  #limit = PAGE_EVENTS_FIRST;

  constructor(read: (since: EventSeq, limit: number) => Promise<readonly Envelope[]>) {
    this.#read = read;
  }

  /** Returns the events after one: at least one, if there is any. */
  async after(since: EventSeq): Promise<LogPage> {
    const asked = this.#limit;
    const found = await this.#read(since, asked);
    let [eventCount, chars] = [0, 0];
    for (const { payload } of found) {
      const length = jsonCharacters(payload);
      if (eventCount > 0 && chars + length > PAGE_CHARS_MAX) break;
      eventCount += 1;
      chars += length;
    }
    if (eventCount < found.length) this.#limit = eventCount;
    else if (2 * chars < PAGE_CHARS_MAX) this.#limit = Math.min(2 * asked, PAGE_EVENTS_MAX);
    return {
      events: found.slice(0, eventCount),
      isLast: eventCount === found.length && found.length < asked,
    };
  }
}
