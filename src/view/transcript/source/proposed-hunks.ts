import type { TextHunk } from "../../../base/text/diff/hunks.ts";
import { hunksOf } from "../../../base/text/diff/hunks.ts";
import type { ProposedChange } from "../../texts/changes/change-preview.ts";

/** Unchanged lines around the changed ones. */
const CONTEXT_LINES = 3;

/** Returns the changed places of a proposed change. Lines keep their ends. */
export function proposedHunks({ before = "", after }: ProposedChange): readonly TextHunk[] {
  return hunksOf(before, after, CONTEXT_LINES);
}
