import { hunksOf, NO_NEWLINE } from "../../../base/text/diff/hunks.ts";
import type { ProposedChange } from "../../../view/texts/change-preview.ts";
import type { DiffFile } from "./diff-file.ts";
import { diffLine } from "./diff-file.ts";

const CONTEXT_LINES = 3;

/** Returns the changes that a call proposes as diffs, one for each change. Their places in the file are not known. */
export function proposedDiff(changes: readonly ProposedChange[]): readonly DiffFile[] {
  return changes.map(({ path, before, after, everywhere }) => ({
    ...(before === undefined ? {} : { from: path }),
    to: path,
    facts: everywhere ? ["every occurrence"] : [],
    hunks: hunksOf(before ?? "", after, CONTEXT_LINES).map(({ old_start, new_start, lines }) => ({
      oldStart: old_start,
      newStart: new_start,
      lines: lines
        .map((line) => line.replace(/\n$/, ""))
        // A part of a file may end anywhere: only of a whole one the missing newline says something.
        .filter((line) => before === undefined || line !== NO_NEWLINE)
        .map(diffLine),
    })),
    ...(before === undefined ? {} : { isPlaceUnknown: true as const }),
  }));
}
