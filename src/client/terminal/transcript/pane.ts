import type { Transcript } from "../../../view/transcript/transcript.ts";
import type { DrawnRow } from "../drawing/span.ts";
import { row, span } from "../drawing/span.ts";
import type { DrawContext } from "./draw-context.ts";
import { drawKey, drawPart } from "./draw-item.ts";
import type { Part, PartLocation, RowLocation } from "./place.ts";
import { eventAt, firstPart, isBefore, itemAt, lastPart, partAt, partBefore, partBehind } from "./place.ts";

/** A row that is shown, with its place in the transcript. */
export interface PlacedRow {
  readonly place: RowLocation;
  readonly drawn: DrawnRow;
}

/** Rows that a pane shows. */
export interface PaneView {
  readonly rows: readonly PlacedRow[];
  /** True if the last row of the transcript is shown. */
  readonly isAtEnd: boolean;
}

/**
 * Shows a transcript in a window of rows: it follows the end, or stays at a place while the transcript grows. The work
 * for a frame is bounded by the window and what is new, not by the transcript.
 */
export class TranscriptPane {
  /** The row at the top of the window; undefined: it follows the end. */
  #top: RowLocation | undefined;
  readonly #cache = new WeakMap<object, { readonly key: string; readonly rows: readonly DrawnRow[] }>();

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
  }

  /** Puts a place at the top of the window. */
  goTo(place: RowLocation): void {
    this.#top = place;
  }

  /** Puts a place so many rows below the top of the window, fewer at the beginning of the transcript. */
  goBelowTop(rows: number, place: RowLocation, transcript: Transcript, context: DrawContext): void {
    this.#top = rows <= 0 ? place : this.#placeAbove(transcript, place, rows, context);
  }

  /** Returns the rows of the window. */
  view(transcript: Transcript, height: number, context: DrawContext): PaneView {
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
    if (by < 0) {
      this.#top = this.#placeAbove(transcript, top, -by, context);
      return;
    }
    const below = this.#rowsFrom(transcript, top, by + height + 1, context);
    this.#top = below.length <= by + height ? undefined : below[by]?.place;
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
      const placed = this.#placed(transcript, part, context);
      rows.push(...placed.filter(({ place }) => !isBefore(place, from) && !isBefore(to, place)));
      const last = placed.at(-1)?.place;
      if (rows.length >= rowsMax || (last !== undefined && !isBefore(last, to))) break;
    }
    return rows.slice(0, rowsMax);
  }

  #lastRows(transcript: Transcript, height: number, context: DrawContext): readonly PlacedRow[] {
    const rows: PlacedRow[] = [];
    for (let part = lastPart(transcript); part !== undefined; part = partBefore(transcript, part)) {
      rows.unshift(...this.#placed(transcript, part, context));
      if (rows.length >= height) break;
    }
    return rows.slice(Math.max(0, rows.length - height));
  }

  #rowsFrom(
    transcript: Transcript,
    top: RowLocation,
    count: number,
    context: DrawContext,
  ): readonly PlacedRow[] {
    const first = partAt(transcript, top);
    if (first === undefined) return [];
    const begun = this.#placed(transcript, first, context);
    const isSame = eventAt(transcript, first) === top.event && first.part === top.part;
    const rows = begun.slice(isSame ? Math.min(top.row, Math.max(0, begun.length - 1)) : 0);
    for (let part = partBehind(transcript, first); part !== undefined && rows.length < count; ) {
      rows.push(...this.#placed(transcript, part, context));
      part = partBehind(transcript, part);
    }
    return rows.slice(0, count);
  }

  #placeAbove(transcript: Transcript, from: RowLocation, by: number, context: DrawContext): RowLocation {
    let left = by;
    let part = partAt(transcript, from) ?? firstPart(transcript);
    let row = from.row;
    while (part !== undefined) {
      if (row >= left) return { event: eventAt(transcript, part), part: part.part, row: row - left };
      const before = partBefore(transcript, part);
      if (before === undefined) return { event: eventAt(transcript, part), part: part.part, row: 0 };
      left -= row + 1;
      part = before;
      row = this.#draw(transcript, part, context).length - 1;
      if (row < 0) left += 1;
    }
    return from;
  }

  #placed(transcript: Transcript, part: Part, context: DrawContext): PlacedRow[] {
    const event = eventAt(transcript, part);
    return this.#draw(transcript, part, context).map((drawn, row) => ({
      drawn,
      place: { event, part: part.part, row },
    }));
  }

  #draw(transcript: Transcript, part: Part, context: DrawContext): readonly DrawnRow[] {
    const item = itemAt(transcript, part);
    if (item === undefined) return [row([span("… earlier messages", { role: "dim" })])];
    const owner = item.kind === "text" ? (item.streamed.closed.at(part.part) ?? item) : item;
    const key = `${drawKey(item, context)}:${part.part === 0}`;
    const known = this.#cache.get(owner);
    if (known?.key === key) return known.rows;
    const rows = drawPart(item, part.part, context);
    this.#cache.set(owner, { key, rows });
    return rows;
  }
}
