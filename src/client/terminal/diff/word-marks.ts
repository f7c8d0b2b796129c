import { lineEdits } from "../../../base/text/diff/line-edits.ts";
import type { DiffLine } from "./diff-file.ts";

/** Parts of a line, by their indices in UTF-16 units; ends are exclusive. */
export type Marks = readonly (readonly [from: number, to: number])[];

const WORDS_MAX = 200;
const CHARACTERS_MAX = 1_000;
/** Lines that share less than this are other lines: marks would only blur them. */
const SHARE_MIN = 0.4;

/**
 * Returns the changed words of a hunk by the index of the line. The n-th removed line of a place is compared with the
 * n-th added one; long lines, and lines with little in common, get no marks.
 */
export function wordMarks(lines: readonly DiffLine[]): ReadonlyMap<number, Marks> {
  const marks = new Map<number, Marks>();
  for (let at = 0; at < lines.length; ) {
    const removed = runOf(lines, at, "removed");
    const added = runOf(lines, at + removed, "added");
    for (let pair = 0; pair < Math.min(removed, added); pair += 1)
      markPair(lines, [at + pair, at + removed + pair], marks);
    at += Math.max(1, removed + added);
  }
  return marks;
}

function runOf(lines: readonly DiffLine[], from: number, kind: DiffLine["kind"]): number {
  let end = from;
  while (lines[end]?.kind === kind) end += 1;
  return end - from;
}

function markPair(
  lines: readonly DiffLine[],
  [one, other]: readonly [number, number],
  marks: Map<number, Marks>,
): void {
  const [before = "", after = ""] = [lines[one]?.text, lines[other]?.text];
  if (before.length > CHARACTERS_MAX || after.length > CHARACTERS_MAX) return;
  const [old, now] = [wordsOf(before), wordsOf(after)];
  if (old.length > WORDS_MAX || now.length > WORDS_MAX) return;
  const { removed, added } = lineEdits(old, now);
  const equal = old.reduce((sum, word, at) => sum + (removed[at] === 1 ? 0 : word.trim().length), 0);
  if (equal < SHARE_MIN * Math.max(before.trim().length, after.trim().length)) return;
  marks.set(one, marksOf(old, removed));
  marks.set(other, marksOf(now, added));
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

function marksOf(words: readonly string[], isChanged: Uint8Array): Marks {
  const marks: [number, number][] = [];
  let from = 0;
  for (const [at, { length }] of words.entries()) {
    const last = marks.at(-1);
    if (isChanged[at] === 1) {
      if (last?.[1] === from) last[1] = from + length;
      else marks.push([from, from + length]);
    }
    from += length;
  }
  return marks;
}
