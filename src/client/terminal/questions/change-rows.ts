import { defined } from "../../../base/defined.ts";
import { isObject, stringAt } from "../../../base/json.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import type { Hunk } from "../../../protocol/events/hunk.ts";
import { reveal } from "../../../view/terminal/terminal-text.ts";
import { proposedChanges } from "../../../view/texts/change-preview.ts";
import type { DiffFile } from "../diff/diff-file.ts";
import { diffLine } from "../diff/diff-file.ts";
import { diffRows } from "../diff/diff-rows.ts";
import { parseDiff } from "../diff/parse-diff.ts";
import { proposedDiff } from "../diff/proposed-diff.ts";
import type { DrawnRow, Role } from "../drawing/span.ts";
import { span } from "../drawing/span.ts";
import { wrapSpans } from "../drawing/wrap-spans.ts";

/** Draws lines of a unified diff. The one place where the drawing of changes is chosen. */
export type DrawChange = (lines: readonly string[], columns: number) => readonly DrawnRow[];

/** Draws each line whole, wrapped, with its sign in front and nothing in it hidden (PERM-06). */
export const drawChange: DrawChange = (lines, columns) =>
  lines.flatMap((line) => {
    const role = roleOf(line);
    return wrapSpans([span(reveal(line), role === undefined ? {} : { role })], { columns, byWords: false });
  });

/** Lines of a change that a question draws; a longer one says how many follow. */
const LINES_MAX = 20_000;

type Request = Pick<PayloadOf<"PermissionRequested">, "args" | "diff" | "preview">;

/**
 * Draws the change that a call would make: the engine's diff, else the call's own arguments. A diff of which a line
 * would be left out is drawn line by line instead (PERM-06).
 */
export function drawRequestedChange({ args, diff, preview }: Request, columns: number): readonly DrawnRow[] {
  const options = { columns, linesMax: LINES_MAX, hasNames: false };
  if (diff === undefined) return diffRows(proposedDiff(proposedChanges(preview, args)), options);
  const path = preview === undefined || !isObject(args) ? undefined : stringAt(args, preview.path);
  const files = parseDiff(diff).map((file) => ({ ...defined({ to: path }), ...file }));
  return isWhole(diff, files) ? diffRows(files, options) : drawChange(diff.split("\n"), columns);
}

/** Draws one hunk of the change of a file. */
export function drawHunk(hunk: Hunk, path: string | undefined, columns: number): readonly DrawnRow[] {
  const { old_start: oldStart, new_start: newStart, lines } = hunk;
  const drawn = { oldStart, newStart, lines: lines.map(diffLine) };
  const file = { ...defined({ from: path, to: path }), facts: [], hunks: [drawn] };
  return diffRows([file], { columns, linesMax: LINES_MAX, hasNames: false });
}

/** Returns true if each line of a diff is a line or the head of a hunk that was read. */
function isWhole(diff: string, files: readonly DiffFile[]): boolean {
  const hunks = files.flatMap((file) => file.hunks);
  const lines = hunks.reduce((sum, hunk) => sum + hunk.lines.length + 1, 0);
  return diff.replace(/\n$/, "").split("\n").length === lines;
}

function roleOf(line: string): Role | undefined {
  if (line.startsWith("+")) return "added";
  if (line.startsWith("-")) return "removed";
  return line.startsWith("@@") ? "dim" : undefined;
}
