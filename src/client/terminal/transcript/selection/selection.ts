import type { RowMark } from "../../drawing/marked-row.ts";
import type { TranscriptWindow } from "../browse/window.ts";
import type { PlacedRow } from "../pane.ts";
import type { Extent, SelectionUnit } from "./extent.ts";
import { extentAt, joinedExtent, selectedUnits } from "./extent.ts";
import { selectedText } from "./selected-text.ts";

/** Rows that one selection copies at most. */
const ROWS_MAX = 200_000;

/** Part of the transcript that is selected with the mouse. It stays where it is while the transcript grows. */
export class MouseSelection {
  readonly #window: TranscriptWindow;
  #anchor: { readonly extent: Extent; readonly unit: SelectionUnit; readonly columns: number } | undefined;
  #extent: Extent | undefined;

  constructor(window: TranscriptWindow) {
    this.#window = window;
  }

  /** True if there is a selection. It ends once the width of the window changes, as rows are others then. */
  get isThere(): boolean {
    return this.#extent !== undefined && this.#anchor?.columns === this.#window.size.columns;
  }

  clear(): void {
    this.#anchor = undefined;
    this.#extent = undefined;
  }

  /** Begins a selection at a cell: of a character nothing is selected yet. */
  begin(at: PlacedRow, column: number, unit: SelectionUnit): void {
    const extent = this.#extentAt(at, column, unit);
    this.#anchor = { extent, unit, columns: this.#window.size.columns };
    this.#extent = unit === "character" ? undefined : extent;
  }

  /** Extends the selection to a cell. */
  extend(at: PlacedRow, column: number): void {
    if (this.#anchor === undefined) return;
    const { extent, unit } = this.#anchor;
    this.#extent = joinedExtent(extent, this.#extentAt(at, column, unit));
  }

  /** Returns the mark of the selected part of a row. */
  marksIn(placed: PlacedRow): readonly RowMark[] {
    if (!this.isThere || this.#extent === undefined) return [];
    const units = selectedUnits(placed, this.#extent);
    return units === undefined || units.from >= units.to ? [] : [{ ...units, role: "selected" }];
  }

  /** Returns the selected text, without wraps and decoration; empty if there is none. */
  get text(): string {
    if (!this.isThere || this.#extent === undefined) return "";
    const { pane, transcript, context } = this.#window;
    const { from, to } = this.#extent;
    const range = { from: from.place, to: to.place, rowsMax: ROWS_MAX };
    return selectedText(pane.rowsBetween(transcript, range, context()), this.#extent);
  }

  #extentAt(at: PlacedRow, column: number, unit: SelectionUnit): Extent {
    const { pane, transcript, context } = this.#window;
    const rows = unit === "line" ? pane.rowsAt(transcript, at.place, context()) : [];
    return extentAt(at, { column, unit, rows });
  }
}
