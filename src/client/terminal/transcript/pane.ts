import { defined } from "../../../base/defined.ts";
import type { EventSeq } from "../../../base/ids.ts";
import type { PagePosition } from "../../../view/transcript/pages.ts";
import type { Transcript, TranscriptSegment } from "../../../view/transcript/transcript.ts";
import type { DrawnRow } from "../drawing/span.ts";
import { row, span } from "../drawing/span.ts";
import type { DrawContext } from "./draw-context.ts";
import { drawKey, drawPart } from "./draw-item.ts";
import type { PartLocation, RowLocation, TranscriptPartIndex } from "./place.ts";
import { eventAt, firstPart, isBefore, itemAt, lastPart, partAt, partBefore, partBehind } from "./place.ts";

/** A row that is shown, with its place in the transcript. */
export interface PlacedRow {
  readonly place: RowLocation;
  readonly drawn: DrawnRow;
  /** True if it stands for a part that was left out. */
  readonly isMissing?: true;
}

const MISSING_ROW = row([span("… earlier messages", { role: "dim" })]);

/** A part in the window that was left out of the transcript, and the page of it that is needed first. */
export interface MissingPart {
  readonly first: EventSeq;
  readonly place: PagePosition;
}

/** Rows of drawn parts that are kept, about; beyond that the ones that were drawn first are drawn again. */
const KEPT_ROWS_MAX = 20_000;

/** Rows of a part, and what they were drawn from. */
interface Drawn {
  readonly of: object;
  readonly key: string;
  readonly rows: readonly DrawnRow[];
}

/** Rows of a part: so many from one on, or the last ones. */
interface WantedRows {
  readonly from?: number;
  readonly count?: number;
  readonly last?: number;
}

/** Rows that a pane shows. */
export interface PaneView {
  readonly rows: readonly PlacedRow[];
  /** True if the last row of the transcript is shown. */
  readonly isAtEnd: boolean;
  /** Absent: everything in the window is there. */
  readonly missing?: MissingPart;
}

/**
 * Shows a transcript in a window of rows: it follows the end, or stays at a place while the transcript grows. The work
 * for a frame is bounded by the window and what is new, not by the transcript.
 */
export class TranscriptPane {
  /** The row at the top of the window; undefined: it follows the end. */
  #top: RowLocation | undefined;
  /** Place that the person has gone to, from above or from below. */
  #cameFrom: "above" | "below" = "below";
  /** The part that was missing at the top of the last window, and the row below it if there is one. */
  #gap: { readonly segment: TranscriptSegment; readonly below?: RowLocation } | undefined;
  /** Rows that the person has scrolled up beyond the part that is missing at the top. */
  #rowsLeft = 0;
  /** Rows of drawn parts in the order in which they were drawn: by the block, or by the event of the item. */
  readonly #cache = new Map<object | EventSeq, Drawn>();
  #cachedRows = 0;

  get isFollowing(): boolean {
    return this.#top === undefined;
  }

  /** The row at the top; undefined while it follows the end. */
  get top(): RowLocation | undefined {
    return this.#top;
  }

  /** Follows the end from now on. */
  follow(): void {
    this.#top = undefined;
    this.#cameFrom = "below";
    this.#rowsLeft = 0;
    this.#gap = undefined;
  }

  /** Puts a place at the top of the window. */
  goTo(place: RowLocation): void {
    this.#top = place;
    this.#cameFrom = "above";
    this.#rowsLeft = 0;
    this.#gap = undefined;
  }

  /** Puts a place so many rows below the top of the window, fewer at the beginning of the transcript. */
  goBelowTop(rows: number, place: RowLocation, transcript: Transcript, context: DrawContext): void {
    this.#top = rows <= 0 ? place : this.#placeAbove(transcript, place, rows, context);
  }

