import type { CallId, EventSeq, LogId, SessionId } from "../../base/ids.ts";
import type { EffortWord } from "../../protocol/effort.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { PayloadOf } from "../../protocol/events/events.ts";
import type { Message } from "../../protocol/message.ts";

/**
 * Where session logs live ([A] § Persistence). Asynchronous throughout, so that a server can stand behind it.
 *
 * One log has one writer: `open` takes a lease with an epoch, and a writer whose epoch was overtaken can write no
 * more. Reading needs no lease. Failures are `HarnessError`s: StoreNewer, StoreCorrupt, StoreUnwritable, StoreBusy,
 * LogHeld, LeaseLost, SessionMissing.
 */
export interface SessionStore extends AsyncDisposable {
  /** Starts a new log and holds its lease. */
  create(log: NewLog, holder: Holder): Promise<SessionWriter>;

  /**
   * Takes the lease of an existing log; a holder that is no longer alive is overtaken at once.
   * @param now what the log is about from this run on, where that is not what it was begun with.
   */
  open(
    logId: LogId,
    session: SessionId,
    holder: Holder,
    now?: Pick<NewLog, "profile" | "model">,
  ): Promise<SessionWriter>;

  /** The log that an id of either kind belongs to. */
  find(id: LogId | SessionId): Promise<LogInfo | undefined>;

  /** The newest first. */
  list(query: LogQuery): Promise<readonly LogInfo[]>;

  /** Events with an id above `since`, in order, at most `limit`. Those whose content has expired are passed over. */
  events(logId: LogId, since: EventSeq, limit: number): Promise<readonly Envelope[]>;

  /** As `events`, with those whose content has expired in their places: «ttl-expired» stands for every text (SES-06). */
  markedEvents(logId: LogId, since: EventSeq, limit: number): Promise<readonly Envelope[]>;

  /** The last events at or before an event, in order, at most `limit`, marked as above: for a first screen. */
  eventsBefore(logId: LogId, before: EventSeq, limit: number): Promise<readonly Envelope[]>;

  /** The canonical messages from the last compaction boundary on, in order: what history is rebuilt from. */
  messages(logId: LogId): Promise<readonly StoredMessage[]>;

  /** As `messages`, as they stood right after an event: from the last boundary at or before it. */
  messagesAt(logId: LogId, at: EventSeq): Promise<readonly StoredMessage[]>;

  /** Calls with an intent and no outcome: the process died in the middle of them (SES-03). */
  orphans(logId: LogId): Promise<readonly Intent[]>;

  /** What the provider calls after an event have cost, in order; what a branch inherited is not its own and not told. */
  costs(logId: LogId, since: EventSeq): Promise<readonly PayloadOf<"CostIncremented">[]>;

  /** The events whose content has expired, as ranges in order that do not touch. */
  expired(logId: LogId): Promise<readonly EventRange[]>;

  /**
   * The newest day before one, `2026-03-01`, on which something was written that is still kept, in whatever log: for
   * whoever asks whether the clock can be right.
   */
  lastDay(beforeDay: string): Promise<string | undefined>;

  /**
   * Writes that are missing: the store, or a part of it, was damaged or set back. "untold" is for a start: it
   * looks at the logs that were written last, and leaves out what `lossesTold` was called with. A log that goes on has none
   * any more.
   */
  losses(which: "all" | "untold"): Promise<readonly Loss[]>;

  /** Notes that a person was shown these losses, so that each is shown once. */
  lossesTold(losses: readonly Loss[]): Promise<void>;

  /** A pinned log never expires. */
  pin(logId: LogId, pinned: boolean): Promise<void>;

  /**
   * Destroys what was written before a day, `2026-03-01`, so that nobody can read it again; safe from loss of power when
   * it resolves. Tells how many events lost their content. A log that is pinned keeps everything, and so does one that
   * cannot be read; one that a living process writes keeps its newest day (R29).
   * @throws SessionMissing, StoreCorrupt.
   */
  expire(logId: LogId, beforeDay: string): Promise<number>;

  /** Removes a log with everything of it. @throws LogHeld, SessionMissing. */
  delete(logId: LogId): Promise<void>;

  /** Gives back the space of what is gone, and removes branches that broke off. A signal stops it between two steps. */
  maintain(signal: AbortSignal): Promise<Maintained>;

  /**
   * Looks for damage, changing nothing. "quick" takes the structure and what stands beside the logs; "full" opens every
   * content too.
   */
  check(depth: "quick" | "full", signal: AbortSignal): AsyncIterable<Finding>;
}

