import { assert } from "../../base/assert.ts";
import { HarnessError } from "../../base/errors.ts";
import type { EventSeq, LogId, SessionId } from "../../base/ids.ts";
import type { Envelope, EnvelopeOf } from "../../protocol/events/envelope.ts";
import { isTurnStarted } from "../../view/turn-marks.ts";
import { checkBatch, logFactsOf, modelChangeIn } from "../store/log-facts.ts";
import { NO_NUMBERS, numbersAfter } from "../store/notes/log-numbers.ts";
import type { Sealed, SealScope } from "../store/seal.ts";
import type { Batch, CallOutcome, Durability, Intent, SessionWriter, StoredMessage } from "../store/store.ts";
import type { StoreConnection } from "./connection.ts";
import { isDiskFailure } from "./failure.ts";
import type { WriterSeal } from "./keys/data-keys.ts";
import { giveBackLease, holdsLease } from "./lease.ts";
import { addKeySpan, metaOf } from "./retention/expiry.ts";
import { eventScope, intentScope, messageScope, packValue, titleScope } from "./rows.ts";
import type { LogHead, Position } from "./wal/head-file.ts";
import { CHAIN_BYTES } from "./wal/head-file.ts";
import type { WalSync } from "./wal/wal-sync.ts";
import type { WhenFree } from "./when-free.ts";

/** Rows of a log that a writer refers to. */
export interface LogRows {
  /** Row numbers of the log and of this run. */
  readonly log: number;
  readonly run: number;
  readonly seal: WriterSeal;
}

export interface LeasedLog {
  readonly logId: LogId;
  readonly session: SessionId;
  /** Rows of the log; a function that adds a new log inside a transaction, and is called again if that fails. */
  readonly rows: LogRows | (() => LogRows);
  readonly epoch: number;
  readonly lastEvent: EventSeq;
  readonly reserved: EventSeq;
  readonly turns: number;
  /** Events up to this one are inherited: another log paid for them. */
  readonly inherited: EventSeq;
  readonly whenFree: WhenFree;
  /** Newest commit of it in the store. */
  readonly commits: number;
  readonly chain: Uint8Array;
  readonly walSync: WalSync;
  /** Writes the head of the log beside the store. */
  readonly putHead: (log: number, head: Pick<LogHead, "commits" | "last" | "chain" | "synced">) => void;
  /** Called once the log is in the store. */
  readonly onAdded: () => void;
  /** Called once, when the lease was released. @param failed the reason if that failed, and the log's row number. */
  readonly onEnd: (failed?: { readonly failure: unknown; readonly log: number | undefined }) => void;
}

interface Written {
  /** The turn at the end of the batch. */
  readonly turn: number;
  readonly chain: Uint8Array;
}

/**
 * The writer of one log: one transaction per append, in which its epoch is checked.
 *
 * After an I/O error it is unknown what reached the disk, so the writer stops (R15); a full disk leaves everything as
 * it was before, and the same batch may be appended again.
 */
export class SqliteWriter implements SessionWriter {
  readonly logId: LogId;
  readonly epoch: number;
  readonly lastEvent: EventSeq;
  readonly reserved: EventSeq;
  readonly #connection: StoreConnection;
  readonly #held: LeasedLog;
  /** Undefined until a new log is in the store. */
  #added: LogRows | undefined;
  /** Rows in the transaction that is being written. */
  #rows: LogRows | undefined;
  #last: EventSeq;
  #turn: number;
  /** Number of the newest message, undefined until it was read. A batch that failed leaves a gap. */
  #message: number | undefined;
  #titled = false;
  /** State of the newest commit, and of the one that is being written. */
  #commits: number;
  #chain: Uint8Array;
  #synced: Position;
  #hash: Bun.CryptoHasher | undefined;
  /** Key of the newest event, undefined until it was read. */
  #spanKey: string | undefined;
  #broken: unknown;
  #appending = false;
  /** Settles with the newest batch, one of a sync included. Never rejects. */
  #newest: Promise<void> | undefined;
  /** Batch of a sync that has not begun: later syncs share it. */
  #waitingSync: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #disposed = false;

