import type { EventSeq, LogId } from "../../base/ids.ts";

/**
 * Index of a store by which a search passes over what cannot hold a text. It may be behind, be damaged or be missing:
 * what it does not know is read instead.
 */
export interface SearchIndex {
  /**
   * Returns the next logs, the one that began last first, each with the parts that must be read. Gives way to other
   * work meanwhile.
   */
  probe(probe: SearchProbe): Promise<readonly ProbedLog[]>;

  /**
   * Indexes what can be indexed of a log, in short steps; resolves true if that was anything.
   * @throws HarnessError StoreUnwritable, StoreBusy, StoreCorrupt; the log is then read instead.
   */
  index(logId: LogId, signal: AbortSignal): Promise<boolean>;

  /** Begins to index all logs in the background, unless that runs already. It ends with the store. */
  indexAll(): Promise<void>;
}

/** A question to the index. */
export interface SearchProbe {
  /** Hashes of pieces of text that a part must have: see `SearchTerms`. */
  readonly grams: readonly number[];
  /** Times of the first events of items: from one, and below the other. */
  readonly from?: string | undefined;
  readonly below?: string | undefined;
  readonly workingDir?: string | undefined;
  /** Only logs that began before this one, or this one alone. */
  readonly before?: LogId | undefined;
  readonly only?: LogId | undefined;
  readonly limit: number;
}

/** Events of a log from one to another, both included. */
export interface LogPart {
  readonly from: EventSeq;
  readonly to: EventSeq;
}

/** A log, and the parts that may hold an item that is searched for. */
export interface ProbedLog {
  readonly logId: LogId;
  readonly lastEvent: EventSeq;
  /** Events whose content has expired: nothing is found in them. */
  readonly expired: readonly LogPart[];
  /** In order. Each begins where no item is open, and all items that begin in it end in it, if they end. */
  readonly parts: readonly LogPart[];
  /** Events that the index does not know yet. */
  readonly unindexed: number;
}
