import { count } from "../../../base/text/text.ts";
import type { DrawnRow, Role } from "../drawing/span.ts";
import { row, span } from "../drawing/span.ts";
import { cutSpans } from "./code-rows.ts";
import type { DiffFile, DiffHunk } from "./diff-file.ts";
import { diffCounts } from "./diff-file.ts";
import type { DiffLayout } from "./diff-layout.ts";
import { isSideBySide } from "./diff-layout.ts";
import type { HunkPicture } from "./hunk-picture.ts";
import { syntaxOf } from "./hunk-picture.ts";
import { sideRows } from "./side-rows.ts";
import { unifiedRows } from "./unified-rows.ts";
import { wordMarks } from "./word-marks.ts";

export interface DiffOptions {
  readonly columns: number;
  /** Default: `auto`. */
  readonly layout?: DiffLayout;
  /** Lines of all hunks that are drawn; the rest is counted in one row. Default: 2,000. */
  readonly linesMax?: number;
  /** Characters of each line that are drawn; the rest is counted behind them. Default: 2,000. */
  readonly charactersMax?: number;
  /** Key that shows the lines that are left out, for the row about them. Default: none. */
  readonly unfoldKey?: string;
  /** False: no row with the name of each file. Default: true. */
  readonly hasNames?: boolean;
}

const LINES_MAX = 2_000;

/**
 * Returns the rows of a diff. None is wider than `columns`. Line numbers and signs are margins, which are never copied.
 * The work is bounded by `linesMax`.
 */
export function diffRows(files: readonly DiffFile[], options: DiffOptions): readonly DrawnRow[] {
  const { columns, layout = "auto", linesMax = LINES_MAX, hasNames = true, unfoldKey } = options;
  const isSide = isSideBySide(layout, columns);
  const rows: DrawnRow[] = [];
  let [left, hidden] = [linesMax, 0];
  for (const file of files) {
    if (hasNames && (left > 0 || rows.length === 0)) rows.push(...nameRows(file, columns));
    for (const hunk of file.hunks) {
      const lines = hunk.lines.slice(0, Math.max(0, left));
      left -= lines.length;
      hidden += hunk.lines.length - lines.length;
      if (lines.length === 0) continue;
      const picture = pictureOf({ ...hunk, lines }, file, options);
      // A hunk may have more rows than a call takes arguments.
      for (const each of headingRows(hunk, file, columns)) rows.push(each);
      for (const each of isSide && !isWhole(file) ? sideRows(picture) : unifiedRows(picture)) rows.push(each);
    }
  }
  if (hidden > 0)
    rows.push(
      ...plainRows(
        `… ${count(hidden, "more line")}${unfoldKey === undefined ? "" : ` · ${unfoldKey} unfolds`}`,
        "dim",
        columns,
      ),
    );
  return rows;
}

function pictureOf(hunk: DiffHunk, file: DiffFile, { columns, charactersMax }: DiffOptions): HunkPicture {
  const language = languageOf(file);
  return {
    hunk,
    columns,
    marks: wordMarks(hunk.lines),
    hasNumbers: file.isPlaceUnknown !== true && file.hasGaps !== true,
    ...(language === "" ? {} : { syntax: syntaxOf(hunk.lines, language) }),
    ...(charactersMax === undefined ? {} : { charactersMax }),
  };
}

function languageOf({ from, to }: DiffFile): string {
  return /\.([A-Za-z0-9+]{1,12})$/.exec(to ?? from ?? "")?.[1]?.toLowerCase() ?? "";
}

function nameRows(file: DiffFile, columns: number): readonly DrawnRow[] {
  const name = fileName(file);
  const { added, removed } = diffCounts([file]);
  if (name === undefined && file.facts.length === 0) return [];
  const counts = file.hunks.length === 0 ? "" : `  +${added} -${removed}`;
  return plainRows(`${[name ?? "", ...file.facts].filter(Boolean).join("  ")}${counts}`, "heading", columns);
}

/** Returns the name of a changed file: both names of a renamed one, and what became of a new or deleted one. */
export function fileName({ from, to }: DiffFile): string | undefined {
  if (from === undefined && to === undefined) return undefined;
  if (from === undefined) return `${to} (new)`;
  if (to === undefined) return `${from} (deleted)`;
  return from === to ? to : `${from} → ${to}`;
}

/** Returns true for a new or deleted file: one of the two sides would be empty. */
function isWhole({ from, to }: DiffFile): boolean {
  return (from === undefined) !== (to === undefined);
}

function headingRows({ oldStart, newStart, heading }: DiffHunk, file: DiffFile, columns: number) {
  if (isWhole(file) && file.hunks.length === 1) return [];
  const place = file.isPlaceUnknown === true ? "⋯" : `@@ ${oldStart} → ${newStart}`;
  if (file.isPlaceUnknown === true && file.hunks.length === 1) return [];
  return plainRows(heading === undefined ? place : `${place}  ${heading}`, "dim", columns);
}

/** Returns rows that only describe, which are never copied. */
function plainRows(text: string, role: Role, columns: number): readonly DrawnRow[] {
  return cutSpans([span(text.slice(0, 1_000), { role })], columns).map((spans) =>
    row(spans, { margin: columns }),
  );
}
