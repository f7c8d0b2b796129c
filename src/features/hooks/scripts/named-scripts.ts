import { resolve } from "node:path";
import type { Files } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";

const BETWEEN_WORDS = /[\s;&|<>()`"'=,]+/;
/** System folders. Only the system writes there, and half of all commands name a program in them. */
const SYSTEM = /^\/(?:usr(?!\/local\/)|bin|sbin|lib|lib64|nix\/store|dev|proc|sys)\//;

/**
 * Returns the files that hook commands name literally: by an absolute path, below the home directory, or by a path
 * with a slash relative to the folder in which they run.
 *
 * It reads the text only. It does not see what a shell expands, nor what the started programs read.
 */
export async function findNamedScripts(
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
    return false; // not a possible path: a name that is too long, or a folder that is a file
  }
}
