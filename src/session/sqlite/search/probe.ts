import { hasReason } from "../../../base/errors.ts";
import type { LogId } from "../../../base/ids.ts";
import { passesFilter } from "../../search/gram-filter.ts";
import type { LogPart, ProbedLog, SearchProbe } from "../../search/search-index.ts";
import { SealBroken } from "../../store/seal.ts";
import type { Row, StoreConnection } from "../connection.ts";
import type { DataKeys } from "../keys/data-keys.ts";
import { IS_THERE, LAST_EVENT } from "../reading/log-table.ts";
import { expiredRanges } from "../retention/expiry.ts";
import type { Segment } from "./segments.ts";
import { openFilter, segmentsOf } from "./segments.ts";
import { partsBetween, withContentIn } from "./unindexed.ts";

/** Returns the rows of the next logs, the one that began last first. */
export function probedRows(connection: StoreConnection, probe: SearchProbe): readonly Row[] {
  const { workingDir, before, only, limit } = probe;
  const wanted = [
    IS_THERE,
    ...(only === undefined ? [] : ["log_id = ?"]),
    ...(before === undefined ? [] : ["log_id < ?"]),
    ...(workingDir === undefined ? [] : ["working_dir = ?"]),
  ];
  return connection.all(
    `SELECT logs.num AS num, log_id, ${LAST_EVENT} AS last_event,
       EXISTS (SELECT 1 FROM data_keys WHERE data_keys.log = logs.num AND wrapped IS NULL) AS has_expired
     FROM logs WHERE ${wanted.join(" AND ")} ORDER BY log_id DESC LIMIT ?`,
    ...[only, before, workingDir].filter((value) => value !== undefined),
    limit,
  );
}

/** Lists logs, the one that began first first, and if each is indexed to its end. */
export function indexedLogs(
  connection: StoreConnection,
  { after, limit }: { readonly after: LogId | undefined; readonly limit: number },
): readonly { readonly logId: LogId; readonly isIndexed: boolean }[] {
  const rows = connection.all(
    `SELECT log_id, ${LAST_EVENT} <= coalesce((SELECT to_event FROM search_segments
       WHERE search_segments.log = logs.num ORDER BY from_event DESC LIMIT 1), 0) AS is_indexed
     FROM logs WHERE ${IS_THERE} AND log_id > ? ORDER BY log_id LIMIT ?`,
    after ?? "",
    limit,
  );
  return rows.map((row) => ({ logId: String(row["log_id"]) as LogId, isIndexed: row["is_indexed"] === 1n }));
}

/** Returns what of a log must be read. A segment that cannot be opened must be, and `onDamaged` is called with it. */
export function probeLog(
  connection: StoreConnection,
  keys: DataKeys,
  {
    row,
    probe,
    onDamaged,
  }: {
    readonly row: Row;
    readonly probe: SearchProbe;
    readonly onDamaged: (log: number, segment: Segment) => void;
  },
): ProbedLog {
  const log = Number(row["num"]);
  const logId = String(row["log_id"]) as LogId;
  const lastEvent = Number(row["last_event"]);
  const expired = row["has_expired"] === 1n ? expiredRanges(connection, log) : [];
  const known: Segment[] = [];
  const passing: LogPart[] = [];
  for (const segment of segmentsOrNone(connection, log)) {
    try {
      if (mayHold(keys, logId, segment, probe)) passing.push({ from: segment.from, to: segment.to });
      known.push(segment);
    } catch (thrown) {
      if (!(thrown instanceof SealBroken)) throw thrown;
      onDamaged(log, segment);
    }
  }
  const unindexed = partsBetween(known, lastEvent).flatMap(
    (part) => withContentIn(connection, log, { part, expired }) ?? [],
  );
  return {
    ...{ logId, lastEvent, expired },
    parts: [...passing, ...unindexed].sort((a, b) => a.from - b.from),
    unindexed: unindexed.reduce((count, { from, to }) => count + to - from + 1, 0),
  };
}

/** Returns the segments of a log; none if their table is damaged: the log is read instead. */
function segmentsOrNone(connection: StoreConnection, log: number): readonly Segment[] {
  try {
    return segmentsOf(connection, log);
  } catch (thrown) {
    if (!hasReason(thrown, "StoreCorrupt")) throw thrown;
    return [];
  }
}

/** Opens the filter also where the times decide: a damaged one must be noticed, since its times may be wrong. */
function mayHold(keys: DataKeys, logId: LogId, segment: Segment, probe: SearchProbe): boolean {
  const filter = openFilter(keys, logId, segment);
  if (probe.from !== undefined && segment.toTs < probe.from) return false;
  if (probe.below !== undefined && segment.fromTs >= probe.below) return false;
  return passesFilter(filter, probe.grams);
}
