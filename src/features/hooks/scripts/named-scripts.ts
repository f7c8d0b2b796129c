import { resolve } from "node:path";
import type { Files } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";

const BETWEEN_WORDS = /[\s;&|<>()`"'=,]+/;
/** What the system brings is nobody's to write, and is named by half of all commands. */
const SYSTEM = /^\/(?:usr(?!\/local\/)|bin|sbin|lib|lib64|nix\/store|dev|proc|sys)\//;

/**
 * The files that commands of hooks name as they stand: by an absolute path, below the home directory, or by a path with
 * a slash in it below the folder that they run in.
 *
 * It sees what is written, not what a shell makes of it, nor what the programs read that the command starts.
 */
export async function namedScripts(
  files: Files,
  commands: readonly string[],
  { root, home }: { readonly root: string; readonly home: string | undefined },
): Promise<readonly string[]> {
  const words = commands.flatMap((command) =>
    command
      .replaceAll(/\$PWD\b|\$\{PWD\}/g, () => root)
      .replaceAll(/\$HOME\b|\$\{HOME\}|(?<![^\s"'=])~(?=\/)/g, (text) => home ?? text)
      .split(BETWEEN_WORDS),
  );
  const paths = new Set(words.filter((word) => word.includes("/")).map((word) => resolve(root, word)));
  const found: string[] = [];
  for (const path of paths) if (!SYSTEM.test(path) && (await isFile(files, path))) found.push(path);
  return found;
}

async function isFile(files: Files, path: string): Promise<boolean> {
  try {
    return (await files.stat(path))?.kind === "file";
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return false; // no path that anything could be at: a name that is too long, a folder that is none
  }
}
