import { defined } from "../../base/defined.ts";
import { Cancelled, HarnessError, messageOf } from "../../base/errors.ts";
import type { ClientId, EventSeq, LogId, SessionId } from "../../base/ids.ts";
import type { LogLevel } from "../../base/log.ts";
import type { BusReader } from "../../engine/bus/bus.ts";
import { CancelNode } from "../../engine/cancel.ts";
import type { Accepted, Command, CommandKind, CommandOf } from "../../protocol/commands/commands.ts";
import type { AttachedFile, AttachmentInfo } from "../../protocol/content.ts";
import { CLIENTS_LISTED_MAX } from "../../protocol/events/acting-client.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { Event, SessionEndReason } from "../../protocol/events/events.ts";
import type { FollowingClient } from "../../protocol/resources.ts";
import type { Level } from "../../tools/tool-facts.ts";
import type { AttachedClient } from "../access/client.ts";
import type { QueryHandlers } from "../commands/query-handlers.ts";
import type { NamespaceOwner } from "../commands/stored-session-commands.ts";
import type { IdleTurn } from "../moments.ts";
import type { Follower } from "../questions/followers.ts";
import { Followers, untilEnded } from "../questions/followers.ts";
import type { Durability } from "../store/store.ts";
import { CommandTable } from "./command-table.ts";
import { IdleHistory } from "./idle-history.ts";
import { IdleWatch } from "./idle-watch.ts";
import { storeAttachment } from "./inputs/input-content.ts";
import { Recovery } from "./recovery.ts";
import type { SessionDependencies } from "./session-dependencies.ts";
import { turnContext } from "./session-dependencies.ts";
import { ShellRuns } from "./shell/shell-runs.ts";
import { TurnScheduler } from "./turn-scheduler.ts";

/** Time without subscribers after which a session ends that may never be used: they may come back. */
export const PROVISIONAL_MS = 60_000;
/** Commands of clients that come and leave. Any other one changes something that is worth finding again. */
const COMING_AND_LEAVING: ReadonlySet<CommandKind> = new Set([
  "AttachSession",
  "DetachSession",
  "EndSession",
] as const);

/**
 * One live session with its clients: takes commands in the order they arrive, one turn at a time ([A] hard rule 9).
 *
 * Work does not depend on attached clients: detaching stops nothing.
 */
