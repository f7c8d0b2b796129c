import { HarnessError, messageOf } from "../../../base/errors.ts";
import type { LogId } from "../../../base/ids.ts";
import type { World } from "../../../base/world.ts";
import type { LogPart, ProbedLog, SearchProbe } from "../../search/search-index.ts";
import { PAGE_EVENTS_MIN, WorkSlices } from "../../search/work-slices.ts";
import { isInRanges } from "../../store/expired.ts";
import type { StoreConnection } from "../connection.ts";
import type { DataKeys } from "../keys/data-keys.ts";
import type { LogReader } from "../reading/log-reader.ts";
import type { LogTable } from "../reading/log-table.ts";
import { expiredRanges } from "../retention/expiry.ts";
import type { WhenFree } from "../when-free.ts";
import { indexedLogs, probedRows, probeLog } from "./probe.ts";
import type { BuiltSegment } from "./segment-builder.ts";
import { SEGMENT_EVENTS, SegmentBuilder } from "./segment-builder.ts";
import type { Segment } from "./segments.ts";
import { removeSegment, segmentsOf, writeSegment } from "./segments.ts";
import { partsBetween, withContentIn } from "./unindexed.ts";

/** Logs that are listed at a time. */
const LOGS_AT_ONCE = 64;
/** Current parts of a store: a store on a full disk opens its file again. */
export interface StoreParts {
  readonly connection: StoreConnection;
  readonly keys: DataKeys;
  readonly reading: LogReader;
  readonly logs: LogTable;
}

export interface SqliteSearchDependencies {
  readonly world: Pick<World, "clock" | "log">;
  readonly whenFree: WhenFree;
  readonly parts: () => StoreParts;
  /** Aborts when the store is closed. */
  readonly signal: AbortSignal;
}

/** The search index of one file: sealed filters, made of the logs when they are searched (CTL-19). */
export class SqliteSearch {
  readonly #world: SqliteSearchDependencies["world"];
  readonly #whenFree: WhenFree;
  readonly #parts: () => StoreParts;
  readonly #signal: AbortSignal;
  readonly #slices: WorkSlices;
  #indexing: Promise<void> | undefined;

  constructor({ world, whenFree, parts, signal }: SqliteSearchDependencies) {
    this.#world = world;
    this.#whenFree = whenFree;
    this.#parts = parts;
    this.#signal = signal;
    this.#slices = new WorkSlices(world.clock);
  }

