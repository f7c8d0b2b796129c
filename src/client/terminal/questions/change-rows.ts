import { defined } from "../../../base/defined.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import type { Hunk } from "../../../protocol/events/hunk.ts";
import { diffLine, signedLines } from "../diff/diff-file.ts";
import type { DiffOptions } from "../diff/diff-rows.ts";
import { drawWhole } from "../diff/draw-whole.ts";
import { filesOfCall } from "../diff/proposed-diff.ts";
import type { DrawnRow } from "../drawing/span.ts";

type Request = Pick<PayloadOf<"PermissionRequested">, "args" | "diff" | "preview">;
type Shown = Pick<DiffOptions, "columns" | "layout">;

/** Draws the whole change that a call would make: the engine's diff, else the call's own arguments (PERM-06). */
export function drawRequestedChange(request: Request, shown: Shown): readonly DrawnRow[] {
  const files = filesOfCall(request);
  const lines = request.diff?.replace(/\n$/, "").split("\n") ?? signedLines(files);
  return drawWhole(files, lines, shown);
}

/** Draws one whole hunk of the change of a file. */
export function drawHunk(hunk: Hunk, path: string | undefined, shown: Shown): readonly DrawnRow[] {
  const { old_start: oldStart, new_start: newStart, lines } = hunk;
  const drawn = { oldStart, newStart, lines: lines.map(diffLine) };
  const file = { ...defined({ from: path, to: path }), facts: [], hunks: [drawn] };
  return drawWhole([file], lines, shown);
}
