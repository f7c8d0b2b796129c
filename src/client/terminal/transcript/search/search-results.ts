import type { TranscriptRange } from "../../../../view/transcript/pages.ts";
import type { Transcript } from "../../../../view/transcript/transcript.ts";
import { comparePlaces } from "../place.ts";
import type { FoundMatch, KnownMatches } from "./match-order.ts";
import type { FoundPart, SearchScan } from "./search-scan.ts";
import { fromTop, loadedMatches, SearchedRanges } from "./searched-ranges.ts";

/** Numbers of a search for the person. */
export interface SearchNumbers {
  /** Number of the current match from 1; absent: none, or not yet known. */
  readonly at?: number;
  readonly total: number;
  /** False while parts of the session are still to be searched. */
  readonly isComplete: boolean;
  /** True if a part of the session could not be read. */
  readonly isPartial: boolean;
}

/** Matches of one search: of what is loaded, and of the pages that were read for it. */
export class SearchResults {
  /** Parts with matches of the last whole look and of the pages that were read, from the top. */
  #found: readonly FoundPart[] = [];
  readonly #searched = new SearchedRanges();
  /** Parts that are neither loaded nor looked through. */
  #pending: readonly TranscriptRange[] = [];
  /** The first look, until it has ended. */
  #first: SearchScan | undefined;
  #isScanned = false;
  #hasFailed = false;

  /** True once all that is loaded was looked through. */
  get isScanned(): boolean {
    return this.#isScanned;
  }

  /** The newest part that is still to be read; undefined if there is none, or one could not be read. */
  get nextPart(): TranscriptRange | undefined {
    return this.#hasFailed ? undefined : this.#pending.at(-1);
  }

  get known(): KnownMatches {
    return { found: this.#foundSoFar, pending: this.#hasFailed ? [] : this.#pending };
  }

  /** Returns the numbers of the search. @param current the match that is shown. */
  numbers(current: FoundMatch | undefined): SearchNumbers {
    const found = this.#foundSoFar;
    const total = found.reduce((sum, { count }) => sum + count, 0);
    const isComplete = this.#isScanned && this.nextPart === undefined;
    const facts = { total, isComplete, isPartial: this.#hasFailed && this.#pending.length > 0 };
    if (current === undefined || !isComplete) return facts;
    const before = found.filter(({ place }) => comparePlaces(place, current) < 0);
    return { ...facts, at: before.reduce((sum, { count }) => sum + count, current.index + 1) };
  }

  /** Takes a look that begins: until the first one has ended, its matches count as far as it has come. */
  begin(scan: SearchScan): void {
    if (!this.#isScanned) this.#first = scan;
  }

  /** Takes a look that has ended. */
  complete({ transcript, found: fromEnd }: SearchScan): void {
    const found = fromEnd.toReversed();
    // Those that are left out later need not be read for it. The last one may still grow.
    const whole = transcript.segments.slice(0, -1).filter(({ items }) => items !== undefined);
    this.#searched.add(whole, found);
    this.#found = fromTop([...found, ...this.#searched.unloadedMatches(transcript)]);
    this.#pending = this.#searched.missing(transcript);
    this.#isScanned = true;
    this.#first = undefined;
  }

  /** Takes the matches of a part that is not loaded. */
  addPage(transcript: Transcript, range: TranscriptRange, found: readonly FoundPart[]): void {
    this.#searched.add([range], found);
    this.#update(transcript);
  }

  /** Takes a part that could not be read: those above it are not tried. */
  fail(transcript: Transcript): void {
    this.#hasFailed = true;
    this.#update(transcript);
  }

  #update(transcript: Transcript): void {
    const loaded = loadedMatches(transcript, this.#found);
    this.#found = fromTop([...this.#searched.unloadedMatches(transcript), ...loaded]);
    this.#pending = this.#searched.missing(transcript);
  }

  get #foundSoFar(): readonly FoundPart[] {
    return this.#first === undefined ? this.#found : this.#first.found.toReversed();
  }
}
