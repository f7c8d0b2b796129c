import type { Transcript } from "../../../../view/transcript/transcript.ts";
import { joinedText } from "../../drawing/row-text.ts";
import type { DrawContext } from "../draw-context.ts";
import { drawPart } from "../draw-item.ts";
import { ALL_UNFOLDED } from "../folds.ts";
import type { PartLocation, TranscriptPartIndex } from "../place.ts";
import { eventAt, itemAt, lastPart, partBefore } from "../place.ts";
import { countIn } from "./matcher.ts";

/** A part of the transcript with matches. */
export interface FoundPart {
  readonly place: PartLocation;
  /** Number of its matches: at least 1. */
  readonly count: number;
}

/** Texts of parts as they are drawn with everything unfolded. Each part is drawn once. */
export class SearchTexts {
  readonly #columns: number;
  readonly #texts = new WeakMap<object, string>();

  constructor(columns: number) {
    this.#columns = columns;
  }

  /** False if the texts were drawn for another width: a table may have other rows there. */
  isFor(context: DrawContext): boolean {
    return context.columns === this.#columns;
  }

  /** Returns the text of a part, and the value that it depends on; undefined in a part that is not loaded. */
  of(
    transcript: Transcript,
    part: TranscriptPartIndex,
    context: DrawContext,
  ): { readonly owner: object; readonly text: string } | undefined {
    const item = itemAt(transcript, part);
    if (item === undefined) return undefined;
    const owner = item.kind === "text" ? (item.streamed.closed.at(part.part) ?? item) : item;
    let text = this.#texts.get(owner);
    if (text === undefined) {
      text = joinedText(drawPart(item, part.part, { ...context, unfolded: ALL_UNFOLDED })).text;
      this.#texts.set(owner, text);
    }
    return { owner, text };
  }
}

/** Counts of one search by the values that they depend on. */
export type MatchCounts = WeakMap<object, number>;

export interface SearchScanOptions {
  readonly transcript: Transcript;
  readonly context: DrawContext;
  readonly matcher: RegExp;
  readonly texts: SearchTexts;
  readonly counts: MatchCounts;
}

/** Looks through what is loaded of a transcript from its end, a few parts at a time. */
export class SearchScan {
  readonly #options: SearchScanOptions;
  readonly #found: FoundPart[] = [];
  #next: TranscriptPartIndex | undefined;

  constructor(options: SearchScanOptions) {
    this.#options = options;
    this.#next = lastPart(options.transcript);
  }

  get transcript(): Transcript {
    return this.#options.transcript;
  }

  /** The parts with matches so far, from the end of the transcript. */
  get found(): readonly FoundPart[] {
    return this.#found;
  }

  /** The part that comes next; undefined at the top. */
  get next(): PartLocation | undefined {
    if (this.#next === undefined) return undefined;
    return { event: eventAt(this.transcript, this.#next), part: this.#next.part };
  }

  /** Looks at parts while `hasTime` says so. */
  run(hasTime: () => boolean): void {
    while (this.#next !== undefined && hasTime()) {
      const part = this.#next;
      const count = this.#countOf(part);
      if (count > 0)
        this.#found.push({ place: { event: eventAt(this.transcript, part), part: part.part }, count });
      this.#next = partBefore(this.transcript, part);
    }
  }

  #countOf(part: TranscriptPartIndex): number {
    const { transcript, context, matcher, texts, counts } = this.#options;
    const known = texts.of(transcript, part, context);
    if (known === undefined) return 0;
    let count = counts.get(known.owner);
    if (count === undefined) {
      count = countIn(known.text, matcher);
      counts.set(known.owner, count);
    }
    return count;
  }
}