  /** Returns the rows of the window. */
  view(transcript: Transcript, height: number, context: DrawContext): PaneView {
    this.#fillGap(transcript, context);
    const view = this.#view(transcript, height, context);
    const at = view.rows.findIndex(({ isMissing }) => isMissing === true);
    const gap = view.rows[at]?.place.event;
    if (gap === undefined) return view;
    const segment = transcript.segments.find(({ first, items }) => items === undefined && first === gap);
    if (segment?.isCleared === true && this.#top === undefined) return view;
    const below = view.rows[at + 1]?.place;
    const isAtTop = at === 0 && this.#cameFrom === "below";
    this.#gap =
      isAtTop && segment !== undefined && this.#top !== undefined
        ? { segment, ...defined({ below }) }
        : undefined;
    return { ...view, missing: { first: gap, place: this.#placeIn(segment, isAtTop) } };
  }

  /** Returns the page that is needed of a part that is missing. */
  #placeIn(segment: TranscriptSegment | undefined, isAtTop: boolean): PagePosition {
    const top = this.#top;
    if (isAtTop) return "end";
    // The person has gone to an event in the middle of it.
    if (segment !== undefined && top !== undefined && top.event > segment.first && top.event <= segment.last)
      return { around: top.event };
    return "start";
  }

  /** Keeps the rows below a part where they are, once a page of it is there. */
  #fillGap({ segments, ...rest }: Transcript, context: DrawContext): void {
    const gap = this.#gap;
    if (gap === undefined || segments.includes(gap.segment)) return;
    this.#gap = undefined;
    if (gap.below === undefined) this.follow();
    else this.#goUp({ segments, ...rest }, gap.below, 1 + this.#rowsLeft, context);
  }

  #view(transcript: Transcript, height: number, context: DrawContext): PaneView {
    if (this.#top === undefined) return { rows: this.#lastRows(transcript, height, context), isAtEnd: true };
    const rows = this.#rowsFrom(transcript, this.#top, height + 1, context);
    // At the end there is nothing below to scroll to: the window fills up from above.
    if (rows.length > height) return { rows: rows.slice(0, height), isAtEnd: false };
    return { rows: this.#lastRows(transcript, height, context), isAtEnd: true };
  }

  /** Moves the window by rows, up for negative ones. Below the last row it follows the end. */
  scroll(by: number, transcript: Transcript, height: number, context: DrawContext): void {
    const { rows } = this.view(transcript, height, context);
    const top = rows[0]?.place;
    if (top === undefined) return;
    this.#gap = undefined;
    this.#cameFrom = by < 0 ? "below" : "above";
    if (by < 0) {
      this.#goUp(transcript, top, this.#rowsLeft - by, context);
      return;
    }
    this.#rowsLeft = 0;
    const below = this.#rowsFrom(transcript, top, by + height + 1, context);
    // What is missing is not skipped.
    const missing = below.findIndex(({ isMissing }, at) => at > 0 && isMissing === true);
    if (missing >= 0 && missing <= by) this.#top = below[missing]?.place;
    else this.#top = below.length <= by + height ? undefined : below[by]?.place;
  }

  /** Returns the rows of the part at a place; none if its item is gone. */
  rowsAt(transcript: Transcript, place: PartLocation, context: DrawContext): readonly DrawnRow[] {
    const part = partAt(transcript, { ...place, row: 0 });
    const isSame =
      part !== undefined && eventAt(transcript, part) === place.event && part.part === place.part;
    return isSame ? this.#draw(transcript, part, context) : [];
  }

  /** Returns the rows from one place to another one, both included, at most `rowsMax`. */
  rowsBetween(
    transcript: Transcript,
    { from, to, rowsMax }: { readonly from: RowLocation; readonly to: RowLocation; readonly rowsMax: number },
    context: DrawContext,
  ): readonly PlacedRow[] {
    const rows: PlacedRow[] = [];
    for (let part = partAt(transcript, from); part !== undefined; part = partBehind(transcript, part)) {
      for (const each of this.#placed(transcript, part, context)) {
        if (isBefore(each.place, from)) continue;
        if (rows.length >= rowsMax || isBefore(to, each.place)) return rows;
        rows.push(each);
      }
    }
    return rows;
  }

  #lastRows(transcript: Transcript, height: number, context: DrawContext): readonly PlacedRow[] {
    let rows: readonly PlacedRow[] = [];
    for (let part = lastPart(transcript); part !== undefined; part = partBefore(transcript, part)) {
      rows = [...this.#placed(transcript, part, context, { last: height - rows.length }), ...rows];
      if (rows.length >= height) break;
    }
    return rows;
  }

  #rowsFrom(
    transcript: Transcript,
    top: RowLocation,
    count: number,
    context: DrawContext,
  ): readonly PlacedRow[] {
    const first = partAt(transcript, top);
    if (first === undefined) return [];
    const isSame = eventAt(transcript, first) === top.event && first.part === top.part;
    let rows = this.#placed(transcript, first, context, { from: isSame ? top.row : 0, count });
    for (let part = partBehind(transcript, first); part !== undefined && rows.length < count; ) {
      rows = [...rows, ...this.#placed(transcript, part, context, { count: count - rows.length })];
      part = partBehind(transcript, part);
    }
    return rows;
  }

  /** Puts the row so many rows above another one at the top; what is missing is not skipped, but read first. */
  #goUp(transcript: Transcript, from: RowLocation, by: number, context: DrawContext): void {
    const { rowsLeft, ...place } = this.#placeAbove(transcript, from, by, context);
    [this.#top, this.#rowsLeft] = [place, rowsLeft];
  }

  /** Returns the row so many rows above another one, and those that are left above a part that is missing. */
  #placeAbove(
    transcript: Transcript,
    from: RowLocation,
    by: number,
    context: DrawContext,
  ): RowLocation & { readonly rowsLeft: number } {
    let left = by;
    let part = partAt(transcript, from) ?? firstPart(transcript);
    let row = from.row;
    while (part !== undefined) {
      const isMissing = itemAt(transcript, part) === undefined;
      const before = partBefore(transcript, part);
      if (isMissing || row >= left || before === undefined) {
        const at = isMissing ? 0 : Math.max(0, row - left);
        const place = { event: eventAt(transcript, part), part: part.part, row: at };
        return { ...place, rowsLeft: isMissing ? left : 0 };
      }
      left -= row + 1;
      part = before;
      row = this.#draw(transcript, part, context).length - 1;
      if (row < 0) left += 1;
    }
    return { ...from, rowsLeft: 0 };
  }

  /** Returns the wanted rows of a part. Default: all. */
  #placed(
    transcript: Transcript,
    part: TranscriptPartIndex,
    context: DrawContext,
    { from = 0, count = Number.POSITIVE_INFINITY, last }: WantedRows = {},
  ): readonly PlacedRow[] {
    const event = eventAt(transcript, part);
    if (itemAt(transcript, part) === undefined)
      return [{ drawn: MISSING_ROW, place: { event, part: 0, row: 0 }, isMissing: true }];
    const rows = this.#draw(transcript, part, context);
    const first = last === undefined ? Math.min(from, Math.max(0, rows.length - 1)) : rows.length - last;
    const top = Math.max(0, first);
    return rows
      .slice(top, top + count)
      .map((drawn, at) => ({ drawn, place: { event, part: part.part, row: top + at } }));
  }

  #draw(transcript: Transcript, part: TranscriptPartIndex, context: DrawContext): readonly DrawnRow[] {
    const item = itemAt(transcript, part);
    if (item === undefined) return [MISSING_ROW];
    const block = item.kind === "text" ? item.streamed.closed.at(part.part) : undefined;
    const of = block ?? item;
    const key = `${drawKey(item, context)}:${part.part === 0}`;
    const slot = block ?? item.event;
    const known = this.#cache.get(slot);
    if (known?.of === of && known.key === key) return known.rows;
    const rows = drawPart(item, part.part, context);
    this.#keep(slot, { of, key, rows });
    return rows;
  }

  #keep(slot: object | EventSeq, drawn: Drawn): void {
    this.#cachedRows += drawn.rows.length - (this.#cache.get(slot)?.rows.length ?? 0);
    this.#cache.delete(slot);
    this.#cache.set(slot, drawn);
    for (const [oldest, { rows }] of this.#cache) {
      if (this.#cachedRows <= KEPT_ROWS_MAX || oldest === slot) return;
      this.#cache.delete(oldest);
      this.#cachedRows -= rows.length;
    }
  }
}
