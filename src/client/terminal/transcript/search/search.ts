import type { EventSeq } from "../../../../base/ids.ts";
import type { JoinedText, RowRange } from "../../drawing/row-text.ts";
import { joinedText, rangesOf } from "../../drawing/row-text.ts";
import type { DrawnRow } from "../../drawing/span.ts";
import { inBackground } from "../../layout/in-background.ts";
import { itemOf } from "../browse/blocks.ts";
import type { TranscriptWindow } from "../browse/window.ts";
import { bringIntoSight, putInSight } from "../browse/window.ts";
import { eventsIn } from "../folds.ts";
import type { PartLocation, RowLocation } from "../place.ts";
import { comparePlaces } from "../place.ts";
import type { FoundMatch } from "./match-order.ts";
import { firstMatch, nextMatch } from "./match-order.ts";
import type { Match } from "./matcher.ts";
import { matcherOf, matchesIn } from "./matcher.ts";
import { PageSearch } from "./page-search.ts";
import type { SearchNumbers } from "./search-results.ts";
import { SearchResults } from "./search-results.ts";
import type { MatchCounts } from "./search-scan.ts";
import { SearchScan, SearchTexts } from "./search-scan.ts";
import { isUnloaded } from "./searched-ranges.ts";

/** Time of one look through a part of the transcript: shorter than a frame. */
const STEP_MS = 8;
/** Time between two looks while the transcript grows. */
const RESCAN_MS = 250;
/** Pause after a key, after which pages that are not loaded are read. */
const PAGES_AFTER_MS = 250;

const NO_EVENTS: ReadonlySet<EventSeq> = new Set();

/**
 * A search in the whole session, folded text included. It looks through what is loaded in steps that are shorter than a
 * frame, from the newest text on, and keeps the counts of what does not change. Then it reads the other pages one by
 * one, and keeps their matches alone. A match in one of them is shown once its page is loaded.
 */
export class Search implements Disposable {
  readonly #window: TranscriptWindow;
  #query = "";
  #matcher: RegExp | undefined;
  #texts: SearchTexts | undefined;
  #counts: MatchCounts = new WeakMap();
  #scan: SearchScan | undefined;
  #timer: Disposable | undefined;
  readonly #pages: PageSearch;
  #results = new SearchResults();
  #pagesTimer: Disposable | undefined;
  /** True while the page of the current match is still to be loaded. */
  #isLanding = false;
  #current: FoundMatch | undefined;
  /** The place from which the first match is looked for, and to which a changed search goes back. */
  #origin: { readonly place: RowLocation; readonly isEnd: boolean } | undefined;
  /** Steps to take once all matches are known. */
  #waitingMoves = 0;
  #unfolds = false;

  constructor(window: TranscriptWindow) {
    this.#window = window;
    this.#pages = new PageSearch(window.services);
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
    return this.#results.numbers(this.#current);
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
    this.#isLanding = false;
    this.#results = new SearchResults();
    this.#stopPages();
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
    this.#waitingMoves += by;
    this.#takeMoves();
  }

