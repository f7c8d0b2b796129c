import { HarnessError, messageOf } from "../errors.ts";
import { codeOf } from "../world.ts";

/** Reason why a folder cannot be written, and the remedy. */
export interface StorageProblem {
  /** Without a full stop; names the system's code. */
  readonly problem: string;
  /** Whole sentences. */
  readonly remedy: string;
}

/** The folder that could not be written. */
export interface StorageFolder {
  readonly folder: string;
  /** Environment variable that moves the folder. */
  readonly variable: string;
  /** True if the folder exists, so that the problem is below it. */
  readonly exists?: boolean;
}

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such folder",
  ENOTDIR: "a part of its path is not a folder",
  EROFS: "it is on a disk that is mounted read-only",
  EACCES: "you may not write there",
  EPERM: "you may not write there",
  ENOSPC: "no space is left on its disk",
  EDQUOT: "your quota on its disk is used up",
};

const DISK_FAILURES: Readonly<Record<string, StorageProblem>> = {
  ENOSPC: { problem: `${PROBLEMS["ENOSPC"]} (ENOSPC)`, remedy: "Make room on that disk, then continue." },
  EDQUOT: {
    problem: `${PROBLEMS["EDQUOT"]} (EDQUOT)`,
    remedy: "Make room, or have the quota raised, then continue.",
  },
  EROFS: { problem: `${PROBLEMS["EROFS"]} (EROFS)`, remedy: "Mount it for writing, then continue." },
  EIO: { problem: "its disk failed (EIO)", remedy: "Look at the log of the system and at the disk." },
  EFBIG: {
    problem: "a file may not grow that large (EFBIG)",
    remedy: "Raise the limit (ulimit -f), then continue.",
  },
};

/** Explains why a folder cannot be written; undefined for an unrelated error. */
export function storageProblem(
  thrown: unknown,
  { folder, variable, exists = false }: StorageFolder,
): StorageProblem | undefined {
  const code = codeOf(thrown) ?? "";
  const known = PROBLEMS[code];
  if (known === undefined) return undefined;
  const elsewhere = `set ${variable} to another folder that you may write to`;
  if (exists && code === "ENOENT") {
    const remedy = `Set ${variable} to another folder that you may write to.`;
    return { problem: `nothing can be made there (${code})`, remedy };
  }
  const problem = `${known} (${code})`;
  if (code === "ENOENT") return { problem, remedy: `Make it (mkdir -p ${folder}), or ${elsewhere}.` };
  if (code === "ENOSPC" || code === "EDQUOT") return { problem, remedy: `Make room there, or ${elsewhere}.` };
  return { problem, remedy: `Make it writable for you, or ${elsewhere}.` };
}

/** Returns the same as `storageProblem`, or the error's own text if nothing better is known. */
export function explainStorage(thrown: unknown, place: StorageFolder): StorageProblem {
  const remedy = `Look at ${place.folder}, or set ${place.variable} to another folder that you may write to.`;
  return storageProblem(thrown, place) ?? { problem: messageOf(thrown), remedy };
}

/**
 * Converts a disk error (full, over quota, read-only or failing) to a reason with path and remedy. Returns undefined
 * for any other error, and for one without a path.
 */
export function diskFailure(thrown: unknown): HarnessError<"DiskUnwritable"> | undefined {
  const found = DISK_FAILURES[codeOf(thrown) ?? ""];
  const path: unknown = thrown instanceof Error ? Reflect.get(thrown, "path") : undefined;
  if (found === undefined || typeof path !== "string") return undefined;
  return new HarnessError("DiskUnwritable", { path, ...found }, { cause: thrown });
}

/**
 * Returns the error that ends a turn or a command: itself, a disk error with path and remedy, or an internal error.
 */
export function toHarnessError(thrown: unknown): HarnessError {
  if (thrown instanceof HarnessError) return thrown;
  return (
    diskFailure(thrown) ?? new HarnessError("InternalError", { what: messageOf(thrown) }, { cause: thrown })
  );
}