export interface NewLog {
  readonly logId: LogId;
  readonly session: SessionId;
  readonly workingDir: string;
  readonly profile: string;
  readonly model: string;
  /** Effort of thinking. Absent: nobody chose one for the session. */
  readonly effort?: EffortWord;
  readonly createdAt: string;
  /** Set on a copy of another log's events up to one: it is found and listed once it holds all of them. */
  readonly branchOf?: BranchPoint;
}

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
  /** Effort of thinking. Absent: nobody chose one for the session. */
  readonly effort?: EffortWord;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastEvent: EventSeq;
  readonly turns: number;
  /** The first characters of the first prompt, as it was sent; «unreadable» where that is damaged. */
  readonly title: string;
  readonly heldBy?: Holder;
  readonly pinned: boolean;
  readonly branchOf?: BranchPoint;
  /** The last turn began and did not end: where nobody holds the log, its process died in the middle. */
  readonly interrupted: boolean;
  /** The oldest day, `2026-03-01`, that still has content. */
  readonly oldestDay?: string;
}

/** Events from one to another, both included. */
export interface EventRange {
  readonly from: EventSeq;
  readonly to: EventSeq;
}

/** What maintenance came to; zero where a store takes no space of its own. */
export interface Maintained {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** Branches that broke off and were removed. */
  readonly branchesRemoved: number;
}

/** Loss of one log. */
export interface Loss {
  readonly logId: LogId;
  /** Nothing of the log is there. */
  readonly isGone: boolean;
  /** The events that are missing; absent where only messages or the ends of calls are. */
  readonly events?: EventRange;
  /** Number of missing writes. */
  readonly writes: number;
  /** "power or damage" where the machine was started since, and nothing is missing that was safe from loss of power. */
  readonly cause: "damage" | "power or damage";
  /** A copy of the damaged write-ahead log, which holds what was not read of it. */
  readonly copy?: string;
}

/** Something that `check` found. */
export interface Finding {
  readonly kind: FindingKind;
  /** "damage" lost something or will; a "note" is put right by the next run, or by nobody. */
  readonly weight: "damage" | "note";
  readonly logId?: LogId;
  /** What is wrong and where, in a sentence. */
  readonly text: string;
  /** What to do about it. */
  readonly remedy: string;
}

export type FindingKind =
  /** The store cannot be opened as it is: newer, locked, of another key, not to be read. */
  | "closed"
  /** It is of an older version, and is brought up to date by the next start. */
  | "older"
  /** The file, or a table of it, does not hold together. */
  | "structure"
  /** Event ids of a log leave a gap. */
  | "gap"
  /** A log is behind what was written of it, or gone. */
  | "lost"
  /** The file that tells what is lost is damaged itself. */
  | "heads"
  /** A content that does not open. */
  | "unreadable"
  /** A call with an intent and no outcome, in a log that nobody holds. */
  | "orphan"
  /** A log held by a process that is gone. */
  | "lease"
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
  /** Only logs with a run whose session id begins with this, with or without its prefix. */
  readonly begins?: string;
  readonly limit: number;
}

/** A process that writes a log. `processStart` tells two processes with one id apart. */
export interface Holder {
  readonly pid: number;
  readonly processStart: string;
}

/** How much must have happened before `append` resolves. */
export type Durability =
  /** It survives the death of the process (the operating system has it). */
  | "process"
  /** It survives the loss of power too (fsync). */
  | "power";

/** The one writer of a log, held by `await using`; disposing it gives the lease back. */
export interface SessionWriter extends AsyncDisposable {
  readonly logId: LogId;
  readonly epoch: number;
  /** The last event already in the log when it was opened. Ids go on from here and never restart (SES-17). */
  readonly lastEvent: EventSeq;

  /**
   * Writes a batch in one transaction: all of it or nothing. With "power", everything appended before survives the
   * loss of power too, also when the batch is empty.
   */
  append(batch: Batch, durability: Durability): Promise<void>;
}

/** What is written together. Event ids must follow the last one without a gap. */
export interface Batch {
  readonly events?: readonly Envelope[];
  readonly messages?: readonly StoredMessage[];
  readonly intents?: readonly Intent[];
  readonly outcomes?: readonly Outcome[];
}

/** A message of the history, at its place among the events. */
export interface StoredMessage {
  /** The last event before it was added. */
  readonly after: EventSeq;
  readonly turn: number;
  readonly message: Message;
  /** Set on the first message of the view after a compaction: what lies before is not sent any more. */
  readonly boundary?: boolean;
}

/** Written before a call starts ([A] § Tool-call intent / outcome ledger). */
export interface Intent {
  readonly callId: CallId;
  readonly tool: string;
  /** SHA-256 of the canonical JSON of the arguments. */
  readonly argsHash: string;
  readonly summary: string;
  readonly mutating: boolean;
  readonly startedAt: string;
}

export interface Outcome {
  readonly callId: CallId;
  readonly outcome: "ok" | "error" | "cancelled" | "timeout";
  readonly completedAt: string;
  /** The ToolResult event, once it has its id. */
  readonly resultRef?: EventSeq;
}
