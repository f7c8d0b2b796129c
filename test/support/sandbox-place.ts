import { accessSync, constants, copyFileSync, mkdirSync, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { requirement, requireProgram } from "./requires.ts";
import { ROOT } from "./source.ts";

/** Inside, others stand in their place: what is tried on files there fails for want of the files, not of rights. */
const REPLACED = ["/tmp", "/var/tmp", "/run", "/dev", tmpdir()].map((path) => `${path}/`);

/**
 * `test` for tests of the real sandbox. They are left out, by name, where bubblewrap is missing, and where the clone
 * lies below `/tmp` and the home cannot be written either.
 */
export function requireSandbox(): ReturnType<typeof requireProgram> {
  if (parentOutside() !== undefined) return requireProgram("bwrap");
  const mustRun = process.env["CINCH_TEST_REQUIRE"] === "all";
  return requirement("bwrap with a folder that can be written, not below /tmp", false, mustRun);
}

/** Returns the folder for workspaces that a sandboxed command sees as on the host: in the clone, else at home. */
export function sandboxParent(): string {
  const parent = parentOutside();
  if (parent === undefined) throw new Error("there is no folder to write that is not below /tmp");
  return parent;
}

/** The path, or that of a copy in `folder`, where a command in the sandbox would not find it. */
export function seenInside(path: string, folder: string): string {
  if (!isReplaced(path)) return path;
  const copy = join(folder, basename(path));
  copyFileSync(path, copy, constants.COPYFILE_FICLONE);
  return copy;
}

function parentOutside(): string | undefined {
  const modules = join(realpathSync(ROOT), "node_modules");
  if (isWritable(modules) && !isReplaced(modules)) {
    const ours = join(modules, ".cache", "sandbox");
    mkdirSync(ours, { recursive: true });
    return ours;
  }
  // `npm test` gives its tests another home.
  const home = process.env["CINCH_TEST_HOME"] ?? homedir();
  return [join(home, ".cache"), home].find((path) => isWritable(path) && !isReplaced(path));
}

function isReplaced(path: string): boolean {
  return REPLACED.some((each) => `${path}/`.startsWith(each));
}

function isWritable(path: string): boolean {
  try {
    accessSync(realpathSync(path), constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