  constructor(connection: StoreConnection, lease: LeasedLog) {
    this.#connection = connection;
    this.#held = lease;
    this.#added = typeof lease.rows === "function" ? undefined : lease.rows;
    this.logId = lease.logId;
    this.epoch = lease.epoch;
    this.lastEvent = lease.lastEvent;
    this.reserved = lease.reserved;
    this.#last = lease.lastEvent;
    this.#turn = lease.turns;
    this.#commits = lease.commits;
    this.#chain = lease.chain;
    this.#synced = { commits: 0, last: 0 };
  }

  async append(batch: Batch, durability: Durability): Promise<void> {
    assert(!this.#disposed, "a writer that was disposed appends nothing");
    assert(!this.#appending, "one batch is appended after the other");
    this.#appending = true;
    try {
      await this.#inOrder(() => this.#append(batch, durability));
    } finally {
      this.#appending = false;
    }
  }

  async sync(): Promise<void> {
    assert(!this.#disposed, "a writer that was disposed syncs nothing");
    if (this.#broken !== undefined) throw this.#broken;
    const position = { commits: this.#commits, last: this.#last };
    if (position.commits === this.#synced.commits) return;
    if (!this.#held.walSync.open()) return await this.#syncByBatch();
    await this.#syncWal();
    this.#tellHead(position);
  }

  /** Syncs with a transaction, where `WalSync` cannot: SQLite then does it. */
  async #syncByBatch(): Promise<void> {
    this.#waitingSync ??= this.#inOrder(() => {
      this.#waitingSync = undefined;
      return this.#append({}, "power");
    });
    await this.#waitingSync;
  }

  /** Writes a batch after those before it: a sync may come at any time, and its batch is one of them. */
  #inOrder(write: () => Promise<void>): Promise<void> {
    const writing = this.#newest === undefined ? write() : this.#newest.then(write);
    const done = () => {
      if (this.#newest === settled) this.#newest = undefined;
    };
    const settled: Promise<void> = writing.then(done, done);
    this.#newest = settled;
    return writing;
  }

  async #append(batch: Batch, durability: Durability): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    const last = checkBatch(batch, { lastEvent: this.#last, reserved: this.reserved });
    const { whenFree, walSync } = this.#held;
    const syncsApart = walSync.open() && durability === "power";
    try {
      const { turn, chain } = await whenFree(() =>
        this.#writeOrForget(batch, syncsApart ? "process" : durability),
      );
      this.#turn = turn;
      this.#chain = chain;
    } catch (thrown) {
      if (thrown instanceof Error && isDiskFailure(thrown.cause)) this.#broken = thrown;
      throw thrown;
    }
    this.#last = last;
    this.#commits += 1;
    const position = { commits: this.#commits, last };
    if (syncsApart) await this.#syncWal();
    this.#tellHead(durability === "power" ? position : this.#synced);
  }

  #tellHead(synced: Position): void {
    // Two syncs may end in either order.
    if (synced.commits > this.#synced.commits) this.#synced = synced;
    const [commits, last, chain] = [this.#commits, this.#last, this.#chain];
    this.#held.putHead(this.#at.log, { commits, last, chain, synced: this.#synced });
  }

  /** Adds a new log to the store before its first batch does. */
  begin(): void {
    if (this.#added === undefined) this.#transaction("process", () => undefined);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#disposed = true;
    await this.#newest;
    try {
      await this.#held.whenFree(() =>
        this.#transaction("process", ({ log }) => giveBackLease(this.#connection, log, this.epoch)),
      );
    } catch (failure) {
      return this.#held.onEnd({ failure, log: this.#added?.log });
    }
    this.#held.onEnd();
  }

  async #syncWal(): Promise<void> {
    try {
      await this.#held.walSync.sync();
    } catch (thrown) {
      this.#broken = thrown;
      throw thrown;
    }
  }

  /** A transaction that was rolled back may have taken a key with it. */
  #writeOrForget(batch: Batch, durability: Durability): Written {
    try {
      return this.#transaction(durability, (rows) => this.#write(batch, rows));
    } catch (thrown) {
      this.#added?.seal.forget();
      this.#spanKey = undefined;
      throw thrown;
    }
  }

  /** Runs work in a transaction, which adds the log if it is new. */
  #transaction<Result>(durability: Durability, work: (rows: LogRows) => Result): Result {
    const { rows } = this.#held;
    let used: LogRows | undefined;
    const result = this.#connection.transaction(durability, () => {
      used = this.#added ?? (typeof rows === "function" ? rows() : rows);
      this.#rows = used;
      return work(used);
    });
    if (this.#added === undefined) this.#held.onAdded();
    this.#added = used;
    return result;
  }

  get #at(): LogRows {
    assert(this.#rows !== undefined, "rows are written in a transaction");
    return this.#rows;
  }

  #write(
    { events = [], messages = [], intents = [], outcomes = [], reserve }: Batch,
    { log, seal }: LogRows,
  ): Written {
    if (!holdsLease(this.#connection, log, this.epoch)) {
      throw new HarnessError("LeaseLost", { id: this.logId });
    }
    if (events.length + messages.length + intents.length > 0) seal.begin();
    this.#hash = new Bun.CryptoHasher("sha256").update(this.#chain);
    let turn = this.#turn;
    for (const event of events) {
      if (isTurnStarted(event)) turn = event.payload.turn;
      this.#addEvent(event, turn);
    }
    for (const message of messages) this.#addMessage(message);
    const ended = new Map(outcomes.map((outcome) => [outcome.callId, outcome]));
    assert(ended.size === outcomes.length, "a call ends once");
    for (const intent of intents) {
      this.#addIntent(intent, ended.get(intent.callId));
      ended.delete(intent.callId);
    }
    for (const outcome of ended.values()) this.#addOutcome(outcome);
    this.#keepFacts(events);
    return { turn, chain: this.#keepChain(reserve) };
  }

  /** Every batch changes something, so that its commit syncs earlier commits too. */
  #keepChain(reserve: EventSeq | undefined): Uint8Array {
    assert(this.#hash !== undefined, "a chain is kept of a batch");
    const chain = this.#hash.digest().subarray(0, CHAIN_BYTES);
    this.#connection.run(
      "UPDATE logs SET commits = ?, chain = ?, reserved = coalesce(?, reserved) WHERE num = ?",
      this.#commits + 1,
      chain,
      reserve ?? null,
      this.#at.log,
    );
    return chain;
  }

  #seal(scope: SealScope, value: unknown): Sealed {
    const sealed = this.#at.seal.seal(scope, packValue(value));
    this.#hash?.update(sealed.bytes);
    return sealed;
  }

