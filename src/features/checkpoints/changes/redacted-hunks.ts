import type { TextHunk } from "../../../base/text/diff/hunks.ts";
import { NO_NEWLINE } from "../../../base/text/diff/hunks.ts";
import { lineEdits, linesWithEnds } from "../../../base/text/diff/line-edits.ts";

/** A line of a secret that is longer than one. */
const REDACTED_LINE = "«redacted»";

/**
 * Returns hunks with the secrets of both texts redacted. Each text is redacted as a whole, so that a secret of several
 * lines is found. The hunks keep their places and numbers of lines.
 */
export function redactedHunks(
  hunks: readonly TextHunk[],
  { before, after }: { readonly before: string; readonly after: string },
  redact: (text: string) => string,
): readonly TextHunk[] {
  const [olds, news] = [redactedLines(before, redact), redactedLines(after, redact)];
  if (olds === undefined && news === undefined) return hunks;
  return hunks.map((hunk) => {
    let [old, now] = [firstLine(hunk.old_start, hunk.old_lines), firstLine(hunk.new_start, hunk.new_lines)];
    const lines = hunk.lines.map((line) => {
      if (line === NO_NEWLINE) return line;
      const mark = line.charAt(0);
      const shown = mark === "+" ? news?.[now] : olds?.[old];
      if (mark !== "+") old += 1;
      if (mark !== "-") now += 1;
      return shown === undefined ? line : mark + shown;
    });
    return { ...hunk, lines };
  });
}

/** Returns the index of a hunk's first line in its text. */
function firstLine(start: number, count: number): number {
  return count === 0 ? start : start - 1;
}

/** Returns the lines of a text, redacted, without their ends; undefined if nothing in it is secret. */
function redactedLines(text: string, redact: (text: string) => string): readonly string[] | undefined {
  const safe = redact(text);
  if (safe === text) return undefined;
  const [lines, shown] = [linesWithEnds(text), linesWithEnds(safe)];
  const { removed, added } = lineEdits(lines, shown);
  const result: string[] = [];
  for (let [at, to] = [0, 0]; at < lines.length; ) {
    if (removed[at] !== 1 && added[to] !== 1) {
      result.push(withoutEnd(shown[to] ?? REDACTED_LINE));
      [at, to] = [at + 1, to + 1];
      continue;
    }
    // A redacted part has as many lines as before, or fewer.
    while (removed[at] === 1 || added[to] === 1) {
      if (removed[at] === 1) result.push(added[to] === 1 ? withoutEnd(shown[to] ?? "") : REDACTED_LINE);
      [at, to] = [at + (removed[at] ?? 0), to + (added[to] ?? 0)];
    }
  }
  return result;
}

function withoutEnd(line: string): string {
  return line.endsWith("\n") ? line.slice(0, -1) : line;
}
