import { HarnessError, hasReason, messageOf } from "../../base/errors.ts";
import { toHarnessError } from "../../base/files/storage-problem.ts";
import type { ClientId, EventSeq, InputId } from "../../base/ids.ts";
import type { LogLevel } from "../../base/log.ts";
import { runTurn } from "../../engine/loop/loop.ts";
import type { TurnEnded } from "../../engine/loop/turn.ts";
import { Turn } from "../../engine/loop/turn.ts";
import type { Accepted, Command, CommandOf } from "../../protocol/commands/commands.ts";
import type { InputBlock } from "../../protocol/content.ts";
import type { AttachedClient } from "../access/client.ts";
import type { InputWants, QueuedInput, Resolved, ResolvedInput } from "../moments.ts";
import { InputQueue, wantsOf } from "./inputs/input-queue.ts";
import type { SessionDependencies } from "./session-dependencies.ts";
import { turnContext } from "./session-dependencies.ts";
import type { Slot } from "./turn-slot.ts";
import { TurnSlot } from "./turn-slot.ts";

export interface TurnSchedulerOptions {
  readonly parts: SessionDependencies;
  /** Aborts when the session ends. */
  readonly signal: AbortSignal;
  /** Returns the refusal of a command while the session is being ended; undefined before that. */
  ending(cause?: unknown): HarnessError | undefined;
  /** Resolves once the conversation is in memory. */
  ready(): Promise<void>;
  /** Called when the log cannot be written any more: nothing can run here again. */
  onBroken(): void;
  /** Called when nothing runs any more, and nothing starts by itself. */
  onFree(): void;
  /** Called each time that the slot is taken or freed. */
  onSlot(): void;
}

/** A turn that has the slot. With an `input` it starts with one that has waited; without one it has started. */
interface ClaimedTurn {
  readonly turn: Turn;
  readonly slot: Slot;
  readonly input?: QueuedInput;
}

interface BeginningInput extends InputWants {
  readonly content: readonly InputBlock[];
  readonly inputId?: InputId;
  /** True if a person caused it; held inputs are released after it. */
  readonly releases?: boolean;
}

/** An input was withdrawn, edited or overtaken while it was examined: what is first now has its turn. */
class NoLongerNext extends Error {
  override readonly name = "NoLongerNext";
}

/**
 * The turns of one session, one at a time: an input starts one at once, waits for its turn, or enters the one that runs
 * (ENG-26, [A] hard rule 9).
 */
export class TurnScheduler {
  readonly slot: TurnSlot;
  readonly #options: TurnSchedulerOptions;
  readonly #queue: InputQueue;
  #count: number;
  #cancels = 0;

  constructor(options: TurnSchedulerOptions) {
    const { bus, world, waiting = [], lastTurn } = options.parts;
    this.#options = options;
    this.#count = lastTurn;
    this.slot = new TurnSlot(world.clock, () => options.onSlot());
    this.#queue = new InputQueue({ bus, ids: world.ids, before: waiting });
  }

  /** True while a turn runs, or an input waits for one. */
  get isBusy(): boolean {
    return this.slot.taken || !this.#queue.isEmpty;
  }

  /** Number of inputs that wait for their turn. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** An event before all that accepted a waiting input; undefined if none waits. */
  get waitingSince(): EventSeq | undefined {
    return this.#queue.since;
  }

  /** The number of the newest turn. */
  get count(): number {
    return this.#count;
  }

  /** Number of cancels by clients. */
  get cancels(): number {
    return this.#cancels;
  }

  /**
   * Refuses an input that `send` would refuse now, before its files are read.
   * @param cancels the number of cancels when the input arrived: a later one stops it.
   * @throws HarnessError TurnInProgress, InputQueueFull, SessionEnding, InvalidCommand after a cancel.
   */
  assertTakes({ delivery = "reject" }: Pick<CommandOf<"SendInput">, "delivery">, cancels: number): void {
    this.#assertNotCancelled("SendInput", cancels);
    if (delivery === "reject" || !this.slot.taken) this.slot.assertFree();
    else this.#queue.assertRoom();
  }

