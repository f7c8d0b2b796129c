import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { filesUnder, importsOf, ROOT, readSource } from "./source.ts";

/** Text of a file that takes the path of the program under test, or names one by itself. */
const PROGRAM = /CINCH_UNDER_TEST|dist\/cinch|\bROOT, ?"cinch"|\bROOT\}\/cinch\b/;
/** Path of a source in a string: a script that a test starts instead of importing it. */
const NAMED_SOURCE = /(?:["'`]|\}\/)([\w./-]+\.ts)["'`]/g;

/** Returns the end-to-end test files that can start the program under test, or those that cannot, sorted. */
export function endToEndFiles({ startProgram }: { readonly startProgram: boolean }): readonly string[] {
  return filesUnder("test/e2e", "**/*.e2e.ts").filter((file) => startsProgram(file) === startProgram);
}

/**
 * Returns true unless neither a test file nor anything that it imports or names by path knows the program under test.
 *
 * @param read returns a source by its path below the root; undefined if there is none
 */
export function startsProgram(file: string, read = sourceOf): boolean {
  const files = new Set([file]);
  for (const each of files) {
    if (each.startsWith("src/")) continue; // the program itself starts nothing of the tests
    const source = read(each);
    if (source === undefined) continue;
    if (PROGRAM.test(source)) return true;
    for (const next of sourcesNamed(each, source)) files.add(next);
  }
  return false;
}

function sourcesNamed(file: string, source: string): readonly string[] {
  const imported = importsOf(source).flatMap(({ specifier = "" }) =>
    specifier.startsWith(".") ? [specifier] : [],
  );
  const named = [...source.matchAll(NAMED_SOURCE)].map(([, path = ""]) => path);
  return [
    ...[...imported, ...named].map((path) => posix.join(posix.dirname(file), path)),
    ...named.map((path) => posix.normalize(path)),
  ];
}

function sourceOf(file: string): string | undefined {
  return file.endsWith(".ts") && !file.startsWith("..") && existsSync(join(ROOT, file))
    ? readSource(file)
    : undefined;
}
