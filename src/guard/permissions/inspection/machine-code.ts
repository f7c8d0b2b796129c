import { basename, join } from "node:path";
import { isBelow } from "../../../base/files/below.ts";
import { decode } from "../../../base/text/text.ts";
import type { Files } from "../../../base/world.ts";
import type { WorkspacePaths } from "../rules/workspace-paths.ts";

const HEAD_BYTES = 64;
/** ELF, and Mach-O of both word sizes and of several processors. */
const MACHINE_CODE = ["7f454c46", "cffaedfe", "cefaedfe", "cafebabe", "cafebabf"];
const SYSTEM_PROGRAM = /^(?:\/usr)?\/bin\/[^/]+$/;
/** Scripts of the system that use only commands built into sh. */
const BUILTINS_ALONE = new Set(["which"]);

/**
 * Returns the first program of a name in the absolute folders of PATH, as bash finds it; undefined if there is none.
 */
export async function findOnPath(
  path: string | undefined,
  name: string,
  files: Files,
): Promise<string | undefined> {
  for (const folder of path?.split(":") ?? []) {
    if (!folder.startsWith("/")) continue;
    const program = join(folder, name);
    const info = await files.stat(program);
    if (info?.kind === "file" && (info.mode & 0o111) !== 0) return program;
  }
  return undefined;
}

/**
 * Returns why a program may start others by their names: it is a script, or a link in the home to a program with
 * another name, as the shims of version managers are. Undefined if it is machine code under its own name.
 */
export async function scriptProblem(
  name: string,
  program: string,
  { home }: WorkspacePaths,
  files: Files,
): Promise<string | undefined> {
  if ((await files.stat(program)) === undefined) return undefined;
  const real = await files.realpath(program);
  const head = await files.readRange(real, 0, HEAD_BYTES);
  if (MACHINE_CODE.includes(Buffer.from(head.subarray(0, 4)).toString("hex"))) {
    const isShim = home !== undefined && isBelow(home, real) && !basename(real).startsWith(basename(program));
    return isShim ? `${program} is ${real}, which may start programs by their names` : undefined;
  }
  const isKnown =
    SYSTEM_PROGRAM.test(program) &&
    BUILTINS_ALONE.has(basename(name)) &&
    /^#! ?\/bin\/sh\n/.test(decode(head));
  return isKnown ? undefined : `${program} is a script, which may start programs by their names`;
}
