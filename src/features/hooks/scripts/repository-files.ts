import { relative, resolve, sep } from "node:path";
import type { Files } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";

/**
 * The first file of a repository that a command names as it stands: what is in it was not acknowledged with the command,
 * and may be another thing each time.
 *
 * It sees what is written, not what a shell makes of it, nor what the programs read that the command starts.
 */
export async function namedFile(
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

/** Whether a command begins with a program of whatever folder it is run in. */
export function beginsRelative(command: string): boolean {
  const [first = ""] = command.trim().split(/\s/);
  return /^["']?(?:\.{1,2}\/|[\w.@+-]+\/)/.test(first);
}

const BETWEEN_WORDS = /[\s;&|<>()`"'=$,{}:\\]+/;

async function kindOf(files: Files, path: string) {
  try {
    return (await files.lstat(path))?.kind;
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return undefined; // no path that anything could be at: a name that is too long, a folder that is none
  }
}
