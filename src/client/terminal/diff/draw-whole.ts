import { reveal } from "../../../view/terminal/terminal-text.ts";
import type { DrawnRow, Role } from "../drawing/span.ts";
import { span } from "../drawing/span.ts";
import { wrapSpans } from "../drawing/wrap-spans.ts";
import { LINE_CHARACTERS_MAX } from "./code-rows.ts";
import type { DiffFile } from "./diff-file.ts";
import type { DiffOptions } from "./diff-rows.ts";
import { diffRows } from "./diff-rows.ts";

/** Lines that are drawn of a change that a person is asked about; a longer one says how many follow. */
const LINES_MAX = 20_000;

/**
 * Draws a change that a person is asked about, without names of files. Nothing within its lines is left out: if the
 * reader of the diff left one out, or one is too long for it, all are drawn as they are (PERM-06).
 * @param lines the lines that `files` were read from.
 */
export function drawWhole(
  files: readonly DiffFile[],
  lines: readonly string[],
  options: Pick<DiffOptions, "columns" | "layout">,
): readonly DrawnRow[] {
  if (!isWhole(files, lines)) return drawSignedLines(lines, options.columns);
  return diffRows(files, { ...options, linesMax: LINES_MAX, hasNames: false });
}

/** Draws each line whole, wrapped, with its sign in front and nothing in it hidden. */
export function drawSignedLines(lines: readonly string[], columns: number): readonly DrawnRow[] {
  return lines.flatMap((line) => {
    const role = roleOf(line);
    return wrapSpans([span(reveal(line), role === undefined ? {} : { role })], { columns, byWords: false });
  });
}

/** Returns true if each line is a line or the head of a hunk that was read, and is drawn to its end. */
function isWhole(files: readonly DiffFile[], lines: readonly string[]): boolean {
  const hunks = files.flatMap((file) => file.hunks);
  const heads = lines.filter((line) => line.startsWith("@@")).length;
  const read = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  return read + heads === lines.length && lines.every((line) => line.length <= LINE_CHARACTERS_MAX);
}

function roleOf(line: string): Role | undefined {
  if (line.startsWith("+")) return "added";
  if (line.startsWith("-")) return "removed";
  return line.startsWith("@@") ? "dim" : undefined;
}
