/** Names a test file and about how many seconds it takes, in `scripts/slow-tests.txt`. */
export interface SlowTest {
  readonly file: string;
  readonly seconds: number;
}

/** A file that is not listed counts as this short, in milliseconds. */
const OTHER_MS = 500;

/** Reads `scripts/slow-tests.txt`: one line for each file, its seconds and its path. */
export function readSlow(text: string): readonly SlowTest[] {
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => ({ seconds: Number.parseFloat(line), file: line.slice(line.indexOf(" ") + 1) }));
}

/**
 * Returns the text of a file for `bun test --timings`, which starts the longest files first.
 *
 * Every file needs an entry: the runner ignores the order where one lacks.
 */
export function timings(files: readonly string[], slow: readonly SlowTest[]): string {
  const msOf = new Map(slow.map(({ file, seconds }) => [file, seconds * 1_000]));
  const entries = files.map((file) => [file, msOf.get(file) ?? OTHER_MS]);
  return JSON.stringify({ version: 1, files: Object.fromEntries(entries) });
}

/** A file that is not listed and takes longer than this, in seconds, may be the last one of a run, alone. */
const UNLISTED_SECONDS_MAX = 20;

/** Returns a sentence about the files that took long and are not listed; undefined if there are none. */
export function unlistedText(
  seconds: ReadonlyMap<string, number>,
  slow: readonly SlowTest[],
): string | undefined {
  const listed = new Set(slow.map(({ file }) => file));
  const long = [...seconds]
    .filter(([file, took]) => took > UNLISTED_SECONDS_MAX && !listed.has(file))
    .map(([file, took]) => `${Math.round(took)} ${file}`);
  return long.length === 0 ? undefined : `Slow, and not in scripts/slow-tests.txt: ${long.join(", ")}`;
}