  /**
   * Starts a turn with an input, or has it wait for the one that runs (ENG-26).
   * @param cancels as for `assertTakes`.
   */
  async send(command: ResolvedInput, client: AttachedClient, cancels: number): Promise<Accepted> {
    const { delivery = "reject" } = command;
    this.assertTakes(command, cancels);
    if (delivery !== "reject" && this.slot.taken)
      return { inputId: await this.#queue.add(command, delivery, client) };
    // The slot is taken before the first await: two inputs at once cannot both find it free.
    const next = this.#claimTurn(client.id);
    try {
      const isHuman = client.identityClass === "human";
      await this.#begin(next, { content: command.content, releases: isHuman, ...wantsOf(command) });
    } catch (thrown) {
      next.slot.free();
      this.#goOn();
      throw thrown;
    }
    // The request leaves meanwhile. If the log cannot be written, so can nothing of the turn, and the session ends.
    const durable = this.#options.parts.bus.durable();
    this.#drive(next);
    await durable;
    return {};
  }

  /** Withdraws an input. @throws HarnessError if it does not wait, or this client may not withdraw it. */
  async withdraw(command: CommandOf<"WithdrawInput">, client: AttachedClient): Promise<void> {
    await this.#queue.withdraw(command, client);
  }

  /**
   * Refuses an edit that `edit` would refuse now, before its files are read.
   * @param cancels as for `assertTakes`.
   * @throws HarnessError as `withdraw` does; InputQueueFull, SessionEnding, InvalidCommand after a cancel.
   */
  assertEdits(command: CommandOf<"EditInput">, client: AttachedClient, cancels: number): void {
    this.#assertNotCancelled(command.kind, cancels);
    this.#queue.assertEdits(command, client);
  }

  /** Replaces the content of a waiting input. @throws HarnessError as `assertEdits` does. */
  async edit(
    command: Resolved<CommandOf<"EditInput">>,
    client: AttachedClient,
    cancels: number,
  ): Promise<void> {
    this.#assertNotCancelled(command.kind, cancels);
    await this.#queue.edit(command, client);
  }

  /** Moves a waiting input. @throws HarnessError as `withdraw` does. */
  async move(command: CommandOf<"MoveInput">, client: AttachedClient): Promise<void> {
    await this.#queue.move(command, client);
  }

  /**
   * Cancels the running turn, and holds waiting inputs: a client that stops something sees no more of it start
   * by itself.
   */
  cancel(cause: Error): void {
    this.#cancels += 1;
    this.#queue.hold();
    this.slot.cancel(cause);
  }

  #claimTurn(originator: ClientId): ClaimedTurn {
    this.#count += 1;
    const { parts, signal } = this.#options;
    const turn = new Turn(parts.engine, this.#count, originator, signal);
    turn.limit();
    return { turn, slot: this.slot.claim(turn) };
  }

  /** Examines an input and starts its turn. A refused input does not use up its turn number. */
  async #begin({ turn }: ClaimedTurn, input: BeginningInput): Promise<void> {
    let added: readonly InputBlock[];
    try {
      await this.#options.ready();
      added = (await this.#options.parts.onInput?.(input.content, turnContext(turn), wantsOf(input))) ?? [];
      turn.cancel.signal.throwIfAborted();
      if (input.inputId !== undefined && !this.#queue.isNext(input.inputId, input.content))
        throw new NoLongerNext();
    } catch (thrown) {
      this.#count = turn.number - 1;
      if (!turn.cancel.signal.aborted) throw thrown;
      this.#assertGoesOn(thrown);
      if (hasReason(turn.cancel.cause, "TimeLimitReached")) throw turn.cancel.cause;
      const why = "it was cancelled before it was accepted";
      throw new HarnessError("InvalidCommand", { kind: "SendInput", why }, { cause: thrown });
    }
    if (input.inputId !== undefined) this.#queue.take(input.inputId);
    if (input.releases === true) this.#queue.release();
    this.#queue.publishWaiting();
    turn.begin(input.content, added, input.inputId);
  }

  /**
   * Runs a command that works on the session while no turn can start. It counts as a running turn: it can be cancelled,
   * and is refused then.
   */
  async runExclusive(
    { kind }: Command,
    client: AttachedClient,
    work: (turn: Turn) => Promise<Accepted>,
  ): Promise<Accepted> {
    this.#assertGoesOn();
    this.slot.assertFree();
    const { parts, signal } = this.#options;
    const turn = new Turn(parts.engine, Math.max(1, this.#count), client.id, signal);
    const slot = this.slot.claim(turn);
    try {
      await this.#options.ready();
      return await work(turn);
    } catch (thrown) {
      if (parts.bus.failure !== undefined) throw parts.bus.failure;
      if (!turn.cancel.signal.aborted) throw thrown;
      this.#assertGoesOn();
      throw new HarnessError("InvalidCommand", { kind, why: "it was cancelled" }, { cause: thrown });
    } finally {
      slot.free();
      this.#goOn();
    }
  }

  #assertNotCancelled(kind: "SendInput" | "EditInput", cancels: number): void {
    this.#assertGoesOn();
    if (cancels === this.#cancels) return;
    throw new HarnessError("InvalidCommand", { kind, why: "it was cancelled before it was accepted" });
  }

  #assertGoesOn(cause?: unknown): void {
    const refusal = this.#options.ending(cause);
    if (refusal !== undefined) throw refusal;
  }

  async #tellEnd(ended: TurnEnded, turn: Turn): Promise<void> {
    try {
      await this.#options.parts.onTurnEnd?.(ended.payload.reason, turnContext(turn));
    } catch (thrown) {
      this.#log("error", "what runs at the end of a turn failed", { what: messageOf(thrown) });
    }
  }

  /** Starts the next waiting input, if the session is free. */
  #goOn(): void {
    this.#queue.turnEnded();
    const next = this.#claimNext();
    if (next === undefined) this.#options.onFree();
    else this.#drive(next);
  }

  /** Runs a turn that has started, or one that an input waits for, and those that wait after it. */
  #drive(first: ClaimedTurn): void {
    this.#runInOrder(first).catch((thrown: unknown) => {
      this.#log("error", "a session cannot continue", { what: messageOf(thrown) });
      this.#options.onBroken();
    });
  }

  async #runInOrder(first: ClaimedTurn): Promise<void> {
    let next: ClaimedTurn | undefined = first;
    while (next !== undefined) {
      const isBegun: boolean = next.input === undefined || (await this.#beginWaiting(next, next.input));
      next = isBegun ? await this.#run(next) : this.#claimNext();
    }
    this.#options.onFree();
  }

  /** Takes the slot for the next input that starts by itself. */
  #claimNext(): ClaimedTurn | undefined {
    const isFree = !this.slot.taken && this.#options.ending() === undefined;
    const input = isFree ? this.#queue.next : undefined;
    return input === undefined ? undefined : { ...this.#claimTurn(input.originator), input };
  }

  /** Returns false if its turn does not start: it was refused or withdrawn, or is held since it was cancelled. */
  async #beginWaiting(claimed: ClaimedTurn, input: QueuedInput): Promise<boolean> {
    try {
      await this.#begin(claimed, input);
      return true;
    } catch (thrown) {
      const wasCancelled = claimed.turn.cancel.signal.aborted;
      claimed.slot.free();
      if (!wasCancelled) await this.#refuse(input, thrown);
      return false;
    }
  }

  /**
   * Handles an accepted input that does not start after all. A refused one is removed; inputs that may build on it are
   * held. A cancel has held it already.
   */
  async #refuse({ inputId }: QueuedInput, thrown: unknown): Promise<void> {
    const { bus } = this.#options.parts;
    if (bus.failure !== undefined) throw bus.failure;
    if (thrown instanceof NoLongerNext) return;
    const error = toHarnessError(thrown);
    const { reason, message, fields } = error;
    bus.publish({ kind: "Error", payload: { reason, message, details: { ...fields, inputId } } });
    if (reason === "PromptRefused") this.#queue.drop(inputId);
    this.#queue.hold();
    await bus.commit("power");
  }

  /**
   * Runs the turn to its end. The slot is free before anyone can react to TurnEnded (ENG-11), or taken already by the
   * next input, which is returned.
   */
  async #run({ turn, slot }: ClaimedTurn): Promise<ClaimedTurn | undefined> {
    const { bus, world, engine } = this.#options.parts;
    const startMs = world.clock.monotonic();
    let next: ClaimedTurn | undefined;
    this.#log("info", "turn started", { turn: turn.number, originator: turn.originator });
    try {
      const ended = await runTurn(turn, engine, (running) => this.#steer(running));
      const { error, ...facts } = ended.payload;
      const { reason } = facts;
      const ms = Math.round(world.clock.monotonic() - startMs);
      // Without the message of the error, which may quote content.
      const failure = error === undefined ? {} : { error: error.reason };
      this.#log("info", "turn ended", { ...facts, ...failure, ms });
      await this.#tellEnd(ended, turn);
      slot.free();
      this.#queue.turnEnded();
      const goesOn = reason === "complete" || reason === "yield" || reason === "cancelled";
      next = goesOn ? this.#claimNext() : undefined;
      bus.publish(this.#withFiles(ended), turn.origin);
      // A cancel held the inputs of its time; what a person sent after it follows.
      if (!goesOn) this.#queue.hold();
      await bus.commit("power");
      return next;
    } catch (thrown) {
      next?.slot.free();
      throw thrown;
    } finally {
      slot.free();
    }
  }

  #withFiles(ended: TurnEnded): TurnEnded {
    const files = this.#options.parts.turnFiles?.(ended.payload.turn);
    return files === undefined ? ended : { ...ended, payload: { ...ended.payload, files: [...files] } };
  }

  /** Delivers inputs that were sent for the running turn. */
  async #steer(turn: Turn): Promise<boolean> {
    let any = false;
    for (const { inputId } of this.#queue.steering) {
      const examined = await this.#examine(inputId, turn);
      if (turn.cancel.signal.aborted) return any;
      if (examined === undefined) continue;
      this.#queue.take(inputId);
      await turn.interject(examined.input, examined.added);
      any = true;
    }
    return any;
  }

  /**
   * Examines a waiting input for the running turn, and once more if it was edited meanwhile. Returns undefined for one
   * that is refused, withdrawn, or cancelled with the turn.
   */
  async #examine(inputId: InputId, turn: Turn) {
    const { signal } = turn.cancel;
    for (let input = this.#queue.find(inputId); input !== undefined && !signal.aborted; ) {
      const { content } = input;
      let added: readonly InputBlock[];
      try {
        added = (await this.#options.parts.onInput?.(content, turnContext(turn), wantsOf(input))) ?? [];
      } catch (thrown) {
        if (signal.aborted) throw thrown;
        await this.#refuse(input, thrown);
        return undefined;
      }
      input = this.#queue.find(inputId);
      if (input?.content === content) return { input, added };
    }
    return undefined;
  }

  #log(level: LogLevel, message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const { world, session } = this.#options.parts;
    world.log.for("multiplex").write(level, message, { session, ...fields });
  }
}
