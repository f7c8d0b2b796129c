import type { EventSeq } from "../../../../base/ids.ts";
import type { JoinedText, RowRange } from "../../drawing/row-text.ts";
import { joinedText, rangesOf } from "../../drawing/row-text.ts";
import type { DrawnRow } from "../../drawing/span.ts";
import { itemOf } from "../browse/blocks.ts";
import type { TranscriptWindow } from "../browse/window.ts";
import { bringIntoSight } from "../browse/window.ts";
import { eventsIn } from "../folds.ts";
import type { PartLocation, RowLocation } from "../place.ts";
import type { Match } from "./matcher.ts";
import { matcherOf, matchesIn } from "./matcher.ts";
import type { FoundPart, MatchCounts } from "./search-scan.ts";
import { SearchScan, SearchTexts } from "./search-scan.ts";

/** Time of one look through a part of the transcript: shorter than a frame. */
const STEP_MS = 8;
/** Time between two looks while the transcript grows. */
const RESCAN_MS = 250;

/** A match, by its part and its number in it from 0. */
export interface FoundMatch extends PartLocation {
  readonly index: number;
}

/** Numbers of a search for the person. */
export interface SearchNumbers {
  /** Number of the current match from 1; absent: none, or not yet known. */
  readonly at?: number;
  readonly total: number;
  /** False while parts of the transcript are still to be read. */
  readonly isComplete: boolean;
  /** True if older messages are not loaded. */
  readonly hasUnloaded: boolean;
}

const NO_EVENTS: ReadonlySet<EventSeq> = new Set();

/**
 * A search in the whole transcript, folded text included. It looks through the transcript in steps that are shorter
 * than a frame, from the newest text on, and keeps the counts of what does not change.
 */
export class Search implements Disposable {
  readonly #window: TranscriptWindow;
  #query = "";
  #matcher: RegExp | undefined;
  #texts: SearchTexts | undefined;
  #counts: MatchCounts = new WeakMap();
  #scan: SearchScan | undefined;
  #timer: Disposable | undefined;
  /** Parts with matches of the last whole look, from the top. */
  #found: readonly FoundPart[] = [];
  #hasUnloaded = false;
  #isComplete = false;
  #current: FoundMatch | undefined;
  /** The place from which the first match is looked for, and to which a changed search goes back. */
  #origin: { readonly place: RowLocation; readonly isEnd: boolean } | undefined;
  /** Steps to take once all matches are known. */
  #waitingMoves = 0;
  #unfolds = false;

  constructor(window: TranscriptWindow) {
    this.#window = window;
  }

  get query(): string {
    return this.#query;
  }

  /** True while matches are shown. */
  get isActive(): boolean {
    return this.#matcher !== undefined;
  }

  get current(): FoundMatch | undefined {
    return this.#current;
  }

