import { defined } from "../../../base/defined.ts";
import type { EventSeq } from "../../../base/ids.ts";
import type { Loss } from "../../store/store.ts";
import type { Row, StoreConnection } from "../connection.ts";
import type { HeadFile, LogHead } from "../wal/head-file.ts";
import { keptWal } from "../wal/kept-wal.ts";

interface Losing {
  readonly connection: StoreConnection;
  readonly heads: HeadFile;
  /** Boot of the machine, as `Head.boot`. */
  readonly boot: string;
  /** Number of heads to check, the last written first. Absent: all. */
  readonly newest?: number;
}

/** Enough for a start: losses nearly always concern the last writes, and a check reads all of them. */
export const NEWEST_HEADS = 200;

export interface FoundLoss {
  readonly loss: Loss;
  /** The row number of the log, and its head. */
  readonly num: number;
  readonly head: LogHead;
}

/** Lists the losses of the store: logs behind their heads, or missing (SES-18). */
export function findLosses(losing: Losing): readonly FoundLoss[] {
  const { connection, heads, newest } = losing;
  const before = heads.read(newest).heads;
  const rowOf = (num: number) =>
    connection.first("SELECT log_id, commits, chain FROM logs WHERE num = ? AND deleted = 0", num);
  const behind = [...before].filter(([num, head]) => !holds(rowOf(num), head));
  if (behind.length === 0) return [];
  // A log that another process has deleted since lost its head before its rows.
  const now = heads.read().heads;
  return behind.flatMap(([num, head]) => {
    if (now.get(num)?.logId !== head.logId) return [];
    const loss = lossOf(losing, { num, head, row: rowOf(num) });
    return loss === undefined ? [] : [{ loss, num, head }];
  });
}

/** Returns the loss of one log; undefined if it is as new as its head. */
function lossOf(
  { connection, boot }: Losing,
  { num, head, row }: { readonly num: number; readonly head: LogHead; readonly row: Row | undefined },
): Loss | undefined {
  if (holds(row, head)) return undefined;
  const isGone = row === undefined || row["log_id"] !== head.logId;
  const lastStored = isGone ? 0 : lastEvent(connection, num);
  const commits = isGone ? 0 : Number(row["commits"]);
  const copy = keptWal(connection.path);
  return {
    logId: head.logId,
    isGone,
    ...defined({ copy }),
    ...(head.last > lastStored ? { events: { from: lastStored + 1, to: head.last } } : {}),
    writes: Math.max(1, head.commits - commits),
    cause:
      commits < head.synced.commits || (boot !== "" && boot === head.boot) ? "damage" : "power or damage",
  };
}

/** Returns true if the row has the head's commit, or is ahead of it. */
function holds(row: Row | undefined, head: LogHead): boolean {
  if (row === undefined || row["log_id"] !== head.logId) return false;
  const commits = Number(row["commits"]);
  if (commits !== head.commits) return commits > head.commits;
  const { chain } = row;
  return chain instanceof Uint8Array && Buffer.compare(chain, head.chain) === 0;
}

function lastEvent(connection: StoreConnection, num: number): EventSeq {
  const row = connection.first("SELECT coalesce(max(id), 0) AS last FROM events WHERE log = ?", num);
  return Number(row?.["last"] ?? 0);
}

/** Marks losses as shown to a person. The writer of a log writes its head again. */
export function markShown(heads: HeadFile, losses: readonly FoundLoss[]): void {
  for (const { num, head } of losses) heads.write(num, { ...head, isReported: true }); // its time stays
}