  #addEvent(event: Envelope, turn: number): void {
    const { id } = event;
    const { keyId, bytes } = this.#seal(eventScope(this.logId, event), event.payload);
    if (keyId !== this.#spanKey) this.#addSpan(id, keyId);
    this.#connection.run(
      `INSERT INTO events
         (log, id, run, session_id, turn, kind, ts, originator, parent_call, content, key_id, meta)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      this.#at.log,
      event.id,
      this.#at.run,
      event.session === this.#held.session ? null : event.session,
      turn,
      event.kind,
      event.ts,
      event.originator ?? null,
      event.parentCall ?? null,
      bytes,
      keyId,
      metaOf(event),
    );
    if (event.kind === "CostIncremented" && id > this.#held.inherited) this.#addCost(event);
  }

  #addSpan(id: EventSeq, keyId: string): void {
    addKeySpan(this.#connection, { log: this.#at.log, id, keyId });
    this.#spanKey = keyId;
  }

  #addCost({ id, ts, payload }: EnvelopeOf<"CostIncremented">): void {
    this.#connection.run(
      "INSERT INTO costs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      this.#at.log,
      id,
      ts,
      payload.provider,
      payload.model,
      payload.inputTokens,
      payload.outputTokens,
      payload.cacheReadTokens ?? 0,
      payload.cacheWriteTokens ?? 0,
      payload.usd,
      payload.turn ?? null,
    );
  }

  #addMessage({ after, turn, message, boundary }: StoredMessage): void {
    this.#message = (this.#message ?? this.#lastMessage()) + 1;
    const scope = messageScope(this.logId, this.#message, {
      role: message.role,
      boundary: boundary === true,
      after,
      turn,
    });
    const { keyId, bytes } = this.#seal(scope, message.content);
    this.#connection.run(
      "INSERT INTO messages (log, seq, after, turn, role, boundary, content, key_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      this.#at.log,
      this.#message,
      after,
      turn,
      message.role,
      boundary === true ? 1 : 0,
      bytes,
      keyId,
    );
  }

  #lastMessage(): number {
    const row = this.#connection.first("SELECT max(seq) AS seq FROM messages WHERE log = ?", this.#at.log);
    return Number(row?.["seq"] ?? 0);
  }

  /**
   * Writes an intent, with the outcome if it is known by now. A read-only call that is retried after a crash replaces
   * what was written of it (SES-03).
   */
  #addIntent(intent: Intent, outcome: CallOutcome | undefined): void {
    const { callId, tool, argsHash, summary } = intent;
    // The hash of a short text can be guessed, so it is no metadata.
    const { keyId, bytes } = this.#seal(intentScope(this.logId, intent), [argsHash, summary]);
    const { changes } = this.#connection.run(
      `INSERT INTO tool_call_intents (log, call_id, tool_name, args_hash, is_mutating, started_at, summary, key_id,
         outcome, completed_at, result_ref)
       VALUES (?, ?, ?, '', ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (log, call_id) DO UPDATE SET started_at = excluded.started_at, outcome = excluded.outcome,
         completed_at = excluded.completed_at, result_ref = excluded.result_ref
       WHERE outcome IS NULL OR (is_mutating = 0 AND excluded.is_mutating = 0)`,
      this.#at.log,
      callId,
      tool,
      intent.mutating ? 1 : 0,
      intent.startedAt,
      bytes,
      keyId,
      outcome?.outcome ?? null,
      outcome?.completedAt ?? null,
      outcome?.resultRef ?? null,
    );
    assert(changes === 1, `the call ${callId} has no outcome yet when it starts`);
    if (outcome !== undefined) this.#hash?.update(callId);
  }

  #addOutcome({ callId, outcome, completedAt, resultRef }: CallOutcome): void {
    const { changes } = this.#connection.run(
      `UPDATE tool_call_intents SET outcome = ?, completed_at = ?, result_ref = ?
       WHERE log = ? AND call_id = ? AND outcome IS NULL`,
      outcome,
      completedAt,
      resultRef ?? null,
      this.#at.log,
      callId,
    );
    this.#hash?.update(callId);
    assert(changes === 1, `the call ${callId} has an intent and no outcome when it ends`);
  }

  /** Adds what the events change to the numbers of the log. */
  #keepNumbers(events: readonly Envelope[]): void {
    const more = numbersAfter(NO_NUMBERS, events, this.#held.inherited);
    if (more === NO_NUMBERS) return;
    this.#connection.run(
      `UPDATE logs SET usd = usd + ?, unpriced_calls = unpriced_calls + ?, input_tokens = input_tokens + ?,
         output_tokens = output_tokens + ?, cache_read_tokens = cache_read_tokens + ?,
         cache_write_tokens = cache_write_tokens + ?, turns_ended = turns_ended + ?,
         context_tokens = coalesce(?, context_tokens), plan_mode = coalesce(?, plan_mode) WHERE num = ?`,
      more.usd,
      more.unpricedCalls,
      more.inputTokens,
      more.outputTokens,
      more.cacheReadTokens,
      more.cacheWriteTokens,
      more.turnsEnded,
      more.contextTokens ?? null,
      more.planMode === undefined ? null : Number(more.planMode),
      this.#at.log,
    );
  }

  #keepFacts(events: readonly Envelope[]): void {
    this.#keepNumbers(events);
    const changed = modelChangeIn(events);
    if (changed !== undefined)
      this.#connection.run(
        "UPDATE logs SET model = ?, effort = coalesce(?, effort) WHERE num = ?",
        changed.model,
        changed.effort ?? null,
        this.#at.log,
      );
    const facts = logFactsOf(events);
    if (facts === undefined) return;
    const { updatedAt, turn, title, isTurnOpen } = facts;
    this.#connection.run(
      "UPDATE logs SET updated_at = ?, turns = coalesce(?, turns), turn_open = ? WHERE num = ?",
      updatedAt,
      turn ?? null,
      isTurnOpen ? 1 : 0,
      this.#at.log,
    );
    if (title === undefined || this.#titled) return;
    const { keyId, bytes } = this.#seal(titleScope(this.logId), title);
    this.#connection.run(
      "UPDATE logs SET title = ?, key_id = ? WHERE num = ? AND title IS NULL",
      bytes,
      keyId,
      this.#at.log,
    );
    this.#titled = true;
  }
}
