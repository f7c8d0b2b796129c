import { cutEnd, displayWidth, fittingHead } from "../../../view/terminal/display-width.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import type { DrawnRow, Span } from "../drawing/span.ts";
import { likeSpan, row, span, textOfRow } from "../drawing/span.ts";
import type { ListCell, ListColumn, PanelEntry } from "./list-entry.ts";

const POINTER = "▸ ";
const NO_POINTER = "  ";
const GAP = 2;
/** Columns that names keep before a column beside them is left out. */
const LABEL_MIN = 24;
/** Columns of facts below which they are left out. */
const DETAIL_MIN = 4;
const NO_COLUMNS: readonly ListColumn[] = [];
const NO_CELL: ListCell = { text: "" };

/** Widths of the columns of a list, and of the widest name and sign. */
export interface ListWidths {
  readonly columns: readonly ListColumn[];
  readonly cells: readonly number[];
  readonly label: number;
  readonly sign: number;
}

/** Measures all entries of a list, so that columns keep their places while it is scrolled and searched. */
export function listWidths<Value>(
  entries: readonly PanelEntry<Value>[],
  columns: readonly ListColumn[] = NO_COLUMNS,
): ListWidths {
  const cells = columns.map(({ name }) => displayWidth(name));
  let [label, sign] = [0, 0];
  for (const entry of entries) {
    if (label < LABEL_MIN) label = Math.max(label, displayWidth(entry.label));
    if (entry.sign !== undefined) sign = Math.max(sign, displayWidth(entry.sign.text));
    for (const [at, { text }] of (entry.cells ?? []).entries())
      cells[at] = Math.max(cells[at] ?? 0, displayWidth(text));
  }
  return { columns, cells, label, sign };
}

/** Returns how many columns fit beside the names. */
export function columnsThatFit({ cells, label, sign }: ListWidths, columns: number): number {
  let room = columns - NO_POINTER.length - (sign === 0 ? 0 : sign + 1);
  const labelMin = Math.min(label, LABEL_MIN);
  let count = 0;
  for (const width of cells) {
    room -= width + GAP;
    if (room < labelMin) return count;
    count += 1;
  }
  return count;
}

/** Returns the row with the names of the columns; undefined if none has a name. */
export function headRow(widths: ListWidths, columns: number): DrawnRow | undefined {
  const count = columnsThatFit(widths, columns);
  const shown = widths.columns.slice(0, count);
  if (shown.every(({ name }) => name === "")) return undefined;
  const cells = shown.map(({ name }, at) => cellText({ text: name }, widths, at));
  const right = cells.map((text) => `${" ".repeat(GAP)}${text}`).join("");
  return row([span(`${" ".repeat(Math.max(0, columns - displayWidth(right)))}${right}`, { role: "dim" })]);
}

/** Returns the row of an entry, at most `columns` wide. */
export function entryRow<Value>(
  entry: PanelEntry<Value>,
  widths: ListWidths,
  { columns, isHere }: { readonly columns: number; readonly isHere: boolean },
): DrawnRow {
  const { label, detail = "", mark = "", sign, isDim = false } = entry;
  const pointer = isHere ? POINTER : NO_POINTER;
  const before = widths.sign === 0 ? [] : [signSpan(sign ?? NO_CELL, widths.sign)];
  const beforeWidth = pointer.length + (widths.sign === 0 ? 0 : widths.sign + 1);
  const count = columnsThatFit(widths, columns);
  const cells = Array.from({ length: count }, (_, at) => {
    const cell = entry.cells?.[at] ?? NO_CELL;
    return span(`${" ".repeat(GAP)}${cellText(cell, widths, at)}`, { role: cell.role ?? "dim" });
  });
  const behind = mark === "" ? cells : [...cells, span(`${" ".repeat(GAP)}${mark}`, { role: "dim" })];
  const behindWidth = behind.reduce((sum, { text }) => sum + displayWidth(text), 0);
  const room = Math.max(1, columns - beforeWidth - behindWidth);
  const name = cutEnd(neutraliseLine(label), room);
  const rest = room - displayWidth(name) - GAP;
  const facts = detail === "" || rest < DETAIL_MIN ? "" : `  ${cutEnd(neutraliseLine(detail), rest)}`;
  const gap = " ".repeat(Math.max(0, room - displayWidth(name) - displayWidth(facts)));
  return row(
    [
      span(pointer, { role: "accent" }),
      ...before,
      span(name, { isBold: isHere, ...(isDim ? { role: "dim" as const } : {}) }),
      span(facts, { role: "dim" }),
      ...(behind.length === 0 ? [] : [span(gap), ...behind]),
    ],
    isHere ? { fill: "selected" } : {},
  );
}

/** Returns rows with others at their right, behind a line. A filled row ends at the line. */
export function besides(
  left: readonly DrawnRow[],
  right: readonly DrawnRow[],
  { leftColumns, rows }: { readonly leftColumns: number; readonly rows: number },
): readonly DrawnRow[] {
  const line = span(" │ ", { role: "border" });
  return Array.from({ length: rows }, (_, at) => {
    const one = left[at];
    const width = one === undefined ? 0 : displayWidth(textOfRow(one));
    const gap = span(" ".repeat(Math.max(0, leftColumns - width)));
    const spans = [...(one === undefined ? [] : fitted(one.spans, leftColumns)), gap];
    const fill = one?.fill;
    const drawn = fill === undefined ? spans : spans.map((each) => filledSpan(each, fill));
    return row([...drawn, line, ...(right[at]?.spans ?? [])]);
  });
}

function filledSpan(each: Span, role: NonNullable<DrawnRow["fill"]>): Span {
  return likeSpan(each, { style: { ...each.style, fill: role } });
}

function fitted(spans: readonly Span[], columns: number): readonly Span[] {
  let room = columns;
  return spans.map((each) => {
    const text = fittingHead(each.text, room);
    room -= displayWidth(text);
    return text.length === each.text.length ? each : likeSpan(each, { text });
  });
}

function signSpan({ text, role = "dim" }: ListCell, width: number): Span {
  return span(`${text}${" ".repeat(Math.max(0, width - displayWidth(text)))} `, { role });
}

function cellText({ text }: ListCell, { columns, cells }: ListWidths, at: number): string {
  const blank = " ".repeat(Math.max(0, (cells[at] ?? 0) - displayWidth(text)));
  return columns[at]?.isLeft === true ? `${text}${blank}` : `${blank}${text}`;
}

/** Returns short texts side by side, as many to a row as fit, on at most `rowsMax` rows. None is broken. */
export function packedRows(
  texts: readonly string[],
  { columns, rowsMax }: { readonly columns: number; readonly rowsMax: number },
): readonly DrawnRow[] {
  const lines: string[] = [];
  for (const text of texts) {
    const last = lines.at(-1);
    if (last !== undefined && displayWidth(last) + 3 + displayWidth(text) <= columns)
      lines[lines.length - 1] = `${last} · ${text}`;
    else lines.push(text);
  }
  return lines.slice(0, rowsMax).map((line) => row([span(cutEnd(line, columns), { role: "dim" })]));
}
