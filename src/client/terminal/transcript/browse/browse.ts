import type { EventSeq } from "../../../../base/ids.ts";
import type { TranscriptItem } from "../../../../view/transcript/items.ts";
import { partsOf } from "../draw-item.ts";
import type { PlacedRow } from "../pane.ts";
import type { RowLocation } from "../place.ts";
import { isPrompt, isShown, itemBefore, itemBehind, itemOf } from "./blocks.ts";
import type { MarkedPart } from "./marked-part.ts";
import { blockPartsOf, isRowOf, isSamePart } from "./marked-part.ts";
import type { TranscriptWindow } from "./window.ts";
import { bringIntoSight, firstRowOf, holdPlace, isInSight, putBelowTop, scrollBy } from "./window.ts";

/** Rows that a step through a long block keeps of the ones before. */
const OVERLAP_ROWS = 2;

type Direction = -1 | 1;

/** The marked block, or a part of it. */
export interface Marked {
  readonly item: TranscriptItem;
  readonly part?: MarkedPart;
}

/** The block that is marked while a person browses, and the prompt that was gone to last. */
export class Browse {
  readonly #window: TranscriptWindow;
  #event: EventSeq | undefined;
  #part: MarkedPart | undefined;
  /** The prompt that was gone to, until the window is moved in another way. */
  #prompt: EventSeq | undefined;

  constructor(window: TranscriptWindow) {
    this.#window = window;
  }

  get isOpen(): boolean {
    return this.#event !== undefined;
  }

  /** The marked block or part; undefined while nobody browses, or if it is not loaded. */
  get marked(): Marked | undefined {
    const item = this.#event === undefined ? undefined : itemOf(this.#window.transcript, this.#event);
    if (item === undefined) return undefined;
    return this.#part === undefined ? { item } : { item, part: this.#part };
  }

