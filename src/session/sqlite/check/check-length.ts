import { statSync } from "node:fs";
import { HarnessError } from "../../../base/errors.ts";
import type { StoreConnection } from "../connection.ts";
import { missingPagesText } from "../wal/wal.ts";

/**
 * Checks that every page is in the file of a store or in its write-ahead log. SQLite itself notices a missing page
 * only when it reads it.
 * @throws HarnessError StoreCorrupt, with their number.
 */
export function checkLength(connection: StoreConnection): void {
  const { path } = connection;
  const row = connection.first("SELECT page_count, page_size FROM pragma_page_count(), pragma_page_size()");
  if (statSync(path).size >= Number(row?.["page_count"] ?? 0) * Number(row?.["page_size"] ?? 1)) return;
  const detail = missingPagesText(path);
  if (detail !== undefined) throw new HarnessError("StoreCorrupt", { path, detail });
}
