import { Cancelled, HarnessError, messageOf } from "../../base/errors.ts";
import type { ClientId, EventSeq, LogId, SessionId } from "../../base/ids.ts";
import type { LogLevel } from "../../base/log.ts";
import type { BusReader } from "../../engine/bus/bus.ts";
import { CancelNode } from "../../engine/cancel.ts";
import { compactHistory } from "../../engine/loop/compact.ts";
import type { Accepted, Command, CommandOf } from "../../protocol/commands/commands.ts";
import type { AttachedFile, AttachmentInfo } from "../../protocol/content.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { Event, SessionEndReason } from "../../protocol/events/events.ts";
import type { Level } from "../../tools/tool-facts.ts";
import type { AttachedClient } from "../access/client.ts";
import type { QueryHandlers } from "../commands/query-handlers.ts";
import type { NamespaceOwner } from "../commands/stored-session-commands.ts";
import type { IdleTurn } from "../moments.ts";
import type { Follower } from "../questions/followers.ts";
import { Followers, untilEnded } from "../questions/followers.ts";
import { assertHuman } from "../questions/questions.ts";
import type { Durability } from "../store/store.ts";
import { changeSettings } from "./change-settings.ts";
import {
  assertWishesHandled,
  handleByFeature,
  notServed,
  resolvedInput,
  storeAttachment,
} from "./feature-commands.ts";
import { IdleHistory } from "./idle-history.ts";
import { IdleWatch } from "./idle-watch.ts";
import { Recovery } from "./recovery.ts";
import type { SessionDependencies } from "./session-dependencies.ts";
import { turnContext } from "./session-dependencies.ts";
import { ShellRuns } from "./shell/shell-runs.ts";
import { TurnScheduler } from "./turn-scheduler.ts";

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
  readonly #recovery: Recovery;
  readonly #history: IdleHistory;
  readonly #idle: IdleWatch;
  readonly #followers = new Followers(() => {
    this.#idle.touch();
    this.#onChanged();
  });
  /** True if a client that is no person has sent a command. */
  readonly #storing = new Set<Promise<unknown>>();
  #isUsedByAgent = false;
  #pinned: boolean;
  #ending: Promise<void> | undefined;
  #onEnded: () => void = () => undefined;
  #onChanged: () => void = () => undefined;

  constructor(parts: SessionDependencies) {
    this.#parts = parts;
    const ending = () => this.#ending !== undefined;
    // The log is released: it can be opened again once its disk works.
    const onBroken = () => this.#endUnasked("error");
    const busy = () => this.#turns.slot.taken || !this.#recovery.done || ending();
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
    this.#pinned = parts.pinned ?? false;
    this.#idle = new IdleWatch({
      clock: parts.world.clock,
      timeoutMs: parts.idleTimeoutMs ?? 0,
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
    if (this.#ending !== undefined) throw new HarnessError("EngineStopping", {});
    this.#idle.touch();
    if (client.identityClass === "agent") this.#isUsedByAgent = true;
    switch (command.kind) {
      case "SendInput":
        assertWishesHandled(command, this.#parts.takes ?? []);
        return await this.#sendInput(command, client);
      case "WithdrawInput":
        await this.#turns.withdraw(command, client);
        return {};
      case "CancelTurn":
        this.#turns.cancel(new Cancelled(client.id, "cancelled by the client"));
        return {};
      case "AnswerPermission": {
        const counted = this.#parts.questions.answerPermission(command, client);
        await this.#parts.bus.commit("power");
        return { result: { counted } };
      }
      case "Answer":
        this.#parts.questions.answer(command, client);
        await this.#parts.bus.commit("power");
        return {};
      case "EditInput":
        await this.#turns.edit(command, client);
        return {};
      case "MoveInput":
        await this.#turns.move(command, client);
        return {};
      case "SetModel":
      case "SetLevel":
      case "RevokeRule":
      case "PromoteRule":
        return await changeSettings(command, client, { parts: this.#parts, signal: this.#root.signal });
      case "CompactSession":
        await this.#recovery.settled(client);
        return await this.#turns.runExclusive(command, client, async (turn) => {
          return { result: { compacted: await compactHistory(turn, this.#parts.engine) } };
        });
      case "RewindSession":
        return await this.#rewind(command, client);
      case "RunShell":
      case "StopShell":
        return await this.#shell.carryOut(command, client);
      case "EndSession":
        await this.end("user");
        return {};
      case "AttachSession":
        await this.#recovery.settled(client, { attaches: true });
        return { sessionId: this.id };
      case "DetachSession":
        if (command.left === true && this.#isLeftBy(client)) this.#endUnasked("user");
        return { sessionId: this.id };
      default: {
        const result = handleByFeature(this.#parts.commands ?? {}, command, client);
        if (result === undefined) throw notServed(command);
        return await result;
      }
    }
  }

  async #rewind(command: CommandOf<"RewindSession">, client: AttachedClient): Promise<Accepted> {
    const { rewind } = this.#parts;
    if (rewind === undefined) throw notServed(command);
    // It overwrites a person's files, so only a person may.
    assertHuman(client, command.kind);
    await this.#recovery.settled(client);
    return await this.#turns.runExclusive(command, client, async (turn) => ({
      result: await rewind(command, { ...turnContext(turn), history: turn.history }),
    }));
  }

  /** Returns true if a person was the last one to use the session, and none of its work continues without them. */
  #isLeftBy({ id, identityClass }: AttachedClient): boolean {
    if (identityClass !== "human" || this.#isUsedByAgent || this.#pinned) return false;
    return (
      !this.#followers.hasOthersThan(id) && !this.#turns.isBusy && !this.#shell.isBusy && this.tasks === 0
    );
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
    if (this.#ending !== undefined) throw new HarnessError("EngineStopping", {});
    this.#idle.touch();
    await this.#recovery.settled(client);
    await this.#turns.runExclusive(command, client, async (turn) => {
      const result = await work({ ...turnContext(turn), history: turn.history });
      turn.cancel.signal.throwIfAborted();
      turn.publish(result);
      await this.#parts.bus.commit("power");
      this.#endUnasked("user"); // it waits for the end of this
      return {};
    });
  }

  /** Resolves once every event so far would survive the death of the process, or a loss of power too. */
  async durable(durability: Durability = "power"): Promise<void> {
    await this.#parts.bus.commit(durability);
  }

  /** Shows every client the title that a person gave. */
  async renamed(title: string, by: ClientId): Promise<void> {
    this.#parts.bus.publish({ kind: "SessionRenamed", payload: { title, by } });
    await this.durable();
  }

  /** A cancel that arrives while the input is examined, or its files are read, stops it. */
  async #sendInput(command: CommandOf<"SendInput">, client: AttachedClient): Promise<Accepted> {
    const { cancels } = this.#turns;
    await this.#recovery.settled(client);
    const input = await resolvedInput(command, this.#parts.attachments);
    if (this.#turns.cancels !== cancels) {
      const why = "it was cancelled before it was accepted";
      throw new HarnessError("InvalidCommand", { kind: command.kind, why });
    }
    return await this.#turns.send(input, client);
  }

  /** Stores a file for inputs. @throws HarnessError if it is refused. */
  async attach(file: AttachedFile): Promise<AttachmentInfo> {
    if (this.#ending !== undefined) throw new HarnessError("EngineStopping", {});
    this.#idle.touch();
    const storing = storeAttachment(file, this.#parts.attachments);
    this.#storing.add(storing);
    return await storing.finally(() => this.#storing.delete(storing));
  }

  /** Resolves when no turn runs. */
  idle(): Promise<void> {
    return this.#turns.slot.idle();
  }

  /** Cancels running work, emits that, and frees everything. Safe to call again. */
  end(reason: SessionEndReason): Promise<void> {
    this.#ending ??= this.#end(reason);
    return this.#ending;
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
    this.#idle[Symbol.dispose]();
    this.#history[Symbol.dispose]();
    this.#root.cancel(new Cancelled("engine", "the session was ended"));
    // A file that is being stored would come back to a log that is deleted after its end.
    await Promise.all([this.idle(), this.#shell.idle(), Promise.allSettled([...this.#storing])]);
    const { bus } = this.#parts;
    try {
      await this.#parts.settle();
      if (bus.failure === undefined) {
        bus.publish({ kind: "SessionEnded", payload: { reason } });
        await bus.close();
      }
    } finally {
      try {
        await this.#parts.close();
      } finally {
        this.#log("info", "session ended", { reason, turns: this.#turns.count });
        this.#onEnded();
      }
    }
  }
}
