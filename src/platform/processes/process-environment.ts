import { closeSync, openSync, readSync } from "node:fs";
import { codeOf } from "../../base/world.ts";

/**
 * Tells whether the environment of a process has an entry that begins so (Linux).
 *
 * The process may be a neighbour that has its key there, and this one must never have a key: what is read lies in one
 * place only, is wiped before anything else happens, and becomes no string (CRED-03).
 */
export function carries(pid: number, entry: string): boolean {
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

/** Reads entries, each ended by a zero, piece by piece; the end of a piece stays for the next. */
function holdsEntry(file: number, entry: Buffer): boolean {
  environment ??= Buffer.alloc(ENVIRONMENT_BYTES);
  let used = 1; // the zero before the first entry
  try {
    while (true) {
      const got = readSync(file, environment, used, environment.length - used - 1, null);
      const end = used + got;
      environment[end] = 0; // also behind the last, where the process wrote over its own
      if (environment.subarray(0, got === 0 ? end + 1 : end).includes(entry)) return true;
      if (got === 0) return false;
      used = Math.min(end, entry.length - 1);
      environment.copyWithin(0, end - used, end);
    }
  } finally {
    environment.fill(0);
  }
}

/** Undefined where the process is gone meanwhile, or is somebody else's. */
export function ifReadable<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "ENOENT" || code === "ESRCH" || code === "EACCES" || code === "EPERM") return undefined;
    throw thrown;
  }
}
