import { linesWithEnds } from "../../../base/text/diff/line-edits.ts";
import type { FileSide } from "./file-side.ts";

/** Share of equal lines from which on a file counts as renamed. */
const SIMILAR_MIN = 0.5;
/** Limit for files whose lines are compared, on each side. */
const COMPARED_FILES_MAX = 64;
const COMPARED_BYTES_MAX = 512 * 1024;

/** A file that exists on one side only. */
export interface UnpairedFile {
  readonly path: string;
  readonly side: FileSide;
}

export interface Rename {
  readonly from: string;
  readonly to: string;
  /** Share of equal lines in percent. */
  readonly similar: number;
}

/**
 * Pairs removed with added files: those with equal content, then those of which at least half of the lines are equal,
 * the most similar first. Empty files and links are not paired.
 */
export function renamesOf(
  removed: readonly UnpairedFile[],
  added: readonly UnpairedFile[],
): readonly Rename[] {
  const equal = equalPairs(removed, added);
  const [sources, targets] = [new Set(equal.map(({ from }) => from)), new Set(equal.map(({ to }) => to))];
  const candidates = (files: readonly UnpairedFile[], taken: ReadonlySet<string>) =>
    files
      .filter(({ path, side }) => !taken.has(path) && isComparable(side))
      .slice(0, COMPARED_FILES_MAX)
      .map(({ path, side }) => ({ path, lines: countedLines(side) }));
  const [olds, news] = [candidates(removed, sources), candidates(added, targets)];
  const pairs = olds.flatMap((old) =>
    news.flatMap((now) => {
      const share = similarity(old.lines, now.lines);
      return share < SIMILAR_MIN ? [] : [{ from: old.path, to: now.path, similar: Math.floor(share * 100) }];
    }),
  );
  const renames = [...equal];
  for (const pair of pairs.sort((a, b) => b.similar - a.similar)) {
    if (sources.has(pair.from) || targets.has(pair.to)) continue;
    sources.add(pair.from);
    targets.add(pair.to);
    renames.push(pair);
  }
  return renames;
}

function equalPairs(removed: readonly UnpairedFile[], added: readonly UnpairedFile[]): readonly Rename[] {
  const bySize = Map.groupBy(removed.filter(isRenameable), ({ side }) => side.bytes);
  const pairs: Rename[] = [];
  for (const now of added.filter(isRenameable)) {
    const olds = bySize.get(now.side.bytes) ?? [];
    const at = olds.findIndex(({ side }) => hasEqualContent(side, now.side));
    const [old] = at === -1 ? [] : olds.splice(at, 1);
    if (old !== undefined) pairs.push({ from: old.path, to: now.path, similar: 100 });
  }
  return pairs;
}

function isRenameable({ side }: UnpairedFile): boolean {
  return side.bytes > 0 && side.content.kind !== "missing" && side.mode.startsWith("100");
}

function isComparable(side: FileSide): boolean {
  return isRenameable({ path: "", side }) && side.content.kind === "text" && side.bytes <= COMPARED_BYTES_MAX;
}

function hasEqualContent({ content: a }: FileSide, { content: b }: FileSide): boolean {
  if (a.kind === "text") return b.kind === "text" && a.text === b.text;
  return a.kind === "binary" && b.kind === "binary" && Buffer.compare(a.content, b.content) === 0;
}

interface CountedLines {
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
}

function countedLines({ content }: FileSide): CountedLines {
  const lines = content.kind === "text" ? linesWithEnds(content.text) : [];
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return { counts, total: lines.length };
}

/** Returns the share of the longer file's lines that the other one has too. */
function similarity(a: CountedLines, b: CountedLines): number {
  const total = Math.max(a.total, b.total);
  if (Math.min(a.total, b.total) < total * SIMILAR_MIN) return 0;
  let shared = 0;
  for (const [line, count] of a.counts) shared += Math.min(count, b.counts.get(line) ?? 0);
  return shared / total;
}
