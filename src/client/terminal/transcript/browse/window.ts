import type { EventSeq } from "../../../../base/ids.ts";
import type { Transcript } from "../../../../view/transcript/transcript.ts";
import type { Services } from "../../layout/services.ts";
import type { Size } from "../../screen/screen.ts";
import type { DrawContext } from "../draw-context.ts";
import type { Folds } from "../folds.ts";
import type { PlacedRow, TranscriptPane } from "../pane.ts";
import type { RowLocation } from "../place.ts";

/** The window in which the transcript is shown, for what moves, marks and searches in it. */
export interface TranscriptWindow {
  readonly services: Services;
  readonly pane: TranscriptPane;
  readonly folds: Folds;
  readonly transcript: Transcript;
  /** Size of the last frame, without what stands beside the text. */
  readonly size: Size;
  /** Rows of the last frame. */
  readonly shown: readonly PlacedRow[];
  /** Returns what drawing depends on now. */
  context(): DrawContext;
}

/** Share of the window above a row that is brought into sight. */
const ABOVE = 1 / 3;

/** Moves the window by rows, up for negative ones. */
export function scrollBy({ pane, transcript, size, context }: TranscriptWindow, rows: number): void {
  if (rows !== 0) pane.scroll(rows, transcript, size.rows, context());
}

/** Returns true if a row would be in the next frame, without a change of the window. */
export function isInSight(window: TranscriptWindow, place: RowLocation): boolean {
  const { pane, transcript, size, context } = window;
  return pane.view(transcript, size.rows, context()).rows.some((each) => isSamePlace(each.place, place));
}

/** Brings a row into sight; the window stays where it is if the row is in it. */
export function bringIntoSight(window: TranscriptWindow, place: RowLocation): void {
  if (!isInSight(window, place)) putInSight(window, place);
}

/** Puts a row at its usual place in the window, with some rows above it. */
export function putInSight(window: TranscriptWindow, place: RowLocation): void {
  putBelowTop(window, place, Math.floor(window.size.rows * ABOVE));
}

/** Puts a row so many rows below the top of the window. */
export function putBelowTop(
  { pane, transcript, context }: TranscriptWindow,
  place: RowLocation,
  rows: number,
): void {
  pane.goBelowTop(rows, place, transcript, context());
}

/** Keeps the window at its top row while the transcript grows. */
export function holdPlace({ pane, transcript, size, context }: TranscriptWindow): void {
  const top = pane.view(transcript, size.rows, context()).rows[0]?.place;
  if (top !== undefined) pane.goTo(top);
}

/** Returns the place of the first row of an item. */
export function firstRowOf(event: EventSeq): RowLocation {
  return { event, part: 0, row: 0 };
}

function isSamePlace(one: RowLocation, two: RowLocation): boolean {
  return one.event === two.event && one.part === two.part && one.row === two.row;
}
