import type { CallId, EventSeq, LogId, SessionId } from "../../base/ids.ts";
import type { EffortWord } from "../../protocol/effort.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { EventKind, PayloadOf } from "../../protocol/events/events.ts";
import type { Message } from "../../protocol/message.ts";
import type { SearchIndex } from "../search/search-index.ts";
import type { LogNumbers } from "./notes/log-numbers.ts";
import type { SessionNotes } from "./notes/notes.ts";

/**
 * Store of session logs ([A] § Persistence). Asynchronous throughout, so that a server can be behind it.
 *
 * One log has one writer: `open` takes a lease with an epoch, and a writer with an older epoch can write no more.
 * Reading needs no lease. Failures are `HarnessError`s: StoreNewer, StoreInUse, StoreCorrupt, StoreUnwritable,
 * StoreBusy, LogHeld, LeaseLost, SessionMissing.
 */
export interface SessionStore extends AsyncDisposable {
  /** Starts a new log and holds its lease. */
  create(log: NewLog, holder: Holder): Promise<SessionWriter>;

  /**
   * Takes the lease of an existing log, at once from a holder that is no longer alive.
   * @param now facts of the log from this run on, if they changed.
   */
  open(
    logId: LogId,
    session: SessionId,
    holder: Holder,
    now?: Pick<NewLog, "profile" | "model">,
  ): Promise<SessionWriter>;

  /** Returns the log that an id of either kind belongs to. */
  find(id: LogId | SessionId): Promise<LogInfo | undefined>;

  /** Returns logs, the newest first. */
  list(query: LogQuery): Promise<readonly LogInfo[]>;

  /** Returns the same logs with a few facts of each, for a filter that looks at thousands. Absent: `list` is used. */
  names?(query: LogQuery): Promise<readonly LogName[]>;

  /** Returns events with an id above `since`, in order, at most `limit`. Expired ones are left out. */
  events(logId: LogId, since: EventSeq, limit: number): Promise<readonly Envelope[]>;

  /**
   * Returns the same with expired events: «ttl-expired» replaces every text (SES-06).
   * @param kinds the only kinds that the caller uses: a store may leave out all others.
   */
  markedEvents(
    logId: LogId,
    since: EventSeq,
    limit: number,
    kinds?: readonly EventKind[],
  ): Promise<readonly Envelope[]>;

  /** Returns the last events at or before an event, in order, at most `limit`, marked as above: for a first screen. */
  eventsBefore(logId: LogId, before: EventSeq, limit: number): Promise<readonly Envelope[]>;

  /** Returns the canonical messages from the last compaction boundary on, in order: history is rebuilt from them. */
  messages(logId: LogId): Promise<readonly StoredMessage[]>;

  /** Returns `messages` as they were right after an event: from the last boundary at or before it. */
  messagesAt(logId: LogId, at: EventSeq): Promise<readonly StoredMessage[]>;

  /** Returns calls with an intent and no outcome: the process died while they ran (SES-03). */
  orphans(logId: LogId): Promise<readonly Intent[]>;

  /** Returns the costs of provider calls after an event, in order, without those that a branch inherited. */
  costs(logId: LogId, since: EventSeq): Promise<readonly PayloadOf<"CostIncremented">[]>;

  /**
   * Returns the expired events, as ranges in order that do not touch; ids that a crash took count with those around
   * them.
   */
  expired(logId: LogId): Promise<readonly EventRange[]>;

  /**
   * Returns the newest day before one, `2026-03-01`, with a write that is still kept, in any log: evidence about
   * the clock.
   */
  lastDay(beforeDay: string): Promise<string | undefined>;

  /**
   * Returns missing writes: the store, or a part of it, was damaged or set back. "untold" is for a start: it reads the
   * logs that were written last, and leaves out those that `lossesTold` got. A log that continues has none any more.
   */
  losses(which: "all" | "untold"): Promise<readonly Loss[]>;

  /** Notes that a person was shown these losses, so that each is shown once. */
  lossesTold(losses: readonly Loss[]): Promise<void>;

  /** Pins a log: it never expires. */
  pin(logId: LogId, pinned: boolean): Promise<void>;

  /**
   * Destroys contents from before a day, `2026-03-01`, so that nobody can read them again; safe from loss of power when
   * it resolves. Returns the number of events that lost their content. A pinned log keeps everything, and so does one
   * that cannot be read; one that a living process writes keeps its newest day (R29).
   * @throws SessionMissing, StoreCorrupt.
   */
  expire(logId: LogId, beforeDay: string): Promise<number>;

  /** Titles, marks and drafts of people. Absent: this store keeps none. */
  readonly notes?: SessionNotes;