  async probe(probe: SearchProbe): Promise<readonly ProbedLog[]> {
    const rows = await this.#whenFree(() => probedRows(this.#parts().connection, probe));
    const probed: ProbedLog[] = [];
    const damaged: { readonly log: number; readonly segment: Segment }[] = [];
    const onDamaged = (log: number, segment: Segment) => void damaged.push({ log, segment });
    while (probed.length < rows.length) {
      const slice = await this.#whenFree(() => {
        const { connection, keys } = this.#parts();
        const rest = rows.slice(probed.length);
        return connection.snapshot(() =>
          this.#inSlice(rest, (row) => probeLog(connection, keys, { row, probe, onDamaged })),
        );
      });
      probed.push(...slice);
      await this.#slices.pause();
    }
    if (damaged.length > 0) await this.#removeDamaged(damaged);
    return probed;
  }

  async index(logId: LogId, signal: AbortSignal): Promise<boolean> {
    const plan = await this.#whenFree(() => this.#planOf(logId));
    let isAdded = false;
    for (const part of plan.parts)
      isAdded = (await this.#indexPart(logId, { ...plan, part }, signal)) || isAdded;
    return isAdded;
  }

  indexAll(): void {
    this.#indexing ??= this.#indexLogs().finally(() => {
      this.#indexing = undefined;
    });
  }

  /** Indexes logs until all are or the signal aborts. */
  async indexUntil(signal: AbortSignal): Promise<void> {
    try {
      await this.#indexEach(signal, "at once");
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
    }
  }

  /** Resolves when nothing is indexed in the background. The signal of the store has aborted. */
  async ended(): Promise<void> {
    await this.#indexing;
  }

  async #indexLogs(): Promise<void> {
    try {
      await this.#indexEach(this.#signal, "with pauses");
    } catch (thrown) {
      if (this.#signal.aborted) return;
      // A search reads what is not indexed, so nothing is lost.
      const fields = { error: messageOf(thrown) };
      this.#world.log.for("session.search").write("warn", "the search index is not complete", fields);
    }
  }

  /**
   * Goes from the oldest log to the newest, since a search that is at work goes the other way. A pause after each log
   * takes as long as the log did.
   */
  async #indexEach(signal: AbortSignal, pace: "at once" | "with pauses"): Promise<void> {
    const { clock } = this.#world;
    for (let after: LogId | undefined; ; ) {
      const logs = await this.#whenFree(() =>
        indexedLogs(this.#parts().connection, { after, limit: LOGS_AT_ONCE }),
      );
      await this.#slices.pause();
      for (const { logId, isIndexed } of logs) {
        if (signal.aborted) return;
        after = logId;
        if (isIndexed) continue;
        const startMs = clock.monotonic();
        await this.#indexOrSkip(logId, signal);
        if (pace === "with pauses") await clock.sleep(clock.monotonic() - startMs, signal);
      }
      if (logs.length < LOGS_AT_ONCE) return;
    }
  }

  /** A log that cannot be read, or was deleted meanwhile, does not keep others from being indexed. */
  async #indexOrSkip(logId: LogId, signal: AbortSignal): Promise<void> {
    try {
      await this.index(logId, signal);
    } catch (thrown) {
      if (!(thrown instanceof HarnessError) || !SKIPPED.has(thrown.reason)) throw thrown;
      const fields = { log: logId, error: thrown.message };
      this.#world.log.for("session.search").write("debug", "a log was not indexed", fields);
    }
  }

  #planOf(logId: LogId): IndexPlan {
    const { connection, reading, logs } = this.#parts();
    return connection.snapshot(() => {
      const row = logs.mustFind(logId);
      const [log, last] = [reading.logNumber(logId), Number(row["last_event"])];
      const expired = expiredRanges(connection, log);
      const known = segmentsOf(connection, log);
      const parts = partsBetween(known, last).flatMap(
        (part) => withContentIn(connection, log, { part, expired }) ?? [],
      );
      return { log, last, expired, parts, isHeld: logs.holderOr(row, "somebody") !== "nobody" };
    });
  }

  /** Indexes a part that lies between segments, or at the end of the log. */
  async #indexPart(logId: LogId, plan: IndexedPart, signal: AbortSignal): Promise<boolean> {
    const { part, last, expired, isHeld } = plan;
    if (isHeld && part.to === last && part.to - part.from + 1 < SEGMENT_EVENTS) return false;
    const { clock } = this.#world;
    const builder = new SegmentBuilder(part.from);
    let isAdded = false;
    const write = async (built: BuiltSegment | undefined) => {
      if (built !== undefined) isAdded = (await this.#write(logId, plan, built)) || isAdded;
    };
    for (let since = part.from - 1, limit = PAGE_EVENTS_MIN; since < part.to; ) {
      signal.throwIfAborted();
      const startMs = clock.monotonic();
      const stretch = { since, limit: Math.min(limit, part.to - since) };
      const read = () => this.#parts().reading.markedEvents(logId, stretch);
      const page = await this.#whenFree(read);
      limit = this.#slices.pageAfter(limit, clock.monotonic() - startMs);
      since = page.at(-1)?.id ?? part.to;
      for (const event of page) {
        if (event.id > part.to) break;
        await write(builder.add(event, isInRanges(event.id, expired)));
        await this.#slices.pause();
      }
    }
    if (part.to < last) await write(builder.end("end"));
    else if (!isHeld) await write(builder.end("quiet"));
    return isAdded;
  }

  async #write(logId: LogId, { log, expired }: IndexedPart, built: BuiltSegment): Promise<boolean> {
    return await this.#whenFree(() => {
      const { connection, keys } = this.#parts();
      const segment = { log, logId, expired, ...built };
      return connection.transaction("process", () => writeSegment(connection, keys, segment));
    });
  }

  async #removeDamaged(
    damaged: readonly { readonly log: number; readonly segment: Segment }[],
  ): Promise<void> {
    const operational = this.#world.log.for("session.search");
    try {
      await this.#whenFree(() => {
        const { connection } = this.#parts();
        connection.transaction("process", () => {
          for (const { log, segment } of damaged) removeSegment(connection, log, segment.from);
        });
      });
      operational.write("warn", "damaged parts of the search index were removed", { parts: damaged.length });
    } catch (thrown) {
      // The logs are read instead, by this search and later ones.
      if (!(thrown instanceof HarnessError)) throw thrown;
      operational.write("warn", "the search index is damaged", { error: thrown.message });
    }
  }

  /** Does work until a slice is over, at least some of it. */
  #inSlice<Of, Result>(rest: readonly Of[], work: (each: Of) => Result): readonly Result[] {
    const done: Result[] = [];
    for (const each of rest) {
      done.push(work(each));
      if (this.#slices.isOver) break;
    }
    return done;
  }
}

interface IndexPlan {
  readonly log: number;
  readonly last: number;
  readonly expired: readonly LogPart[];
  readonly parts: readonly LogPart[];
  /** True if a living process may write the log: open items may get more. */
  readonly isHeld: boolean;
}

interface IndexedPart extends IndexPlan {
  readonly part: LogPart;
}

const SKIPPED: ReadonlySet<string> = new Set(["SessionMissing", "StoreCorrupt"]);
