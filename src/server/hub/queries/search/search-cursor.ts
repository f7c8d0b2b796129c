import { HarnessError } from "../../../../base/errors.ts";
import type { EventSeq, LogId } from "../../../../base/ids.ts";
import { isId } from "../../../../base/ids.ts";

/** Position from which a search continues: in a log before an event, or in the logs that began before it. */
export interface SearchedUpTo {
  readonly logId: LogId;
  readonly before?: EventSeq | undefined;
}

export function renderCursor({ logId, before }: SearchedUpTo): string {
  return before === undefined ? logId : `${logId}:${before}`;
}

/** @throws HarnessError InvalidQuery for a text that no answer has as its cursor. */
export function parseCursor(cursor: string): SearchedUpTo {
  const [logId = "", before, ...rest] = cursor.split(":");
  const isPosition = before === undefined || /^[1-9]\d{0,14}$/.test(before);
  if (!isId("log", logId) || !isPosition || rest.length > 0)
    throw new HarnessError("InvalidQuery", {
      kind: "SearchSessions",
      why: "its cursor is not that of an answer; leave it out to search from the start",
    });
  return { logId, ...(before === undefined ? {} : { before: Number(before) }) };
}