  /**
   * Removes a log completely, with its notes. It is hidden and its keys are destroyed first, safe from loss of power;
   * the rest follows. A process that dies meanwhile, or a failure, leaves the rest to `maintain`.
   * @param beside removes the files that others keep for the log, once nobody can open the log any more.
   * @throws LogHeld, SessionMissing, and what `beside` throws.
   */
  delete(logId: LogId, beside?: RemoveBeside): Promise<void>;

  /**
   * Frees the space of removed contents, removes branches that broke off, and completes deletions that broke off. A
   * signal stops it between two steps.
   * @param beside as in `delete`. A log whose files it cannot remove stays hidden until the next maintenance.
   */
  maintain(signal: AbortSignal, beside?: RemoveBeside): Promise<MaintenanceResult>;

  /**
   * Checks for damage, changing nothing. "quick" checks the structure and the facts of the logs; "full" opens every
   * content too.
   */
  check(depth: "quick" | "full", signal: AbortSignal): AsyncIterable<StoreFinding>;

  /** Absent: a search reads the logs. */
  readonly search?: SearchIndex;
}

/** Removes the files that are kept beside a log. It may be called again for a log whose files are gone. */
export type RemoveBeside = (logId: LogId) => Promise<void>;

export interface NewLog {
  readonly logId: LogId;
  readonly session: SessionId;
  readonly workingDir: string;
  readonly profile: string;
  readonly model: string;
  /** Effort of thinking. Absent if nobody chose one for the session. */
  readonly effort?: EffortWord;
  readonly createdAt: string;
  /** Set on a copy of another log's events up to one: it is found and listed once it holds all of them. */
  readonly branchOf?: BranchPoint;
}

/** Facts of a log that lists are filtered by. */
export type LogName = Pick<
  LogInfo,
  "heldBy" | "interrupted" | "logId" | "renamed" | "session" | "title" | "updatedAt" | "workingDir"
>;

/** An event of another log. */
export interface BranchPoint {
  readonly logId: LogId;
  readonly at: EventSeq;
}

export interface LogInfo {
  readonly logId: LogId;
  /** The newest run on this log. */
  readonly session: SessionId;
  readonly workingDir: string;
  readonly profile: string;
  readonly model: string;
  /** Effort of thinking. Absent if nobody chose one for the session. */
  readonly effort?: EffortWord;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastEvent: EventSeq;
  /** The last reserved id, if it is above the last event: clients may have seen events up to it. */
  readonly reserved?: EventSeq;
  readonly turns: number;
  /**
   * The title that a person gave it, else the first characters of the first prompt, as it was sent; «unreadable» if
   * that is damaged.
   */
  readonly title: string;
  /** True if a person gave it its title. */
  readonly renamed?: boolean;
  readonly archived?: boolean;
  /** Absent: the store keeps none. */
  readonly numbers?: LogNumbers;
  readonly heldBy?: Holder;
  readonly pinned: boolean;
  readonly branchOf?: BranchPoint;
  /** True if the last turn did not end: if nobody holds the log, its process died while it ran. */
  readonly interrupted: boolean;
  /** The oldest day, `2026-03-01`, that still has content. */
  readonly oldestDay?: string;
}

/** Events from one to another, both included. */
export interface EventRange {
  readonly from: EventSeq;
  readonly to: EventSeq;
}

/** Result of maintenance; zero for a store that takes no disk space. */
export interface MaintenanceResult {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** Branches that broke off and were removed. */
  readonly branchesRemoved: number;
}

/** Loss of one log. */
export interface Loss {
  readonly logId: LogId;
  /** True if the whole log is missing. */
  readonly isGone: boolean;
  /** Missing events; absent if only messages or the ends of calls are missing. */
  readonly events?: EventRange;
  /** Number of missing writes. */
  readonly writes: number;
  /** "power or damage" if the machine was restarted since, and nothing is missing that was safe from loss of power. */
  readonly cause: "damage" | "power or damage";
  /** Copy of the damaged write-ahead log, with the part that was not read. */
  readonly copy?: string;
}

/** Something that `check` found. */
export interface StoreFinding {
  readonly kind: StoreFindingKind;
  /** "damage" has lost something or will; a "note" is repaired by the next run, or needs no repair. */
  readonly weight: "damage" | "note";
  readonly logId?: LogId;
  /** Sentence that says what is wrong and where. */
  readonly text: string;
  /** Remedy, as a sentence. */
  readonly remedy: string;
}

