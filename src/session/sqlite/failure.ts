import { SQLiteError } from "bun:sqlite";
import { HarnessError, messageOf } from "../../base/errors.ts";

/**
 * What SQLite threw, as a reason that says what can be done about it; anything else comes back as it is.
 *
 * A constraint or a statement that does not fit the schema means a damaged file: what a caller could get wrong is
 * asserted before SQLite sees it.
 */
export function storeFailure(thrown: unknown, path: string): unknown {
  if (!(thrown instanceof SQLiteError)) return thrown;
  const code = thrown.code ?? "SQLITE_ERROR";
  const fields = { path, detail: `${thrown.message} (${code})` };
  const options = { cause: thrown };
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
      return new HarnessError("StoreUnwritable", fields, options);
    default:
      return new HarnessError("StoreCorrupt", fields, options);
  }
}

/** True where a write may have reached the disk in part: it is never tried again (R15). */
export function isDiskFailure(thrown: unknown): boolean {
  return thrown instanceof SQLiteError && (thrown.code ?? "").startsWith("SQLITE_IOERR");
}

/** What SQLite or a reader said, without the frame of the reason's text. */
export function detailOf(thrown: HarnessError): string {
  const fields: Readonly<Record<string, string>> = thrown.fields;
  return fields["detail"] ?? messageOf(thrown);
}
