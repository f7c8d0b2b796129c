import type { EventSeq } from "../../../base/ids.ts";
import type { LogPart } from "../../search/search-index.ts";
import type { StoreConnection } from "../connection.ts";

/** Returns the parts of a log between parts that are known, in order. */
export function partsBetween(known: readonly LogPart[], last: EventSeq): readonly LogPart[] {
  const parts: LogPart[] = [];
  let next = 1;
  for (const { from, to } of known) {
    if (from > next) parts.push({ from: next, to: from - 1 });
    next = Math.max(next, to + 1);
  }
  if (next <= last) parts.push({ from: next, to: last });
  return parts;
}

/**
 * Returns a part without the expired content at its beginning: from the last turn on that begins before there is
 * content. Undefined if all of it has expired.
 */
export function withContentIn(
  connection: StoreConnection,
  log: number,
  { part, expired }: { readonly part: LogPart; readonly expired: readonly LogPart[] },
): LogPart | undefined {
  const first = firstOutside(part.from, expired);
  if (first > part.to) return undefined;
  if (first === part.from) return part;
  const row = connection.first(
    `SELECT id FROM events WHERE log = ? AND id BETWEEN ? AND ? AND kind = 'TurnStarted' AND parent_call IS NULL
     ORDER BY id DESC LIMIT 1`,
    ...[log, part.from, first],
  );
  return row === undefined ? part : { from: Number(row["id"]), to: part.to };
}

/** Returns the first event from one on that stands in none of the parts, which are in order. */
function firstOutside(from: EventSeq, parts: readonly LogPart[]): EventSeq {
  let first = from;
  for (const part of parts) if (part.from <= first && part.to >= first) first = part.to + 1;
  return first;
}
