/**
 * The data of an event around one of its texts, quotes included. Events that differ only in what stands between mean
 * the same as one event with their texts joined.
 */
export interface TextPattern {
  readonly before: string;
  readonly after: string;
}

/** One event in place of several, and the end of the last of them. */
export interface JoinedEvents {
  readonly name: string;
  readonly data: string;
  readonly end: number;
}

/** An event as it was written: everything before its data, and its data. */
interface SeenEvent {
  readonly lead: string;
  readonly data: string;
}

/** Texts joined to one event, in UTF-16 units: what is shown as one delta stays small. */
const JOINED_UNITS_MAX = 16_384;
/** Patterns in a row that fitted no other event, after which none is sought in this stream. */
const MISSES_MAX = 8;
/** Everything that a JSON string may hold between its quotes. */
const STRING_BODY = /^[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\u0000-\u001f]*)*$/;

/**
 * The pattern of the event that a stream repeats.
 *
 * An event fits if its bytes equal those of the pattern but for a text that is valid between the quotes. So it is the
 * JSON of the pattern with another text, and joining such texts as they are written is joining what they mean.
 */
export class KnownPattern {
  readonly #patternOf: (data: string) => TextPattern | undefined;
  #known: (TextPattern & { readonly name: string; readonly head: string; readonly tail: string }) | undefined;
  #misses = 0;

  constructor(patternOf: (data: string) => TextPattern | undefined) {
    this.#patternOf = patternOf;
  }

  /** Learns the pattern of an event that did not fit the known one. */
  learn(name: string, { lead, data }: SeenEvent): void {
    if (this.#misses === MISSES_MAX) return;
    const pattern = this.#patternOf(data);
    if (pattern === undefined) return;
    this.#misses += 1;
    const { before, after } = pattern;
    this.#known = { name, before, after, head: lead + before, tail: `${after}\n\n` };
  }

  /** Joins the whole events of the pattern that begin at `from`; undefined if the first does not fit. */
  join(text: string, from: number): JoinedEvents | undefined {
    const known = this.#known;
    if (known === undefined) return undefined;
    const { head, after, tail } = known;
    let texts = "";
    let at = from;
    while (text.startsWith(head, at)) {
      const start = at + head.length;
      const lineEnd = text.indexOf("\n", start);
      const end = lineEnd - after.length;
      if (end < start || !text.startsWith(tail, end)) break;
      if (at > from && texts.length + end - start > JOINED_UNITS_MAX) break;
      const body = text.slice(start, end);
      if (!STRING_BODY.test(body)) break;
      texts += body;
      at = lineEnd + 2;
    }
    if (at === from) return undefined;
    this.#misses = 0;
    return { name: known.name, data: known.before + texts + after, end: at };
  }
}