  /** Returns true for a row of what is marked. The first row of a block is the empty one above it. */
  isMarked(placed: PlacedRow): boolean {
    const { event, part, row } = placed.place;
    if (event !== this.#event || (part === 0 && row === 0)) return false;
    return this.#part === undefined || isRowOf(this.#part, placed);
  }

  /** Marks the lowest block in sight, and holds the window there. Returns false if there is no block. */
  begin(): boolean {
    const last = this.#inSight.at(-1);
    if (last === undefined) return false;
    holdPlace(this.#window);
    this.mark(last);
    return true;
  }

  end(): void {
    this.mark(undefined);
  }

  /** Marks a block without a change of the window. */
  mark(event: EventSeq | undefined): void {
    this.#event = event;
    this.#part = undefined;
  }

  /** Marks the block above or below, or the part of it. A long block is first shown to its end. */
  move(by: Direction): void {
    const { size } = this.#window;
    const item = this.marked?.item;
    const inSight = this.#inSight;
    if (item === undefined || !inSight.includes(item.event)) {
      this.mark(by > 0 ? inSight[0] : inSight.at(-1));
      return;
    }
    if (this.#moveInside(item, by)) return;
    if (this.#part === undefined && !this.#isEdgeInSight(item, by)) {
      scrollBy(this.#window, by * Math.max(1, size.rows - OVERLAP_ROWS));
      return;
    }
    this.#moveOn(item, by);
  }

  /** Marks the first part of the block by itself. Returns false if it has none. */
  enter(): boolean {
    const item = this.marked?.item;
    if (item === undefined || this.#part !== undefined) return false;
    const { folds } = this.#window;
    if (item.kind === "call" && item.items.length > 0) folds.unfold([item.event]);
    const parts = blockPartsOf(item, folds);
    const { pane, transcript, size, context } = this.#window;
    const { rows } = pane.view(transcript, size.rows, context());
    const ofItem = rows.filter(({ place }) => place.event === item.event);
    const first = parts.find((part) => ofItem.some((placed) => isRowOf(part, placed))) ?? parts[0];
    if (first === undefined) return false;
    this.#enter(item, first);
    return true;
  }

  /** Marks the whole block again. */
  leavePart(): void {
    this.#part = undefined;
  }

  /** Goes to the prompt above or below; below the last one, to the end. */
  toPrompt(by: Direction): void {
    const { transcript, pane } = this.#window;
    const from = this.#event ?? this.#prompt ?? (pane.isFollowing ? Number.POSITIVE_INFINITY : this.#top);
    const find = by > 0 ? itemBehind : itemBefore;
    const next = find(transcript, from, isPrompt);
    if (next === undefined) {
      if (by > 0) this.toEnd();
      return;
    }
    pane.goTo(firstRowOf(next.event));
    if (this.isOpen) this.mark(next.event);
    else this.#prompt = next.event;
  }

  toTop(): void {
    const { transcript, pane } = this.#window;
    const [first] = transcript.segments;
    if (first !== undefined) pane.goTo(firstRowOf(first.first));
    this.#prompt = undefined;
    if (this.isOpen) this.mark(itemBehind(transcript, 0, this.#isShown)?.event);
  }

  toEnd(): void {
    const { transcript, pane } = this.#window;
    pane.follow();
    this.#prompt = undefined;
    if (this.isOpen) this.mark(itemBefore(transcript, Number.POSITIVE_INFINITY, this.#isShown)?.event);
  }

  /** Forgets the prompt that was gone to: the window was moved in another way. */
  moved(): void {
    this.#prompt = undefined;
  }

  /** Folds what is marked, or unfolds it, and keeps it in sight. */
  toggle(): void {
    const { marked } = this;
    if (marked === undefined) return;
    const { item, part } = marked;
    const { folds } = this.#window;
    if (part?.kind === "call") {
      folds.toggle(part.event);
      return;
    }
    folds.toggle(item.event);
    bringIntoSight(this.#window, firstRowOf(item.event));
  }

  #moveInside(item: TranscriptItem, by: Direction): boolean {
    const part = this.#part;
    if (part === undefined) return false;
    const parts = blockPartsOf(item, this.#window.folds);
    const at = parts.findIndex((each) => isSamePart(each, part));
    const next = parts[at + by];
    if (at < 0 || next === undefined) return false;
    this.#enter(item, next);
    return true;
  }

  #moveOn(item: TranscriptItem, by: Direction): void {
    const { transcript, pane } = this.#window;
    const find = by > 0 ? itemBehind : itemBefore;
    const next = find(transcript, item.event, this.#isShown);
    if (next !== undefined) {
      this.mark(next.event);
      this.#reveal(next, by);
    } else if (by > 0) pane.follow();
    else pane.goTo(firstRowOf(transcript.segments[0]?.first ?? item.event));
  }

  #enter({ event }: TranscriptItem, part: MarkedPart): void {
    this.#part = part;
    const { pane, transcript, context } = this.#window;
    if (part.kind === "markdown") {
      for (const at of new Set([part.last, part.first]))
        bringIntoSight(this.#window, { event, part: at, row: at === 0 ? 1 : 0 });
      return;
    }
    const rows = pane.rowsAt(transcript, { event, part: 0 }, context());
    const row = rows.findIndex((drawn, at) => isRowOf(part, { place: { event, part: 0, row: at }, drawn }));
    if (row >= 0) bringIntoSight(this.#window, { event, part: 0, row });
  }

  /** Events of the blocks in sight, from the top. */
  get #inSight(): readonly EventSeq[] {
    const { pane, transcript, size, context } = this.#window;
    const { rows } = pane.view(transcript, size.rows, context());
    const events = [...new Set(rows.map(({ place }) => place.event))];
    return events.filter((event) => itemOf(transcript, event) !== undefined);
  }

  /** Accepts items with rows. */
  get #isShown(): (item: TranscriptItem) => boolean {
    const context = this.#window.context();
    return (item) => isShown(item, context);
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
