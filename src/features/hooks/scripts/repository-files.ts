import { relative, resolve, sep } from "node:path";
import type { Files } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";

/**
 * Returns the first file of a repository that a command names literally. Its content was not acknowledged with the
 * command and may change each time.
 *
 * It reads the text only. It does not see what a shell expands, nor what the started programs read.
 */
export async function findNamedFile(
  files: Files,
  command: string,
  { root, cwd }: { readonly root: string; readonly cwd: string },
): Promise<string | undefined> {
  const inside = root.endsWith(sep) ? root : root + sep;
  const words = command.replaceAll(/\$PWD\b|\$\{PWD\}/g, cwd).split(BETWEEN_WORDS);
  const paths = words.flatMap((word) => (word === "" ? [] : [resolve(cwd, word), resolve(root, word)]));
  for (const path of new Set(paths)) {
    if (!path.startsWith(inside)) continue;
    const kind = await kindOf(files, path);
    if (kind !== undefined && kind !== "directory") return relative(root, path);
  }
  return undefined;
}

/** Returns true if a command starts with a program from the folder in which it runs. */
export function startsWithRelativePath(command: string): boolean {
  const [first = ""] = command.trim().split(/\s/);
  return /^["']?(?:\.{1,2}\/|[\w.@+-]+\/)/.test(first);
}

const BETWEEN_WORDS = /[\s;&|<>()`"'=$,{}:\\]+/;

async function kindOf(files: Files, path: string) {
  try {
    return (await files.lstat(path))?.kind;
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return undefined; // not a possible path: a name that is too long, or a folder that is a file
  }
}
