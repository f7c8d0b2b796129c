// East Asian wide and full-width characters, as Unicode's table has them, in blocks: none of these has narrow ones.
const WIDE =
  /^[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]/u;
const PICTURE = /^\p{Emoji_Presentation}|\ufe0f/u;
const UNSEEN = /^[\p{Mark}\p{Default_Ignorable_Code_Point}\p{Cc}]*$/u;
const PLAIN = /^[\x20-\x7e]*$/;

const ELLIPSIS = "…";

let segmenter: Intl.Segmenter | undefined;

function graphemes(text: string): Iterable<{ readonly segment: string }> {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}

/**
 * Returns the columns that a line takes on a terminal: two for wide characters and pictures, none for marks that
 * join others.
 */
export function displayWidth(line: string): number {
  if (PLAIN.test(line)) return line.length;
  let width = 0;
  for (const { segment } of graphemes(line)) width += widthOf(segment);
  return width;
}

function widthOf(grapheme: string): number {
  if (UNSEEN.test(grapheme)) return 0;
  return WIDE.test(grapheme) || PICTURE.test(grapheme) ? 2 : 1;
}

/** Returns the beginning of a line in at most `columnsMax` columns, with "…" if something is missing. */
export function cutEnd(line: string, columnsMax: number): string {
  if (displayWidth(line) <= columnsMax) return line;
  if (columnsMax < 1) return "";
  let [fitting, width] = ["", 0];
  for (const { segment } of graphemes(line)) {
    width += widthOf(segment);
    if (width > columnsMax - 1) break;
    fitting += segment;
  }
  return `${fitting.trimEnd()}${ELLIPSIS}`;
}

/** Returns the longest beginning of a line that takes at most `columnsMax` columns. */
export function fittingHead(line: string, columnsMax: number): string {
  if (PLAIN.test(line)) return line.slice(0, Math.max(0, columnsMax));
  let [units, width] = [0, 0];
  for (const { segment } of graphemes(line)) {
    width += widthOf(segment);
    if (width > columnsMax) break;
    units += segment.length;
  }
  return line.slice(0, units);
}

/** Returns the end of a line, such as a path, in at most `columnsMax` columns, with "…" if something is missing. */
export function cutBeginning(line: string, columnsMax: number): string {
  if (displayWidth(line) <= columnsMax) return line;
  if (columnsMax < 1) return "";
  let [fitting, width] = ["", 0];
  for (const { segment } of [...graphemes(line)].reverse()) {
    width += widthOf(segment);
    if (width > columnsMax - 1) break;
    fitting = `${segment}${fitting}`;
  }
  return `${ELLIPSIS}${fitting}`;
}