export class Session {
  readonly #parts: SessionDependencies;
  readonly #root = new CancelNode();
  readonly #turns: TurnScheduler;
  readonly #shell: ShellRuns;
  readonly #commands: CommandTable;
  readonly #recovery: Recovery;
  readonly #history: IdleHistory;
  readonly #idle: IdleWatch;
  readonly #followers = new Followers(() => {
    this.#idle.touch();
    this.#onChanged();
  });
  /** Accepted work beside turns and commands of people, which the end waits for. */
  readonly #unfinished = new Set<Promise<unknown>>();
  /** True if a client that is no person has sent a command. */
  #isUsedByAgent = false;
  /** True if a client has stored a file, which no event shows. */
  #hasFile = false;
  /** True if a client has changed something: a setting counts too. */
  #isChanged: boolean;
  #pinned: boolean;
  /** The last client, once it has said that it leaves for good. */
  #leftBy: ClientId | undefined;
  /** True once another run follows it, maybe on the same log. */
  #isHandedOver = false;
  #ending: Promise<void> | undefined;
  #endReason: SessionEndReason | undefined;
  #onEnded: () => void = () => undefined;
  #onChanged: () => void = () => undefined;

  constructor(parts: SessionDependencies) {
    this.#parts = parts;
    const ending = (cause?: unknown) => this.#refusal(cause);
    // The log is released: it can be opened again once its disk works.
    const onBroken = () => this.#endUnasked("error");
    const busy = () => this.#turns.slot.taken || !this.#recovery.done || this.#ending !== undefined;
    this.#history = new IdleHistory({ caches: parts.caches, conversation: parts.engine.conversation, busy });
    const onFree = () => {
      this.#history.markUnused();
      this.#idle.touch();
    };
    const ready = () => this.#history.ready();
    const onSlot = () => this.#onChanged();
    const signal = this.#root.signal;
    this.#turns = new TurnScheduler({ parts, signal, ending, ready, onBroken, onFree, onSlot });
    this.#shell = new ShellRuns({
      ...{ parts, signal, ending, onBroken },
      turn: () => this.#turns.count,
      settled: (client) => this.#recovery.settled(client),
      onFree: () => this.#idle.touch(),
    });
    this.#recovery = new Recovery({
      parts,
      slot: this.#turns.slot,
      signal,
      ending,
      end: () => this.end("user"),
    });
    this.#commands = new CommandTable({
      ...{ session: this, parts, signal, turns: this.#turns, shell: this.#shell, recovery: this.#recovery },
      beforeEnd: (work) => this.#beforeEnd(work),
      left: (client) => {
        if (!this.#isLeftBy(client)) return;
        this.#leftBy = client.id;
        this.#endUnasked("user");
      },
    });
    this.#pinned = parts.pinned ?? false;
    this.#isChanged = parts.followsAnother ?? false;
    this.#idle = new IdleWatch({
      clock: parts.world.clock,
      timeoutMs: () => this.#idleTimeoutMs,
      busy,
      isKeptAlive: () =>
        this.#pinned || this.#followers.count > 0 || this.#shell.isBusy || (parts.tasksRunning?.() ?? 0) > 0,
      release: () => this.#history.release(),
      end: () => this.#endUnasked("idle"),
    });
    this.#history.markUnused();
    this.#idle.touch();
  }

  get id(): SessionId {
    return this.#parts.session;
  }

  get logId(): LogId {
    return this.#parts.logId;
  }

  /** Reads the conversation from the log again before its next turn: content of it has expired (SES-06). */
  contentExpired(): void {
    this.#history.expired();
    this.#onChanged();
  }

  /**
   * Yields everything after an event. Without an event: everything from now on, and open questions, so that a client
   * sees a question that was asked before it came (PERM-06).
   *
   * @param who the subscribing client, with the name that it gives itself.
   */
  subscribe(
    since: EventSeq | undefined,
    signal: AbortSignal,
    who: BusReader & Follower = {},
  ): AsyncIterable<Envelope> {
    const events = this.#parts.bus.subscribe(since ?? this.askedSince, signal, who);
    this.#parts.onFollowed?.();
    return untilEnded(this.id, events, this.#followers.add(who, signal));
  }

  /** Names of the subscribed clients, in the order in which they came. */
  get attachedBy(): readonly string[] {
    return this.#followers.labels;
  }

  /** The subscribed clients, each once, in the order in which they came; the first of too many. */
  get clients(): readonly FollowingClient[] {
    const { clients } = this.#parts.bus;
    return this.#followers.clients.slice(0, CLIENTS_LISTED_MAX).map(({ id, label, identityClass }) => ({
      ...{ id, label: clients.shown(label) },
      identity_class: identityClass,
    }));
  }

  /** An event before all open questions; undefined if there are none. */
  get askedSince(): EventSeq | undefined {
    return this.#parts.questions.openSince;
  }

  /** "waiting" for an answer; "running" a turn; else "idle". */
  get state(): "running" | "waiting" | "idle" {
    if (this.questionsOpen > 0) return "waiting";
    return this.#turns.slot.taken ? "running" : "idle";
  }

  /** Number of questions without an answer. */
  get questionsOpen(): number {
    return this.#parts.questions.open;
  }

  /** Number of inputs that wait for their turn. */
  get inputsWaiting(): number {
    return this.#turns.waiting;
  }

  /** An event before all inputs that wait for their turn; undefined if there are none. */
  get queuedSince(): EventSeq | undefined {
    return this.#turns.waitingSince;
  }

  /** The permission level that holds now; undefined if nothing is gated. */
  get level(): Level | undefined {
    return this.#parts.level?.();
  }

  /** The newest event that subscribers have. */
  get lastShown(): EventSeq {
    return this.#parts.bus.lastShown;
  }

  /** Number of people who are subscribed. */
  get people(): number {
    return this.#parts.bus.people;
  }

  /** Sends an event to the people who are subscribed, beside the log, and returns their number. */
  tellPeople(event: Event): number {
    return this.#parts.bus.notifyPeople(event);
  }

  /** True if a turn runs, a command of a person, or a task in the background. */
  get busy(): boolean {
    return this.#turns.slot.taken || this.#shell.isBusy || this.tasks > 0;
  }

  /** Client that started the running turn; undefined if none runs. */
  get turnOf(): ClientId | undefined {
    return this.#turns.slot.originator;
  }

  /** Number of tasks in the background. */
  get tasks(): number {
    return this.#parts.tasksRunning?.() ?? 0;
  }

  /** Resolves once it has ended; undefined unless it is being ended. */
  get ending(): Promise<void> | undefined {
    return this.#ending;
  }

  /** A pinned session does not end by itself (SES-11). */
  pin(pinned: boolean): void {
    this.#pinned = pinned;
    this.#idle.touch();
  }

  /** Restarts the idle time, for activity that is no turn and no command. */
  touch(): void {
    this.#idle.touch();
  }

  /**
   * Carries out one command and resolves once it is accepted.
   * @throws HarnessError if it is refused.
   */
  async send(command: Command, client: AttachedClient): Promise<Accepted> {
    try {
      return await this.#carryOut(command, client);
    } finally {
      // No turn need run when a log fails: a session that can do nothing would hold it.
      if (this.#parts.bus.failure !== undefined) this.#endUnasked("error");
    }
  }

  async #carryOut(command: Command, client: AttachedClient): Promise<Accepted> {
    this.#assertGoesOn();
    this.#idle.touch();
    if (client.identityClass === "agent") this.#isUsedByAgent = true;
    if (!COMING_AND_LEAVING.has(command.kind)) this.#isChanged = true;
    this.#parts.bus.clients.add(client);
    return await this.#commands.carryOut(command, client);
  }

  /** Returns true if a person was the last one to use the session, and none of its work continues without them. */
  #isLeftBy({ id, identityClass }: AttachedClient): boolean {
    if (identityClass !== "human" || this.#isUsedByAgent || this.#pinned) return false;
    return (
      !this.#followers.hasOthersThan(id) && !this.#turns.isBusy && !this.#shell.isBusy && this.tasks === 0
    );
  }

  /** Milliseconds after which it ends without subscribers and work; 0: never. */
  get #idleTimeoutMs(): number {
    const { idleTimeoutMs = 0 } = this.#parts;
    if (!this.#isProvisional || this.#isChanged || this.#turns.count > 0) return idleTimeoutMs;
    return Math.min(PROVISIONAL_MS, idleTimeoutMs || PROVISIONAL_MS);
  }

  /** True if it may be removed with its end: nothing is in it that its log does not show. */
  get #isProvisional(): boolean {
    return this.#parts.provisional === true && !this.#isUsedByAgent && !this.#hasFile;
  }

  /**
   * Returns true if no client looks for it again. One that was only lost, with its connection or its engine, comes back
   * to what it has changed: its mode, its model.
   */
  #isLeft(reason: SessionEndReason): boolean {
    if (!this.#isProvisional || this.#isHandedOver || (this.#isChanged && reason !== "user")) return false;
    return this.#leftBy === undefined
      ? this.#followers.count === 0
      : !this.#followers.hasOthersThan(this.#leftBy);
  }

  /** Handlers of the queries that are about this session only. */
  get queries(): QueryHandlers {
    return this.#parts.queries ?? {};
  }

  /** Returns the plugin that owns a namespace of custom commands in this session. */
  ownerOf(namespace: string): NamespaceOwner | undefined {
    return this.#parts.ownerOf?.(namespace);
  }

  /**
   * Hands over to another run: does `work` while no turn can start, emits the event that it returns, and starts to end.
   * If anything fails before that, the session continues. @throws HarnessError TurnInProgress while a turn runs.
   */
  async handOver(
    command: CommandOf<"SwitchProfile">,
    client: AttachedClient,
    work: (turn: IdleTurn) => Promise<Event>,
  ): Promise<void> {
    this.#assertGoesOn();
    this.#idle.touch();
    this.#parts.bus.clients.add(client);
    await this.#recovery.settled(client);
    await this.#turns.runExclusive(command, client, async (turn) => {
      const result = await work({ ...turnContext(turn), history: turn.history });
      turn.cancel.signal.throwIfAborted();
      turn.publish(result);
      await this.#parts.bus.commit("power");
      this.#isHandedOver = true;
      this.#endUnasked("user"); // it waits for the end of this
      return {};
    });
  }

  /** Resolves once every event so far would survive the death of the process, or a loss of power too. */
  async durable(durability: Durability = "power"): Promise<void> {
    if (this.#ending !== undefined) return await this.#ending; // its end is in the log, and nothing follows it
    await this.#parts.bus.commit(durability);
  }

  /** Shows every client the title that a person gave. In a session that is being ended, the next run shows it. */
  async renamed(title: string, client?: AttachedClient): Promise<void> {
    if (this.#ending !== undefined) return;
    if (client !== undefined) this.#parts.bus.clients.add(client);
    const by = client?.id;
    this.#parts.bus.publish({ kind: "SessionRenamed", payload: { title, ...defined({ by }) } });
    await this.#beforeEnd(this.durable());
  }

  /** Stores a file for inputs. @throws HarnessError if it is refused. */
  async attach(file: AttachedFile): Promise<AttachmentInfo> {
    this.#assertGoesOn();
    this.#hasFile = true;
    this.#idle.touch();
    return await this.#beforeEnd(storeAttachment(file, this.#parts.attachments));
  }

  /** Has the session wait at its end for something that it has accepted. */
  async #beforeEnd<Result>(work: Promise<Result>): Promise<Result> {
    this.#unfinished.add(work);
    return await work.finally(() => this.#unfinished.delete(work));
  }

  /** Resolves when no turn runs. */
  idle(): Promise<void> {
    return this.#turns.slot.idle();
  }

  /** Cancels running work, emits that, and frees everything. Safe to call again. */
  end(reason: SessionEndReason): Promise<void> {
    if (this.#ending === undefined) {
      this.#endReason = reason;
      this.#ending = this.#end(reason);
    }
    return this.#ending;
  }

  #assertGoesOn(): void {
    const refusal = this.#refusal();
    if (refusal !== undefined) throw refusal;
  }

  /** Returns the refusal of what comes while it is being ended: by itself, or with its engine. */
  #refusal(cause?: unknown): HarnessError | undefined {
    if (this.#endReason === undefined) return undefined;
    const options = cause === undefined ? {} : { cause };
    return this.#endReason === "binary-shutdown"
      ? new HarnessError("EngineStopping", {}, options)
      : new HarnessError("SessionEnding", { id: this.id }, options);
  }

  /** Calls `run` once, when the session has ended and everything of it is in the log and freed. */
  onEnded(run: () => void): void {
    this.#onEnded = run;
  }

  /**
   * Calls `run` each time that what lists say of the session may have changed: its log, the turn that runs, its
   * subscribers. It takes no time, and runs beside a turn.
   */
  onChanged(run: () => void): void {
    this.#onChanged = run;
    this.#parts.bus.onWritten(run);
  }

  #log(level: LogLevel, message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.#parts.world.log.for("multiplex").write(level, message, { session: this.id, ...fields });
  }

  /** Ends it without anybody waiting. */
  #endUnasked(reason: SessionEndReason): void {
    this.end(reason).catch((thrown: unknown) => {
      this.#log("error", "a session did not end well", { reason, what: messageOf(thrown) });
    });
  }

  async #end(reason: SessionEndReason): Promise<void> {
    const isLeft = this.#isLeft(reason);
    this.#idle[Symbol.dispose]();
    this.#history[Symbol.dispose]();
    this.#root.cancel(new Cancelled("engine", "the session was ended"));
    // A file that is being stored would come back to a log that is deleted after its end.
    await Promise.all([this.idle(), this.#shell.idle(), Promise.allSettled([...this.#unfinished])]);
    const { bus } = this.#parts;
    try {
      await this.#parts.settle();
      if (bus.failure === undefined) {
        bus.publish({ kind: "SessionEnded", payload: { reason } });
        await bus.close();
      }
    } finally {
      try {
        // A log that could not be written may lack what was done.
        await this.#parts.close(isLeft && bus.failure === undefined);
      } finally {
        this.#log("info", "session ended", { reason, turns: this.#turns.count });
        this.#onEnded();
      }
    }
  }
}
