import { defined } from "../../../base/defined.ts";
import { NO_NEWLINE } from "../../../base/text/diff/hunks.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import type { ProposedChange } from "../../../view/texts/changes/change-preview.ts";
import { changedPath, proposedChanges } from "../../../view/texts/changes/change-preview.ts";
import { proposedHunks } from "../../../view/transcript/source/proposed-hunks.ts";
import type { DiffFile } from "./diff-file.ts";
import { diffLine } from "./diff-file.ts";
import { parseDiff } from "./parse-diff.ts";

/** Returns the change of a call: the engine's diff, else what its arguments propose (PERM-06). */
export function filesOfCall({
  args,
  diff,
  preview,
}: Pick<PayloadOf<"PermissionRequested">, "args" | "diff" | "preview">): readonly DiffFile[] {
  if (diff === undefined) return proposedDiff(proposedChanges(preview, args));
  const to = changedPath(preview, args);
  return parseDiff(diff).map((file) => ({ ...defined({ to }), ...file }));
}

/** Returns the changes that a call proposes as diffs, one for each change. Their places in the file are not known. */
export function proposedDiff(changes: readonly ProposedChange[]): readonly DiffFile[] {
  return changes.map((change) => ({
    ...(change.before === undefined ? {} : { from: change.path }),
    to: change.path,
    facts: change.everywhere ? ["every occurrence"] : [],
    hunks: proposedHunks(change).map(({ old_start, new_start, lines }) => ({
      oldStart: old_start,
      newStart: new_start,
      lines: lines
        .map((line) => line.replace(/\n$/, ""))
        // A part of a file may end anywhere: only of a whole one the missing newline says something.
        .filter((line) => change.before === undefined || line !== NO_NEWLINE)
        .map(diffLine),
    })),
    ...(change.before === undefined ? {} : { isPlaceUnknown: true as const }),
  }));
}
