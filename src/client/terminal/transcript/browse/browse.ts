import type { EventSeq } from "../../../../base/ids.ts";
import type { TranscriptItem } from "../../../../view/transcript/items.ts";
import { partsOf } from "../draw-item.ts";
import type { RowLocation } from "../place.ts";
import { isPrompt, isShown, itemBefore, itemBehind, itemOf } from "./blocks.ts";
import type { TranscriptWindow } from "./window.ts";
import { bringIntoSight, firstRowOf, holdPlace, isInSight, putBelowTop, scrollBy } from "./window.ts";

/** Rows that a step through a long block keeps of the ones before. */
const OVERLAP_ROWS = 2;

type Direction = -1 | 1;

/** The block that is marked while a person browses, and the prompt that was gone to last. */
export class Browse {
  readonly #window: TranscriptWindow;
  #marked: EventSeq | undefined;
  /** The prompt that was gone to, until the window is moved in another way. */
  #prompt: EventSeq | undefined;

  constructor(window: TranscriptWindow) {
    this.#window = window;
  }

  /** The event of the marked block; undefined while nobody browses. */
  get marked(): EventSeq | undefined {
    return this.#marked;
  }

  /** The marked block; undefined while nobody browses, or if it is not loaded. */
  get item(): TranscriptItem | undefined {
    return this.#marked === undefined ? undefined : itemOf(this.#window.transcript, this.#marked);
  }

  /** Marks the lowest block in sight, and holds the window there. Returns false if there is no block. */
  begin(): boolean {
    const last = this.#inSight.at(-1);
    if (last === undefined) return false;
    holdPlace(this.#window);
    this.#marked = last;
    return true;
  }

  end(): void {
    this.#marked = undefined;
  }

  /** Marks a block and brings its first row into sight. */
  mark(event: EventSeq): void {
    this.#marked = event;
    bringIntoSight(this.#window, firstRowOf(event));
  }

  /** Marks a block without a change of the window. */
  markInPlace(event: EventSeq): void {
    this.#marked = event;
  }

  /** Marks the block above or below. A long block is first shown to its end. */
  move(by: Direction): void {
    const { transcript, pane, size } = this.#window;
    const { item } = this;
    const inSight = this.#inSight;
    if (item === undefined || !inSight.includes(item.event)) {
      this.#marked = by > 0 ? inSight[0] : inSight.at(-1);
      return;
    }
    if (!this.#isEdgeInSight(item, by)) {
      scrollBy(this.#window, by * Math.max(1, size.rows - OVERLAP_ROWS));
      return;
    }
    const find = by > 0 ? itemBehind : itemBefore;
    const next = find(transcript, item.event, isShown);
    if (next === undefined) {
      if (by > 0) pane.follow();
      else pane.goTo(firstRowOf(transcript.segments[0]?.first ?? item.event));
      return;
    }
    this.#marked = next.event;
    this.#reveal(next, by);
  }

  /** Goes to the prompt above or below; below the last one, to the end. */
  toPrompt(by: Direction): void {
    const { transcript, pane } = this.#window;
    const isBrowsing = this.#marked !== undefined;
    const from = this.#marked ?? this.#prompt ?? (pane.isFollowing ? Number.POSITIVE_INFINITY : this.#top);
    const find = by > 0 ? itemBehind : itemBefore;
    const next = find(transcript, from, isPrompt);
    if (next === undefined) {
      if (by > 0) this.toEnd();
      return;
    }
    pane.goTo(firstRowOf(next.event));
    if (isBrowsing) this.#marked = next.event;
    else this.#prompt = next.event;
  }

  toTop(): void {
    const { transcript, pane } = this.#window;
    const [first] = transcript.segments;
    if (first !== undefined) pane.goTo(firstRowOf(first.first));
    this.#prompt = undefined;
    this.#markIfBrowsing(itemBehind(transcript, 0, isShown));
  }

  toEnd(): void {
    const { transcript, pane } = this.#window;
    pane.follow();
    this.#prompt = undefined;
    this.#markIfBrowsing(itemBefore(transcript, Number.POSITIVE_INFINITY, isShown));
  }

  /** Forgets the prompt that was gone to: the window was moved in another way. */
  moved(): void {
    this.#prompt = undefined;
  }

  /** Folds the marked block, or unfolds it, and keeps it in sight. */
  toggle(): void {
    const { item } = this;
    if (item === undefined) return;
    const { folds } = this.#window;
    const wasAbove = !this.#isEdgeInSight(item, -1);
    folds.toggle(item.event);
    if (wasAbove && !folds.has(item.event)) this.#window.pane.goTo(firstRowOf(item.event));
    else bringIntoSight(this.#window, firstRowOf(item.event));
  }

  #markIfBrowsing(item: TranscriptItem | undefined): void {
    if (this.#marked !== undefined && item !== undefined) this.#marked = item.event;
  }

  /** Events of the blocks in sight, from the top. */
  get #inSight(): readonly EventSeq[] {
    const { pane, transcript, size, context } = this.#window;
    const { rows } = pane.view(transcript, size.rows, context());
    const events = [...new Set(rows.map(({ place }) => place.event))];
    return events.filter((event) => itemOf(transcript, event) !== undefined);
  }

  get #top(): EventSeq {
    return this.#inSight[0] ?? 0;
  }

  #isEdgeInSight(item: TranscriptItem, by: Direction): boolean {
    return isInSight(this.#window, by < 0 ? firstRowOf(item.event) : this.#lastRowOf(item));
  }

  /** Brings a block into sight with as small a step as possible: of a long one, the edge that comes first. */
  #reveal(item: TranscriptItem, by: Direction): void {
    const { pane, size } = this.#window;
    if (this.#isEdgeInSight(item, -1) && this.#isEdgeInSight(item, 1)) return;
    const height = this.#heightOf(item, size.rows + 1);
    const fits = height <= size.rows;
    if (fits === by > 0) putBelowTop(this.#window, this.#lastRowOf(item), size.rows - 1);
    else pane.goTo(firstRowOf(item.event));
  }

  #lastRowOf(item: TranscriptItem): RowLocation {
    const { pane, transcript, context } = this.#window;
    const { event } = item;
    for (let part = partsOf(item) - 1; part > 0; part -= 1) {
      const rows = pane.rowsAt(transcript, { event, part }, context()).length;
      if (rows > 0) return { event, part, row: rows - 1 };
    }
    const rows = pane.rowsAt(transcript, { event, part: 0 }, context()).length;
    return { event, part: 0, row: Math.max(0, rows - 1) };
  }

  /** Returns the rows of a block, counted up to a limit. */
  #heightOf(item: TranscriptItem, most: number): number {
    const { pane, transcript, context } = this.#window;
    let rows = 0;
    for (let part = 0; part < partsOf(item) && rows < most; part += 1)
      rows += pane.rowsAt(transcript, { event: item.event, part }, context()).length;
    return rows;
  }
}
