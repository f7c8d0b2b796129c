import { posix } from "node:path";
import type { Directories, ShellWord } from "./analysis.ts";

/** More possible directories than this count as unknown. */
const DIRECTORIES_MAX = 8;
const PATH_CHARACTERS_MAX = 1_024;

/** Returns the possible directories after a successful `cd`. After a failed one they are unchanged. */
export function afterCd(args: readonly ShellWord[], before: Directories): Directories {
  const [first, second] = args;
  const word = first?.kind === "known" && first.value === "--" ? second : first;
  const more = args.length > (word === second && second !== undefined ? 2 : 1);
  if (more || before === undefined) return undefined;
  if (word === undefined) return ["~"];
  if (word.kind !== "known" || word.value === "" || word.value.startsWith("-")) return undefined;
  // bash resolves `a/..` to the directory that contains `a`, even for a link, but only if `a` exists.
  if (/[^/.][^/]*\/+\.\.(?:\/|$)/.test(word.value)) return undefined;
  // A name that begins with ~ and is not the home directory would be mistaken for it.
  if (!word.home && word.value.startsWith("~")) return undefined;
  const path = word.value;
  if (path.length > PATH_CHARACTERS_MAX) return undefined;
  if (path.startsWith("/") || word.home) return [posix.normalize(path)];
  return limited(before.map((directory) => posix.join(directory, path)));
}

export function unionDirectories(a: Directories, b: Directories): Directories {
  if (a === b) return a;
  return a === undefined || b === undefined ? undefined : limited([...a, ...b]);
}

function limited(all: readonly string[]): Directories {
  const different = [...new Set(all.map((path) => (path === "." ? "" : path.replace(/(?<=.)\/$/, ""))))];
  if (different.some((path) => path.length > PATH_CHARACTERS_MAX)) return undefined;
  return different.length > DIRECTORIES_MAX ? undefined : different;
}

/** Variables that `cd` depends on: if one is set, its target is unknown. */
export const DIRECTORY_VARIABLES: ReadonlySet<string> = new Set(["CDPATH", "HOME", "PWD", "OLDPWD"]);

const MOVERS = new Set(["env", "sudo", "su", "doas", "chroot", "runuser"]);

/** Returns true for `env -C DIR`, `sudo -D DIR` and the like, which run their command in another directory. */
export function changesDirectory(name: string, args: readonly ShellWord[]): boolean {
  if (MOVERS.has(name)) return args.some((arg) => /^(?:-[A-Za-z]*[CDRi]|--ch)/.test(arg.text));
  return name === "find" && args.some((arg) => /^-(?:exec|ok)dir$/.test(arg.text));
}
