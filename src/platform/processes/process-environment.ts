import { closeSync, openSync, readSync } from "node:fs";
import { codeOf } from "../../base/world.ts";

/**
 * Returns true if the environment of a process has an entry with this beginning (Linux).
 *
 * The process may be one with a key in its environment, and this one must never have a key. So the data is in one
 * buffer only, is wiped before anything else happens, and becomes no string (CRED-03).
 */
export function environmentHasEntry(pid: number, entry: string): boolean {
  return (
    ifReadable(() => {
      const file = openSync(`/proc/${pid}/environ`, "r");
      try {
        return holdsEntry(file, Buffer.from(`\0${entry}`, "latin1"));
      } finally {
        closeSync(file);
      }
    }) ?? false
  );
}

const ENVIRONMENT_BYTES = 65_536;
let environment: Buffer | undefined;

/** Reads zero-terminated entries, piece by piece; the end of a piece is kept for the next. */
function holdsEntry(file: number, entry: Buffer): boolean {
  environment ??= Buffer.alloc(ENVIRONMENT_BYTES);
  let used = 1; // the zero before the first entry
  try {
    while (true) {
      const got = readSync(file, environment, used, environment.length - used - 1, null);
      const end = used + got;
      environment[end] = 0; // also after the last, if the process overwrote its own
      if (environment.subarray(0, got === 0 ? end + 1 : end).includes(entry)) return true;
      if (got === 0) return false;
      used = Math.min(end, entry.length - 1);
      environment.copyWithin(0, end - used, end);
    }
  } finally {
    environment.fill(0);
  }
}

/** Returns undefined if the process has ended, or belongs to another user. */
export function ifReadable<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "ENOENT" || code === "ESRCH" || code === "EACCES" || code === "EPERM") return undefined;
    throw thrown;
  }
}
