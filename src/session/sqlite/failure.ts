import { SQLiteError } from "bun:sqlite";
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { HarnessError, messageOf } from "../../base/errors.ts";
import { missingPagesText } from "./wal/wal.ts";

/** With less, SQLite cannot create the index of its write-ahead log and write one transaction. */
const ROOM_BYTES_MIN = 131_072;

/**
 * Turns an error of SQLite into a reason that says what to do; returns anything else unchanged.
 *
 * A constraint that fails and a value of the wrong type are bugs of the writer: the transaction left the file as it
 * was. Neither is called damage, because the remedy for damage gives up every session in the file.
 */
export function storeFailure(thrown: unknown, path: string): unknown {
  if (!(thrown instanceof SQLiteError)) return thrown;
  const code = thrown.code ?? "SQLITE_ERROR";
  const fields = { path, detail: `${thrown.message} (${code})` };
  const options = { cause: thrown };
  if (code === "SQLITE_IOERR_SHORT_READ" || code.startsWith("SQLITE_CORRUPT")) {
    // SQLite reports every damage alike; for a truncated file the missing length is worth reporting.
    return new HarnessError("StoreCorrupt", { path, detail: lengthOf(path) ?? fields.detail }, options);
  }
  switch (code.split("_")[1]) {
    case "BUSY":
    case "LOCKED":
    case "PROTOCOL":
      return new HarnessError("StoreBusy", fields, options);
    case "FULL":
    case "IOERR":
    case "READONLY":
    case "CANTOPEN":
    case "PERM":
    case "AUTH":
    case "NOLFS":
    case "NOMEM":
    case "TOOBIG":
      return new HarnessError("StoreUnwritable", { path, detail: withRoom(fields.detail, path) }, options);
    case "CONSTRAINT":
    case "MISMATCH":
    case "MISUSE":
    case "RANGE": {
      const what = `the session store ${path} refused a write, and is as it was before: ${fields.detail}`;
      return new HarnessError("InternalError", { what }, options);
    }
    default:
      return new HarnessError("StoreCorrupt", fields, options);
  }
}

/** Returns a sentence if the file is cut short; undefined if it is not, or cannot be read. */
function lengthOf(path: string): string | undefined {
  try {
    return missingPagesText(path);
  } catch {
    return undefined; // SQLite's message stays
  }
}

/**
 * Adds the lack of room to the detail of a failure. SQLite reports a file as read-only if the disk has no room for its
 * index, so this checks the free space.
 */
export function withRoom(detail: string, path: string): string {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    const free = bavail * bsize;
    return free < ROOM_BYTES_MIN ? `the disk has no room (${free} bytes are free): ${detail}` : detail;
  } catch {
    return detail; // if even that fails, SQLite's message stays
  }
}

/**
 * Turns a foreign key that fails while the rows of a log are removed into damage: they go in an order that breaks none,
 * so a row of the file names the wrong log. Returns anything else unchanged.
 */
export function removalFailure(thrown: unknown, path: string): unknown {
  const cause = thrown instanceof HarnessError ? thrown.cause : undefined;
  if (!(cause instanceof SQLiteError) || cause.code !== "SQLITE_CONSTRAINT_FOREIGNKEY") return thrown;
  const detail = "a row of another log belongs to one that is to be removed";
  return new HarnessError("StoreCorrupt", { path, detail }, { cause });
}

/** Returns true if a write may have reached the disk in part: it is never tried again (R15). */
export function isDiskFailure(thrown: unknown): boolean {
  return thrown instanceof SQLiteError && (thrown.code ?? "").startsWith("SQLITE_IOERR");
}

/** Returns the message of SQLite or a reader, without the frame of the reason's text. */
export function detailOf(thrown: HarnessError): string {
  const fields: Readonly<Record<string, string>> = thrown.fields;
  return fields["detail"] ?? messageOf(thrown);
}