  /** Takes the steps that lead to known matches; the others wait for the pages on the way. */
  #takeMoves(): void {
    while (this.#results.isScanned && this.#waitingMoves !== 0) {
      const by = this.#waitingMoves > 0 ? 1 : -1;
      const next = nextMatch(this.#results.known, this.#current, by);
      if (next === "unknown") return;
      if (next !== "none") this.#moveTo(next);
      this.#waitingMoves -= by;
    }
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

  /** Shows the current match once its page is loaded. */
  land(): void {
    const current = this.#current;
    if (!this.#isLanding || current === undefined) return;
    // The person has scrolled away meanwhile.
    if (this.#window.pane.top?.event !== current.event) {
      this.#isLanding = false;
      return;
    }
    if (isUnloaded(this.#window.transcript, current.event)) return;
    this.#isLanding = false;
    const [first] = this.#rangesOfCurrent();
    if (first !== undefined) {
      putInSight(this.#window, { ...first.place, row: first.range.row });
      this.#originAtCurrent();
      return;
    }
    // The page divides a long text in another place: the match is the first one from there on.
    this.#origin = { place: { event: current.event, part: 0, row: 0 }, isEnd: false };
    this.#current = undefined;
    this.#begin();
  }

  /** Takes a transcript that has changed: it is looked through again after a moment. */
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
    this.#stopPages();
    this.#results = new SearchResults();
    this.#isLanding = false;
    this.#waitingMoves = 0;
    this.#scan = undefined;
    this.#texts = undefined;
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
    this.#results.begin(this.#scan);
    this.#step();
  }

  #step(): void {
    this.#timer = undefined;
    const scan = this.#scan;
    if (scan === undefined) return;
    const { clock, redraw } = this.#window.services;
    const untilMs = clock.monotonic() + STEP_MS;
    scan.run(() => clock.monotonic() < untilMs);
    if (scan.next === undefined) this.#complete(scan);
    else this.#timer = clock.timer(0, () => this.#step());
    if (this.#current === undefined) this.#choose(scan.next);
    this.#takeMoves();
    redraw();
  }

  #complete(scan: SearchScan): void {
    this.#results.complete(scan);
    const { services } = this.#window;
    if (this.#results.nextPart !== undefined)
      this.#pagesTimer ??= services.clock.timer(PAGES_AFTER_MS, () =>
        inBackground(this.#readPages(), services),
      );
  }

  /** Looks through the pages that are not loaded, the newest first, until all are known or the search changes. */
  async #readPages(): Promise<void> {
    const results = this.#results;
    const matcher = this.#matcher;
    const { showFailure, redraw } = this.#window.services;
    const isSame = () => this.#results === results;
    if (matcher === undefined) return this.#stopPages();
    try {
      for (let next = results.nextPart; next !== undefined; next = results.nextPart) {
        const page = await this.#pages.lastPage(next, matcher, this.#window.context());
        if (!isSame()) return;
        if (page === undefined) break;
        results.addPage(this.#window.transcript, page.range, page.found);
        this.#foundPage();
        redraw();
      }
    } catch (thrown) {
      if (!isSame()) return;
      results.fail(this.#window.transcript);
      this.#foundPage();
      showFailure(thrown);
    }
    this.#stopPages();
  }

  #foundPage(): void {
    if (this.#current === undefined) this.#choose(undefined);
    this.#takeMoves();
  }

  #stopPages(): void {
    this.#pagesTimer?.[Symbol.dispose]();
    this.#pagesTimer = undefined;
  }

  /**
   * Goes to the first match from the origin on, or else to the last one before it, once that is known.
   * @param next the part of the transcript that is searched next; undefined: all loaded ones were.
   */
  #choose(next: PartLocation | undefined): void {
    const origin = this.#origin?.place;
    if (origin === undefined) return;
    const match = firstMatch(this.#results.known, origin, next, (place, row) => this.#firstIndex(place, row));
    if (match !== undefined) this.#go(match);
  }

  /** Returns the index of the first match of a part that is not above a row; -1 if there is none. */
  #firstIndex(place: PartLocation, row: number): number {
    if (row === 0) return 0;
    const { joined, matches } = this.#drawn(place);
    return matches.findIndex(({ from, to }) => (rangesOf(joined, from, to)[0]?.row ?? 0) >= row);
  }

  /** Goes to a match that the person has chosen: a longer search begins there. */
  #moveTo(match: FoundMatch): void {
    this.#go(match);
    this.#originAtCurrent();
  }

  #originAtCurrent(): void {
    const current = this.#current;
    if (current === undefined) return;
    const [first] = this.#rangesOfCurrent();
    const { pane } = this.#window;
    const { event, part } = current;
    const shown = pane.top ?? { event, part, row: first?.range.row ?? 0 };
    this.#origin = { place: first === undefined ? { event, part, row: 0 } : shown, isEnd: pane.isFollowing };
  }

  #go(match: FoundMatch): void {
    this.#current = match;
    this.#unfolds = true;
    this.#isLanding = isUnloaded(this.#window.transcript, match.event);
    if (this.#isLanding) {
      this.#window.pane.goTo({ event: match.event, part: match.part, row: 0 });
      return;
    }
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
    return kind === undefined || kind === "call" || kind === "thinking" || kind === "prompt";
  }

  get #top(): RowLocation | undefined {
    const { pane, transcript, size, context } = this.#window;
    return pane.view(transcript, size.rows, context()).rows[0]?.place;
  }
}
