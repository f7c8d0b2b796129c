import type { DiffFile, DiffLine } from "../diff/diff-file.ts";
import { diffLine } from "../diff/diff-file.ts";

/** One file of a trust question. */
export interface ReviewedFile {
  /** Path in the question; empty for a question about one file. */
  readonly path: string;
  /** `new`: the whole file. `changed`: the differing places with their context. */
  readonly kind: "new" | "changed";
  /** Every line of it, as the question has them. */
  readonly lines: readonly string[];
  /** Lines in front of its text: remarks of the engine, such as that it is executable now. */
  readonly remarks: readonly string[];
  readonly diff: DiffFile;
}

/** A trust question, apart from its choices. */
export interface TrustReview {
  /** Sentences about its kind, its effect and suspicious parts. */
  readonly head: readonly string[];
  readonly files: readonly ReviewedFile[];
}

interface OpenHunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: DiffLine[];
}

/** The head of a hunk in a trust question, which has no counts of lines. */
const HUNK = /^@@ -(\d{1,9}) \+(\d{1,9}) @@$/;
const SIGNED = /^(?:[-+ ]|$)/;

/** Reads the text of a trust question: sentences, an empty line, then each file under `== PATH`. */
export function parseReview(text: string): TrustReview {
  const lines = text.split("\n");
  const end = lines.indexOf("");
  if (end < 0) return { head: lines, files: [] };
  const files: { path: string; lines: string[] }[] = [];
  for (const line of lines.slice(end + 1)) {
    // A line of a file has a sign in front, so that no file can begin another one.
    if (line.startsWith("== ")) files.push({ path: line.slice(3), lines: [] });
    else {
      if (files.length === 0) files.push({ path: "", lines: [] });
      files.at(-1)?.lines.push(line);
    }
  }
  return { head: lines.slice(0, end), files: files.map(reviewedFile) };
}

/** Reads the lines of a file. A line without a sign is a remark of the engine, which may stand for lines. */
function reviewedFile({ path, lines }: Pick<ReviewedFile, "path" | "lines">): ReviewedFile {
  const remarks: string[] = [];
  const hunks: OpenHunk[] = [];
  let hasGaps = false;
  for (const line of lines) {
    const head = HUNK.exec(line);
    const hunk = hunks.at(-1);
    if (head !== null) hunks.push({ oldStart: Number(head[1]), newStart: Number(head[2]), lines: [] });
    else if (SIGNED.test(line)) {
      if (hunk === undefined) hunks.push({ oldStart: 1, newStart: 1, lines: [diffLine(line)] });
      else hunk.lines.push(diffLine(line));
    } else if (hunk === undefined) remarks.push(line);
    else {
      hasGaps = true;
      hunk.lines.push({ kind: "note", text: line });
    }
  }
  const hasPlace = lines.some((line) => HUNK.test(line));
  const isChanged = hasPlace || lines.some((line) => line.startsWith("-"));
  return {
    path,
    kind: isChanged ? "changed" : "new",
    lines,
    remarks,
    diff: {
      ...(isChanged ? { from: path } : {}),
      to: path,
      facts: [],
      hunks,
      ...(hasGaps ? { hasGaps } : {}),
      ...(isChanged && !hasPlace ? { isPlaceUnknown: true } : {}),
    },
  };
}