export type StoreFindingKind =
  /** The store cannot be opened: newer, locked, of another key, not readable. */
  | "closed"
  /** It is of an older version; the next start upgrades it. */
  | "older"
  /** The file, or a table of it, is not consistent. */
  | "structure"
  /** Event ids of a log leave a gap. */
  | "gap"
  /** A log is behind what was written of it, or gone. */
  | "lost"
  /** The file of heads, which reveals losses, is damaged. */
  | "heads"
  /** A content that cannot be opened. */
  | "unreadable"
  /** A call with an intent and no outcome, in a log that nobody holds. */
  | "orphan"
  /** A log held by a process that is gone. */
  | "lease"
  /** A part of the search index that cannot be opened. */
  | "index"
  /** A branch that broke off. */
  | "branch"
  /** A log with a date in the future. */
  | "clock";

export interface LogQuery {
  readonly workingDir?: string;
  /** Only logs that came of this one. */
  readonly branchOf?: LogId;
  /** Only logs with content that was written before this day. */
  readonly contentBefore?: string;
  /** Only logs whose id, or that of one of their runs, begins with this, with or without its prefix. */
  readonly begins?: string;
  /** True: only logs that a process holds; it need not be alive any more. */
  readonly held?: true;
  /** Default: with. */
  readonly archived?: "with" | "without" | "only";
  /** Only logs that stand after this one in the list. If it is gone, those of its very time are listed again. */
  readonly before?: Pick<LogInfo, "updatedAt" | "logId">;
  readonly limit: number;
}

/** A process that writes a log. `processStart` distinguishes two processes with one id. */
export interface Holder {
  readonly pid: number;
  readonly processStart: string;
}

/** Durability at which `append` resolves. */
export type Durability =
  /** It survives the death of the process (the operating system has it). */
  | "process"
  /** It survives the loss of power too (fsync). */
  | "power";

/**
 * The one writer of a log, held by `await using`; disposing it releases the lease. If the store cannot be written then,
 * as on a full disk, this process can take the lease again at once, and other processes once the store can be written.
 */
export interface SessionWriter extends AsyncDisposable {
  readonly logId: LogId;
  readonly epoch: number;
  /** The last event in the log when it was opened. Ids continue from there and never restart (SES-17). */
  readonly lastEvent: EventSeq;
  /**
   * The last id that was reserved when the log was opened; 0 if none ever was. If it is above `lastEvent`, clients may
   * have seen events that the log lost: the first event is then a StreamGap for them, see `Batch`.
   *
   * Absent for a store that keeps no reservations: an event is then in its log before anybody sees it.
   */
  readonly reserved?: EventSeq;

  /**
   * Writes a batch in one transaction: all of it or nothing. One batch at a time. With "power", everything appended
   * before survives the loss of power too, also if the batch is empty.
   */
  append(batch: Batch, durability: Durability): Promise<void>;

  /**
   * Resolves when everything appended before the call survives the loss of power. May run beside `append`. Absent: an
   * empty batch is appended with "power".
   */
  sync?(): Promise<void>;
}

/**
 * Entries that are written together. Event ids must follow the last one without a gap, except before a StreamGap of
 * reason "crash": its id is its `to`, and its `from` follows the last event. A batch may hold the intent and the
 * outcome of one call: intents are written before outcomes.
 */
export interface Batch {
  readonly events?: readonly Envelope[];
  readonly messages?: readonly StoredMessage[];
  readonly intents?: readonly Intent[];
  readonly outcomes?: readonly CallOutcome[];
  /**
   * Sets the last reserved id of the log: clients may see events up to it before they are in the log. At least the last
   * event. Absent: it stays. A raised one holds once it is safe from loss of power.
   */
  readonly reserve?: EventSeq;
}

/** A message of the history, at its position among the events. */
export interface StoredMessage {
  /** The last event before it was added. */
  readonly after: EventSeq;
  readonly turn: number;
  readonly message: Message;
  /** Set on the first message after a compaction: earlier ones are not sent any more. */
  readonly boundary?: boolean;
}

/**
 * Written before a call starts ([A] § Tool-call intent / outcome ledger); for a call that only reads, at the latest
 * with its outcome. Such a call is run again if its process ended before its result was written: its intent and outcome
 * are then written again, and the new ones replace the old.
 */
export interface Intent {
  readonly callId: CallId;
  readonly tool: string;
  /** SHA-256 of the canonical JSON of the arguments. */
  readonly argsHash: string;
  readonly summary: string;
  readonly mutating: boolean;
  readonly startedAt: string;
}

export interface CallOutcome {
  readonly callId: CallId;
  readonly outcome: "ok" | "error" | "cancelled" | "timeout";
  readonly completedAt: string;
  /** The ToolResult event, once it has its id. */
  readonly resultRef?: EventSeq;
}