  get numbers(): SearchNumbers {
    const scan = this.#isComplete ? undefined : this.#scan;
    const found = scan?.found ?? this.#found;
    const total = found.reduce((sum, { count }) => sum + count, 0);
    const facts = { total, isComplete: this.#isComplete, hasUnloaded: this.#hasUnloaded };
    const current = this.#current;
    if (current === undefined || !this.#isComplete) return facts;
    const before = this.#found.filter(({ place }) => comparePlaces(place, current) < 0);
    return { ...facts, at: before.reduce((sum, { count }) => sum + count, current.index + 1) };
  }

  /** Blocks that are unfolded because the current match is in them. */
  get unfolded(): ReadonlySet<EventSeq> {
    if (!this.#unfolds || this.#current === undefined) return NO_EVENTS;
    const item = itemOf(this.#window.transcript, this.#current.event);
    return item === undefined ? NO_EVENTS : new Set(eventsIn(item));
  }

  /** Searches for another text, from where the window was when the search began. An empty one ends it. */
  look(query: string): void {
    if (query === this.#query) return;
    this.#query = query;
    this.#matcher = matcherOf(query);
    this.#counts = new WeakMap();
    this.#goBack();
    this.#current = undefined;
    this.#waitingMoves = 0;
    this.#isComplete = false;
    this.#found = [];
    this.#begin();
  }

  /** Goes back to where the search began, so that a changed search begins there again. */
  #goBack(): void {
    const { pane } = this.#window;
    this.#current = undefined;
    const place = this.#origin?.place ?? this.#top;
    if (place === undefined) return;
    this.#origin ??= { place, isEnd: pane.isFollowing };
    if (this.#origin.isEnd) pane.follow();
    else pane.goTo(place);
  }

  /** Goes to the next match, or to the one before; around the ends. */
  move(by: -1 | 1): void {
    if (this.#matcher === undefined) return;
    if (!this.#isComplete) this.#waitingMoves += by;
    else this.#moveNow(by);
  }

  /** Leaves the block of the current match unfolded as if the person had unfolded it. */
  settle(): void {
    this.#window.folds.unfold([...this.unfolded].filter((event) => this.#isFoldable(event)));
    this.#unfolds = false;
  }

  /** Searches on from the place of the current match. */
  rest(): void {
    this.settle();
    this.#origin = undefined;
  }

  /** Takes a transcript that has grown: it is looked through again after a moment. */
  refresh(): void {
    if (!this.isActive || this.#timer !== undefined) return;
    const isKnown = this.#scan?.transcript === this.#window.transcript;
    if (isKnown && this.#texts?.isFor(this.#window.context()) === true) return;
    this.#timer = this.#window.services.clock.timer(RESCAN_MS, () => {
      this.#timer = undefined;
      this.#begin();
    });
  }

  /** Returns the parts of the shown rows that match, and those of the current match. */
  marksIn(
    rows: readonly DrawnRow[],
    places: readonly RowLocation[],
  ): { readonly matches: readonly RowRange[]; readonly current: readonly RowRange[] } {
    const matcher = this.#matcher;
    if (matcher === undefined) return { matches: [], current: [] };
    const joined = joinedText(rows);
    const matches = matchesIn(joined.text, matcher).flatMap(({ from, to }) => rangesOf(joined, from, to));
    const current = this.#rangesOfCurrent().flatMap(({ place, range }) => {
      const row = places.findIndex((each) => comparePlaces(each, place) === 0 && each.row === range.row);
      return row < 0 ? [] : [{ ...range, row }];
    });
    return { matches, current };
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#scan = undefined;
    this.#texts = undefined;
    this.#found = [];
    this.#current = undefined;
    this.#origin = undefined;
    this.#matcher = undefined;
    this.#unfolds = false;
    this.#query = "";
  }

  #begin(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    const matcher = this.#matcher;
    if (matcher === undefined) {
      this.#scan = undefined;
      return;
    }
    const context = this.#window.context();
    if (this.#texts?.isFor(context) !== true) {
      this.#texts = new SearchTexts(context.columns);
      this.#counts = new WeakMap();
    }
    const [texts, counts] = [this.#texts, this.#counts];
    this.#scan = new SearchScan({ transcript: this.#window.transcript, context, matcher, texts, counts });
    this.#step();
  }

  #step(): void {
    this.#timer = undefined;
    const scan = this.#scan;
    if (scan === undefined) return;
    const { clock, redraw } = this.#window.services;
    const untilMs = clock.monotonic() + STEP_MS;
    scan.run(() => clock.monotonic() < untilMs);
    if (this.#current === undefined) this.#choose(scan);
    if (scan.next === undefined) this.#complete(scan);
    else this.#timer = clock.timer(0, () => this.#step());
    redraw();
  }

  #complete(scan: SearchScan): void {
    this.#found = [...scan.found].reverse();
    this.#hasUnloaded = scan.hasUnloaded;
    this.#isComplete = true;
    const moves = this.#waitingMoves;
    this.#waitingMoves = 0;
    for (let left = Math.abs(moves); left > 0; left -= 1) this.#moveNow(moves > 0 ? 1 : -1);
  }

  /** Goes to the first match from the origin on, or else to the last one before it, once that is known. */
  #choose(scan: SearchScan): void {
    const origin = this.#origin?.place;
    if (origin === undefined) return;
    const behind = scan.found.filter(({ place }) => comparePlaces(place, origin) >= 0).reverse();
    const { next } = scan;
    const isPast = next === undefined || comparePlaces(next, origin) < 0;
    if (!isPast) return;
    for (const { place } of behind) {
      const index = this.#firstIndex(place, comparePlaces(place, origin) === 0 ? origin.row : 0);
      if (index < 0) continue;
      this.#go({ ...place, index });
      return;
    }
    const before = scan.found.find(({ place }) => comparePlaces(place, origin) < 0);
    if (before !== undefined) this.#go({ ...before.place, index: before.count - 1 });
    else if (next === undefined && behind[0] !== undefined) this.#go({ ...behind[0].place, index: 0 });
  }

  /** Returns the index of the first match of a part that is not above a row; -1 if there is none. */
  #firstIndex(place: PartLocation, row: number): number {
    if (row === 0) return 0;
    const { joined, matches } = this.#drawn(place);
    return matches.findIndex(({ from, to }) => (rangesOf(joined, from, to)[0]?.row ?? 0) >= row);
  }

  #moveNow(by: -1 | 1): void {
    const found = this.#found;
    const [first, last] = [found[0], found.at(-1)];
    if (first === undefined || last === undefined) return;
    const current = this.#current;
    const at =
      current === undefined ? -1 : found.findIndex(({ place }) => comparePlaces(place, current) === 0);
    const here = found[at];
    if (current !== undefined && here !== undefined) {
      const index = Math.min(current.index, here.count - 1) + by;
      if (index >= 0 && index < here.count) {
        this.#moveTo({ ...here.place, index });
        return;
      }
    }
    const next = (by > 0 ? found[at + 1] : found[at - 1]) ?? (by > 0 ? first : last);
    this.#moveTo({ ...next.place, index: by > 0 ? 0 : next.count - 1 });
  }

  /** Goes to a match that the person has chosen: a longer search begins there. */
  #moveTo(match: FoundMatch): void {
    this.#go(match);
    const [first] = this.#rangesOfCurrent();
    if (first === undefined) return;
    const { pane } = this.#window;
    this.#origin = {
      place: pane.top ?? { ...first.place, row: first.range.row },
      isEnd: pane.isFollowing,
    };
  }

  #go(match: FoundMatch): void {
    this.#current = match;
    this.#unfolds = true;
    const [first] = this.#rangesOfCurrent();
    if (first !== undefined) bringIntoSight(this.#window, { ...first.place, row: first.range.row });
  }

  /** Returns the parts of rows that the current match covers, with the rows counted in its part. */
  #rangesOfCurrent(): readonly { readonly place: PartLocation; readonly range: RowRange }[] {
    const current = this.#current;
    if (current === undefined) return [];
    const { event, part, index } = current;
    const { joined, matches } = this.#drawn(current);
    const match = matches[Math.min(index, matches.length - 1)];
    if (match === undefined) return [];
    return rangesOf(joined, match.from, match.to).map((range) => ({ place: { event, part }, range }));
  }

  #drawn(place: PartLocation): { readonly joined: JoinedText; readonly matches: readonly Match[] } {
    const { pane, transcript, context } = this.#window;
    const joined = joinedText(pane.rowsAt(transcript, place, context()));
    const matches = this.#matcher === undefined ? [] : matchesIn(joined.text, this.#matcher);
    return { joined, matches };
  }

  #isFoldable(event: EventSeq): boolean {
    const kind = itemOf(this.#window.transcript, event)?.kind;
    return kind === undefined || kind === "call" || kind === "thinking";
  }

  get #top(): RowLocation | undefined {
    const { pane, transcript, size, context } = this.#window;
    return pane.view(transcript, size.rows, context()).rows[0]?.place;
  }
}

/** Compares the parts of two places: negative if the first one stands above. */
function comparePlaces(one: PartLocation, two: PartLocation): number {
  return one.event - two.event || one.part - two.part;
}
