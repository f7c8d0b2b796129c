import type { EventSeq, LogId } from "../../../../base/ids.ts";

/** Position from which a search continues: in a log before an event, or in the logs that began before it. */
export interface SearchPosition {
  readonly logId: LogId;
  readonly before?: EventSeq | undefined;
}

export function renderCursor({ logId, before }: SearchPosition): string {
  return before === undefined ? logId : `${logId}:${before}`;
}

/** Reads a cursor whose form the schema has checked. */
export function parseCursor(cursor: string): SearchPosition {
  const [logId = "", before] = cursor.split(":");
  return { logId: logId as LogId, ...(before === undefined ? {} : { before: Number(before) }) };
}
