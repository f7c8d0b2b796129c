import type { Theme } from "../drawing/paint.ts";
import { paint, paintWide } from "../drawing/paint.ts";
import { shownColumn, textColumn } from "../drawing/right-to-left.ts";
import type { DrawnRow } from "../drawing/span.ts";
import { row, span } from "../drawing/span.ts";
import type { MouseInput, ScreenFrame, Size } from "../screen/screen.ts";
import type { DrawnPart, ScreenPart } from "./part.ts";

/** Rows of the screen that belong to a part. */
export interface ScreenRegion {
  readonly part: ScreenPart;
  readonly top: number;
  readonly rows: number;
  /** Its first column; absent: it begins at the left edge, and ends where the part beside it begins. */
  readonly left?: number;
}

/** Rows of the parts in their places, before they are painted. */
export interface LaidOutRows {
  readonly rows: readonly DrawnRow[];
  /** Rows beside the first ones. */
  readonly side?: SideRows;
  readonly regions: readonly ScreenRegion[];
  /** The part with the focus, and its first row. */
  readonly focus: DrawnPart & { readonly top: number };
}

interface SideRows {
  readonly rows: readonly DrawnRow[];
  /** Columns of the rows to the left of the border. */
  readonly columns: number;
  /** Number of rows that it stands beside. */
  readonly height: number;
}

export interface PictureOptions {
  readonly theme: () => Theme;
  /** Returns true if the cursor is visible without a field too, at what is chosen. */
  readonly alwaysShowsCursor: () => boolean;
}

/** Columns of the line between the parts and the one beside them. */
const SIDE_BORDER = "│ ";
/** Columns that the border takes. */
export const SIDE_BORDER_COLUMNS = SIDE_BORDER.length;

/** Paints the rows of a frame, places its cursor, and says which part a place of it belongs to. */
export class Picture {
  readonly #options: PictureOptions;
  #regions: readonly ScreenRegion[] = [];
  /** Rows of the last frame, without those of the part at the right edge. */
  #rows: readonly DrawnRow[] = [];

  constructor(options: PictureOptions) {
    this.#options = options;
  }

  /** Returns the frame; on a screen with too few rows those from the row with the focus on. */
  paint({ rows, side, regions, focus }: LaidOutRows, { columns, rows: height }: Size): ScreenFrame {
    const theme = this.#options.theme();
    this.#rows = rows;
    const { cursor } = this.#cursor(focus);
    const hidden = Math.min(Math.max(0, rows.length - height), cursor?.row ?? focus.top);
    const painted = rows.map((each, at) =>
      side === undefined || at >= side.height
        ? paint(each, theme, columns)
        : paintBeside(each, side.rows[at], { columns: side.columns, width: columns, theme }),
    );
    this.#rows = rows.slice(hidden);
    this.#regions = regions.map((each) => ({ ...each, top: each.top - hidden }));
    const shown = { rows: painted.slice(hidden, hidden + height) };
    return cursor === undefined ? shown : { ...shown, cursor: { ...cursor, row: cursor.row - hidden } };
  }

  /** Returns the region of the last frame at a place; undefined if no part has it. */
  regionAt({ row: at, column }: Pick<MouseInput, "row" | "column">): ScreenRegion | undefined {
    return this.#regions.find(({ top, rows, left = 0 }) => at >= top && at < top + rows && column >= left);
  }

  /** Returns the region of a part in the last frame; undefined if it has none. */
  regionOf(part: ScreenPart): ScreenRegion | undefined {
    return this.#regions.find((each) => each.part === part);
  }

  /** Returns a mouse event with the row and the column in a region. */
  within(input: MouseInput, region: ScreenRegion | undefined): MouseInput {
    return { ...input, row: input.row - (region?.top ?? 0), column: this.#textColumn(input, region) };
  }

  /** Returns the cell of the cursor: that of the part with the focus, else that of what is chosen in it. */
  #cursor({ cursor, rows, top }: LaidOutRows["focus"]): Pick<ScreenFrame, "cursor"> {
    const isChosen = ({ fill, spans }: DrawnRow) =>
      fill === "selected" || spans.some(({ style }) => style.fill === "selected");
    if (cursor === undefined && !this.#options.alwaysShowsCursor()) return {};
    const { row: at, column } = cursor ?? { row: Math.max(0, rows.findIndex(isChosen)), column: 0 };
    const place = top + Math.min(at, Math.max(0, rows.length - 1));
    const drawn = this.#rows[place];
    return {
      cursor: { row: place, column: this.#isReordered && drawn ? shownColumn(drawn, column) : column },
    };
  }

  #textColumn({ row: at, column }: MouseInput, region: ScreenRegion | undefined): number {
    const drawn = this.#rows[at];
    if (region?.left !== undefined) return column - region.left;
    return this.#isReordered && drawn !== undefined ? textColumn(drawn, column) : column;
  }

  /** True if right-to-left words are written in the order in which they are seen. */
  get #isReordered(): boolean {
    return this.#options.theme().rightToLeft === "reorder";
  }
}

/** Paints a row with one of the part at the right edge behind it. */
function paintBeside(
  drawn: DrawnRow,
  side: DrawnRow | undefined,
  { columns, width, theme }: { readonly columns: number; readonly width: number; readonly theme: Theme },
): string {
  const border = paint(row([span(SIDE_BORDER, { role: "border" })]), theme, SIDE_BORDER_COLUMNS);
  const rest = side === undefined ? "" : paint(side, theme, width - columns - SIDE_BORDER_COLUMNS);
  return `${paintWide(drawn, theme, columns)}${border}${rest}`;
}
