import { cutEnd, displayWidth } from "./display-width.ts";

/** Columns of a terminal of unknown width, and of a file for people. */
export const COLUMNS = 80;
const GAP = "  ";
/** A cell that says nothing. */
const NOTHING = "-";

/** One column of a table. */
export interface Column {
  readonly name: string;
  readonly cells: readonly string[];
  /**
   * Rank by which it is left out, the highest first, if the last column has too little room; absent: it always stays.
   */
  readonly dropped?: number;
  /** Maximum columns of a cell. */
  readonly max?: number;
  /** Cuts a cell that is too long. Default: at its end. */
  readonly cut?: (cell: string, columnsMax: number) => string;
}

export interface TableOptions {
  readonly columns: number;
  /** Columns for the last column, if its cells are that long. */
  readonly lastMin: number;
  /** True for a screen reader: a line for each row, which names each cell, the last one first. Default: false. */
  readonly isSpoken?: boolean;
}

/**
 * Renders a table with a head that fits a width: some of its columns are left out, and the cells of the last one cut.
 */
export function fittedTable(
  all: readonly Column[],
  { columns, lastMin, isSpoken = false }: TableOptions,
): readonly string[] {
  if (isSpoken) return spokenRows(all);
  let shown = all;
  while (roomOfLast(shown, columns) < Math.min(lastMin, naturalWidth(shown.at(-1)))) {
    const next = shown.filter((column) => column.dropped !== undefined).toSorted(byDropped)[0];
    if (next === undefined) break;
    shown = shown.filter((column) => column !== next);
  }
  const room = Math.max(1, roomOfLast(shown, columns));
  const texts = shown.map((column, at) => {
    const max = at === shown.length - 1 ? Math.min(room, column.max ?? room) : column.max;
    const cut = column.cut ?? cutEnd;
    return [column.name, ...column.cells].map((cell) => (max === undefined ? cell : cut(cell, max)));
  });
  const rows = Array.from({ length: (all[0]?.cells.length ?? 0) + 1 }, (_, row) =>
    texts.map((column) => column[row] ?? ""),
  );
  return tableLines(rows);
}

function spokenRows(all: readonly Column[]): readonly string[] {
  const order = [...all.slice(-1), ...all.slice(0, -1)];
  return Array.from({ length: all[0]?.cells.length ?? 0 }, (_, at) => {
    const cells = order.flatMap(({ name, cells: texts }) => {
      const text = texts[at] ?? "";
      return text === "" || text === NOTHING ? [] : [`${name.toLowerCase()} ${text}`];
    });
    return `  ${cells.join(", ")}`;
  });
}

function byDropped(a: Column, b: Column): number {
  return (b.dropped ?? 0) - (a.dropped ?? 0);
}

/** Returns the columns of the screen that the last column may take. */
function roomOfLast(shown: readonly Column[], columns: number): number {
  const others = shown.slice(0, -1).map((column) => naturalWidth(column) + GAP.length);
  return columns - others.reduce((sum, width) => sum + width, 0);
}

function naturalWidth(column: Column | undefined): number {
  if (column === undefined) return 0;
  const widest = widthOf([column.name, ...column.cells]);
  return Math.min(widest, column.max ?? widest);
}

/** Renders cells under each other, two spaces between columns, none at the ends of lines. */
export function tableLines(rows: readonly (readonly string[])[]): readonly string[] {
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const widths = Array.from({ length: columns }, (_, column) =>
    widthOf(rows.map((row) => row[column] ?? "")),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - displayWidth(cell)))
      .join(GAP)
      .trimEnd(),
  );
}

/** Returns the width of the widest cell. */
function widthOf(cells: readonly string[]): number {
  return cells.reduce((widest, cell) => Math.max(widest, displayWidth(cell)), 0);
}
