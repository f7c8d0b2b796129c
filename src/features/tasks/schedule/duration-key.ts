import { durationMs } from "../../../base/text/duration.ts";
import type { Table } from "../../../config/table.ts";

/**
 * Reads a length of time that is not zero, in milliseconds.
 * @throws HarnessError ConfigInvalid for any other value.
 */
export function durationFrom(table: Table, key: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = durationMs(text);
  if (ms > 0) return ms;
  throw table.problem(key, 'must be a length of time such as "90s", "10m" or "2h"');
}
