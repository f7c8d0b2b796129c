// East Asian wide and full-width characters, as Unicode's table has them, in blocks: none of these has narrow ones.
const WIDE =
  /^[\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\u33ff\u3400-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]/u;
/** Clusters that are drawn as a picture: by their first character, or because a selector behind it says so. */
const PICTURE = /^\p{Emoji_Presentation}|^\p{Emoji}\ufe0f/u;
/** Characters without a cell: marks over and under others, joiners, and Hangul vowels and final consonants. */
const UNSEEN = /^[\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}\p{Cc}\u1160-\u11ff\ud7b0-\ud7fb]$/u;
const PLAIN = /^[\x20-\x7e]*$/;
/**
 * Characters whose width every terminal knows, and that join no neighbour: ASCII, letters of Europe, box lines, and the
 * common wide ones. Of these the first with two columns is `WIDE_MIN`.
 */
const SIMPLE =
  /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u0588\u2010-\u2027\u2030-\u205e\u2190-\u2193\u2500-\u259f\u3001-\u3020\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]*$/;
const WIDE_MIN = 0x3001;

const ELLIPSIS = "…";
/** Units in which the first cluster of a text usually ends. */
const NEAR_UNITS = 64;

let segmenter: Intl.Segmenter | undefined;

/** Iterates the clusters of a text: what a reader takes for one character. */
export function clustersOf(text: string): Iterable<{ readonly segment: string }> {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}

/** Returns the first cluster of a text; empty for an empty one. It reads no more of a long text than needed. */
export function firstCluster(text: string): string {
  for (let units = NEAR_UNITS; ; units *= 4) {
    const [first] = clustersOf(text.slice(0, units));
    const cluster = first?.segment ?? "";
    if (cluster.length < units || units >= text.length) return cluster;
  }
}

/**
 * Returns the columns that a line takes on a terminal: two for wide characters and pictures, also joined ones, none for
 * marks over and under others. A letter that is joined to another one has its own column, as most terminals draw
 * letters one by one: where they disagree, more is counted, since a gap can be read and a letter that is written over
 * cannot.
 */
export function displayWidth(line: string): number {
  if (PLAIN.test(line)) return line.length;
  let width = 0;
  if (SIMPLE.test(line)) {
    for (let at = 0; at < line.length; at += 1) width += line.charCodeAt(at) < WIDE_MIN ? 1 : 2;
    return width;
  }
  for (const { segment } of clustersOf(line)) width += clusterWidth(segment);
  return width;
}

/** Returns true for a text whose columns every terminal counts alike, and whose characters join no neighbour. */
export function isSimple(text: string): boolean {
  return SIMPLE.test(text);
}

/** Returns the columns of one cluster. */
export function clusterWidth(cluster: string): number {
  if (PICTURE.test(cluster)) return 2;
  let width = 0;
  for (const character of cluster) width += UNSEEN.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/** Returns the beginning of a line in at most `columnsMax` columns, with "…" if something is missing. */
export function cutEnd(line: string, columnsMax: number): string {
  if (displayWidth(line) <= columnsMax) return line;
  if (columnsMax < 1) return "";
  let [fitting, width] = ["", 0];
  for (const { segment } of clustersOf(line)) {
    width += clusterWidth(segment);
    if (width > columnsMax - 1) break;
    fitting += segment;
  }
  return `${fitting.trimEnd()}${ELLIPSIS}`;
}

/** Returns the longest beginning of a line that takes at most `columnsMax` columns. */
export function fittingHead(line: string, columnsMax: number): string {
  if (PLAIN.test(line)) return line.slice(0, Math.max(0, columnsMax));
  let [units, width] = [0, 0];
  if (SIMPLE.test(line)) {
    for (; units < line.length; units += 1) {
      width += line.charCodeAt(units) < WIDE_MIN ? 1 : 2;
      if (width > columnsMax) break;
    }
    return line.slice(0, units);
  }
  for (const { segment } of clustersOf(line)) {
    width += clusterWidth(segment);
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
  for (const { segment } of [...clustersOf(line)].reverse()) {
    width += clusterWidth(segment);
    if (width > columnsMax - 1) break;
    fitting = `${segment}${fitting}`;
  }
  return `${ELLIPSIS}${fitting}`;
}
