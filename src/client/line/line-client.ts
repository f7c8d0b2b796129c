import { unreachable } from "../../base/assert.ts";
import { whileAlive } from "../../base/deadline.ts";
import { HarnessError, hasReason } from "../../base/errors.ts";
import type { SessionId } from "../../base/ids.ts";
import { BoundedQueue } from "../../base/queue.ts";
import type { Clock } from "../../base/world.ts";
import type { Accepted, Command } from "../../protocol/commands.ts";
import type { Connection } from "../../protocol/connection.ts";
import type { InputBlock } from "../../protocol/content.ts";
import type { Envelope } from "../../protocol/envelope.ts";
import type { TurnEndReason } from "../../protocol/events.ts";
import type { Cost } from "../kit/cost.ts";
import { addCost, NO_COST, PRICE_UNKNOWN, printPrice, settledCost, sumOfCosts } from "../kit/cost.ts";
import { CostBook } from "../kit/cost-book.ts";
import { follow } from "../kit/follow.ts";
import { merge } from "../kit/merge.ts";
import type { Typed } from "../kit/slash.ts";
import { parseTyped } from "../kit/slash.ts";
import { neutralise, neutraliseLine } from "../kit/terminal-text.ts";
import { endingText } from "../kit/turn-record.ts";
import { builtIn } from "./commands.ts";
import { Dialogue } from "./dialogue.ts";
import { EventPrinter, quote } from "./event-printer.ts";
import { MemoryWatch } from "./memory-watch.ts";
import { questionPrompt } from "./questions.ts";
import type { SeenTurn } from "./rewind.ts";
import { withTurn } from "./rewind.ts";
import { sharedTerminal } from "./shared-terminal.ts";
import type { CommandSurface } from "./slash-commands.ts";
import { runSlashCommand } from "./slash-commands.ts";
import type { LineInput, LineTerminal } from "./terminal.ts";

export const INTERRUPT_AGAIN_MS = 2_000;
export const INTERRUPT_BANNER = "Press Ctrl-C again within 2s to exit.";

/** Lines that wait for the engine to have taken those before them. */
const WORK_AHEAD_MAX = 1_000;
const COUNTDOWN_STEP_MS = 1_000;

export interface LineClientOptions {
  /** After its handshake. */
  readonly connection: Connection;
  readonly session: SessionId;
  readonly terminal: LineTerminal;
  /** The model in use at the start, as `provider:name`. */
  readonly model: string;
  /** Shows what the log already holds, for a session that goes on. */
  readonly history: boolean;
  /** Lines that were typed before it began. */
  readonly typed?: readonly string[];
  readonly clock: Pick<Clock, "monotonic" | "timer">;
  readonly signal: AbortSignal;
}

export interface LineOutcome {
  /** The person left, closed the input, pressed Ctrl-C twice, or the session ended. */
  readonly why: "quit" | "closed" | "interrupt" | "ended";
  /** How the last turn of this session ended, where there was one. */
  readonly lastTurn?: TurnEndReason;
}

/**
 * The line client: type a line, watch what happens, answer what is asked ([A] § Clients, PERM-03, TUI-03).
 *
 * A line that is sent while a turn runs waits in the engine for its turn, and one that is refused is kept here and offered
 * again: nothing typed is lost (ENG-26).
 * Ends when the person leaves, the input is closed and the last turn is over, or the signal aborts.
 */
export async function runLineClient(options: LineClientOptions): Promise<LineOutcome> {
  const leave = new AbortController();
  const terminal = sharedTerminal(options.terminal, AbortSignal.any([options.signal, leave.signal]));
  try {
    let on: LineClientOptions = { ...options, terminal };
    while (true) {
      const client = new LineClient(on);
      const outcome = await client.run();
      const { next } = client;
      if (next === undefined) return outcome;
      await terminal.write(
        `${next.session} goes on; /sessions:resume ${on.session} returns to the other one.\n`,
      );
      on = { ...on, ...next, history: true, typed: client.ahead };
    }
  } finally {
    leave.abort();
  }
}

type Happening =
  | { readonly kind: "event"; readonly envelope: Envelope }
  | { readonly kind: "ended" }
  | { readonly kind: "input"; readonly input: LineInput }
  | { readonly kind: "closed" }
  /** A piece of work that waited for the engine is done. */
  | { readonly kind: "worked" }
  | { readonly kind: "attached"; readonly refused: HarnessError | undefined };

type Work = () => Promise<unknown>;

/**
 * What waits for the engine is worked off in lanes, each in order, so that a slow command keeps neither events nor
 * Ctrl-C nor an answer waiting: lines for the model and commands in one, answers in another, cancelling in a third.
 */
class LineClient {
  readonly #options: LineClientOptions;
  readonly #lines = new BoundedQueue<Work>(WORK_AHEAD_MAX);
  readonly #answers = new BoundedQueue<Work>(WORK_AHEAD_MAX);
  readonly #urgent = new BoundedQueue<Work>(WORK_AHEAD_MAX);
  readonly #leave = new AbortController();
  readonly #signal: AbortSignal;
  /** Lines that were entered and are not dealt with yet. */
  #unworked = 0;
  /** Those of them that are for the model, or commands, and have not begun. */
  #ahead: readonly string[] = [];
  #countdown: Disposable | undefined;
  readonly #printer: EventPrinter;
  #model: string;
  readonly #dialogue: Dialogue;
  /** A turn of ours was accepted and has not started yet. */
  #pending = false;
  /** Turns of ours that were seen to start. */
  #ownTurns = 0;
  #turn: number | undefined;
  #lastTurn: TurnEndReason | undefined;
  #costBefore = NO_COST;
  #turnCost = NO_COST;
  readonly #costs = new CostBook();
  #priceUnknownTold = false;
  #rules: readonly string[] = [];
  #turns: readonly SeenTurn[] = [];
  readonly #memories = new MemoryWatch();
  #kept: readonly string[] = [];
  #unfinished = "";
  #inputClosed = false;
  #leaving = false;
  #interruptedAtMs = Number.NEGATIVE_INFINITY;
  #outcome: LineOutcome["why"] | undefined;
  #next: Pick<LineClientOptions, "session" | "model"> | undefined;

  constructor(options: LineClientOptions) {
    this.#options = options;
    this.#signal = AbortSignal.any([options.signal, this.#leave.signal]);
    this.#model = options.model;
    this.#printer = new EventPrinter({
      client: options.connection.clientId,
      answers: true,
      session: options.session,
    });
    this.#dialogue = new Dialogue({
      session: options.session,
      say: (text) => this.#say(text),
      send: (command) => this.#sendOrTell(command),
      keep: (text) => {
        this.#kept = [...this.#kept, text];
      },
      later: (work) => void this.#answers.push(work),
      nowMs: () => options.clock.monotonic(),
      interactive: options.terminal.interactive,
    });
  }

  /** Lines that were entered and not begun when it was left. */
  get ahead(): readonly string[] {
    return this.#ahead;
  }

  /** The session that the person has left this one for. */
  get next(): Pick<LineClientOptions, "session" | "model"> | undefined {
    return this.#next;
  }

  async run(): Promise<LineOutcome> {
    const lanes = [this.#lines, this.#answers, this.#urgent];
    const sources = [
      this.#events(),
      this.#input(),
      this.#attach(),
      ...lanes.map((lane) => this.#workOff(lane)),
    ];
    for (const text of this.#options.typed ?? []) await this.#line(text);
    this.#showPrompt();
    try {
      for await (const happening of merge(sources)) {
        if (this.#next !== undefined) break; // what has happened here is in the log, and what was typed is for there
        await this.#take(happening);
        this.#leaveWhenDone();
        if (this.#outcome !== undefined) break;
      }
    } finally {
      this.#countdown?.[Symbol.dispose]();
      this.#options.terminal.prompt(undefined);
      this.#leave.abort();
      for (const lane of lanes) lane.end();
    }
    this.#options.signal.throwIfAborted();
    const why = this.#outcome ?? "ended";
    return this.#lastTurn === undefined ? { why } : { why, lastTurn: this.#lastTurn };
  }

  async *#workOff(lane: BoundedQueue<Work>): AsyncGenerator<Happening> {
    for await (const work of lane) {
      await work();
      yield { kind: "worked" };
    }
  }

  async *#events(): AsyncGenerator<Happening> {
    const { connection, session, history } = this.#options;
    const signal = this.#signal;
    const subscription = history ? { signal, since: 0 } : { signal };
    for await (const envelope of follow(connection, session, subscription)) yield { kind: "event", envelope };
    yield { kind: "ended" };
  }

  async *#input(): AsyncGenerator<Happening> {
    for await (const input of this.#options.terminal.input(this.#signal)) yield { kind: "input", input };
    yield { kind: "closed" };
  }

  /** A session that goes on may have calls to ask about: they are asked now, while this client reads and answers. */
  async *#attach(): AsyncGenerator<Happening> {
    const { history, session: sessionId, terminal } = this.#options;
    if (!history || !terminal.interactive) return; // a line of a script is meant for the model
    yield { kind: "attached", refused: await this.#send({ kind: "AttachSession", sessionId }) };
  }

  async #take(happening: Happening): Promise<void> {
    switch (happening.kind) {
      case "event":
        return await this.#event(happening.envelope);
      case "ended":
        this.#outcome = "ended";
        return;
      case "closed":
        return await this.#closed();
      case "worked":
        return;
      case "attached":
        if (happening.refused !== undefined) await this.#say(neutralise(happening.refused.message));
        return;
      case "input":
        if (happening.input.kind === "interrupt") return await this.#interrupt(happening.input.atMs);
        return await this.#line(happening.input.text);
      default:
        return unreachable(happening);
    }
  }

  get #sessionCost(): Cost {
    return sumOfCosts(this.#costBefore, this.#turnCost);
  }

  get #busy(): boolean {
    const follows = this.#printer.waiting.some(({ held }) => !held);
    return this.#pending || this.#turn !== undefined || follows;
  }

  async #event(envelope: Envelope): Promise<void> {
    const text = this.#printer.print(envelope);
    if (text !== "") await this.#options.terminal.write(text);
    this.#countCost(envelope);
    this.#turns = withTurn(this.#turns, envelope);
    this.#memories.add(envelope);
    // Events of an earlier run of the same log are history: they are shown, and decide nothing here.
    if (envelope.session !== this.#options.session || envelope.parentCall !== undefined) {
      if (envelope.kind === "PermissionRequested" || envelope.kind === "Asked") await this.#ask(envelope);
      return;
    }
    if (envelope.kind === "TurnStarted") {
      this.#turn = envelope.payload.turn;
      if (envelope.payload.originator === this.#options.connection.clientId) {
        this.#pending = false;
        this.#ownTurns += 1;
      }
      // It was accepted after the person had left.
      if (this.#inputClosed && this.#options.terminal.interactive)
        await this.#work(this.#urgent, () => this.#cancel());
    }
    if (envelope.kind === "PermissionAnswered") this.#remember(envelope);
    await this.#ask(envelope);
    if (envelope.kind === "TurnEnded" && envelope.payload.turn === this.#turn)
      await this.#turnEnded(envelope.payload);
  }

  #countCost(envelope: Envelope): void {
    this.#costs.add(envelope);
    if (envelope.kind === "CostIncremented") this.#turnCost = addCost(this.#turnCost, envelope.payload);
    if (envelope.parentCall !== undefined) return;
    if (envelope.kind === "TurnEnded") this.#turnCost = settledCost(this.#turnCost, envelope.payload);
    if (envelope.kind !== "TurnStarted") return;
    this.#costBefore = this.#sessionCost;
    this.#turnCost = NO_COST;
  }

  #remember(envelope: Extract<Envelope, { kind: "PermissionAnswered" }>): void {
    const { decision, scope, rule, counted } = envelope.payload;
    const lasting = counted && decision === "allow" && (scope === "argv_glob" || scope === "tool");
    if (lasting && rule !== undefined && !this.#rules.includes(rule)) this.#rules = [...this.#rules, rule];
  }

  async #turnEnded({
    reason,
    rounds,
  }: {
    readonly reason: TurnEndReason;
    readonly rounds?: number | undefined;
  }): Promise<void> {
    this.#turn = undefined;
    this.#lastTurn = reason;
    const ending = endingText(reason);
    const facts = [rounds === undefined ? undefined : `rounds: ${rounds}`, this.#priceText()];
    const told = facts.filter((fact) => fact !== undefined).join(", ");
    const line = [ending, told].filter((part) => part !== undefined && part !== "").join("; ");
    if (line !== "") await this.#say(`-- ${line}`);
    if (!this.#leaving) await this.#offerKept();
    this.#showPrompt();
  }

  /** Of this turn and of the session. That nothing at all is known is told once: it will not be another time. */
  #priceText(): string | undefined {
    const [turn, session] = [this.#turnCost, this.#sessionCost].map(printPrice);
    if (turn !== PRICE_UNKNOWN || session !== PRICE_UNKNOWN)
      return `${turn} this turn, ${session} this session`;
    if (this.#priceUnknownTold) return undefined;
    this.#priceUnknownTold = true;
    return PRICE_UNKNOWN;
  }

  #leaveWhenDone(): void {
    if (!this.#leaving || this.#busy || this.#unworked > 0) return;
    this.#outcome ??= this.#inputClosed ? "closed" : "quit";
  }

  async #ask(envelope: Envelope): Promise<void> {
    // A question of an earlier run has nobody left who waits for the answer.
    if (envelope.session !== this.#options.session) return;
    if (await this.#dialogue.follow(envelope)) this.#showPrompt();
  }

  async #line(text: string): Promise<void> {
    const whole = this.#joined(text);
    if (whole === undefined) {
      this.#showPrompt();
      return;
    }
    const typed = parseTyped(whole);
    const name = typed.kind === "command" ? builtIn(typed) : undefined;
    if (name === "cancel" || name === "quit") await this.#work(this.#urgent, () => this.#entered(whole));
    else if (this.#isAnswer(typed)) await this.#work(this.#answers, () => this.#answered(whole));
    else {
      this.#ahead = [...this.#ahead, whole];
      await this.#work(this.#lines, () => {
        this.#ahead = this.#ahead.slice(1);
        return this.#entered(whole);
      });
    }
  }

  #isAnswer(typed: Typed): boolean {
    return this.#dialogue.question !== undefined && typed.kind !== "command";
  }

  /** A question may be settled by the time its turn comes: the line was then meant for the model. */
  async #answered(text: string): Promise<void> {
    if (this.#dialogue.question !== undefined) return await this.#dialogue.answer(text);
    await this.#work(this.#lines, () => this.#entered(text));
  }

  async #work(lane: BoundedQueue<Work>, work: Work): Promise<void> {
    this.#unworked += 1;
    const taken = lane.push(async () => {
      try {
        await work();
      } finally {
        this.#unworked -= 1;
        this.#showPrompt();
      }
    });
    if (taken) return;
    this.#unworked -= 1;
    await this.#say(`Not taken: ${WORK_AHEAD_MAX} lines wait for the engine already.`);
  }

  /** The input with the lines that were continued into it; undefined while it goes on. */
  #joined(text: string): string | undefined {
    const goesOn = /(?:^|[^\\])(?:\\\\)*\\$/.test(text);
    if (goesOn) {
      this.#unfinished += `${text.slice(0, -1)}\n`;
      return undefined;
    }
    const whole = this.#unfinished + text;
    this.#unfinished = "";
    return whole;
  }

  async #entered(text: string): Promise<void> {
    const typed = parseTyped(text);
    if (typed.kind === "invalid") return await this.#say(neutraliseLine(typed.why));
    if (typed.kind === "command") return await runSlashCommand(typed, this.#surface());
    if (typed.text.trim() !== "") return await this.#sendInput(typed.text);
    if (this.#busy) return;
    const [kept, ...others] = this.#kept;
    if (kept === undefined) return await this.#sendHeld();
    this.#kept = others;
    await this.#sendInput(kept);
  }

  /** Sends the first input that is held as one of now; those after it follow. */
  async #sendHeld(): Promise<void> {
    const held = this.#printer.waiting.find((input) => input.held);
    if (held === undefined) return;
    const { session: sessionId } = this.#options;
    const { inputId, content } = held;
    if ((await this.#sendOrTell({ kind: "WithdrawInput", sessionId, inputId })) !== undefined) return;
    await this.#sendContent(content);
  }

  async #sendInput(text: string, delivery: "queue" | "steer" = "queue"): Promise<void> {
    await this.#sendContent([{ type: "text", text }], delivery);
  }

  /** Sends what is for the model. While a turn runs it waits in the engine; what is refused is kept here. */
  async #sendContent(content: readonly InputBlock[], delivery: "queue" | "steer" = "queue"): Promise<void> {
    const { session: sessionId } = this.#options;
    const turnsBefore = this.#ownTurns;
    const answer = await this.#answerTo({ kind: "SendInput", sessionId, content: [...content], delivery });
    if (!(answer instanceof HarnessError)) {
      // Its turn may have started, and even ended, before the answer came.
      this.#pending = answer.inputId === undefined && this.#ownTurns === turnsBefore;
      return;
    }
    const refused = answer;
    const text = content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    this.#kept = [...this.#kept, text];
    if (hasReason(refused, "TurnInProgress")) {
      const isOurs = refused.fields.originator === this.#options.connection.clientId;
      const why = isOurs ? "A turn is running; Ctrl-C cancels it." : neutralise(refused.message);
      await this.#say(`${why} Your text is kept and offered again when it has ended.`);
    } else await this.#say(neutralise(refused.message));
    if (!this.#busy && this.#options.terminal.interactive) await this.#offerKept();
  }

  async #offerKept(): Promise<void> {
    const [kept] = this.#kept;
    if (kept === undefined) return;
    await this.#say(`Kept; Enter sends it, /drop forgets it:\n${quote(neutralise(kept))}`);
    if (!this.#options.terminal.interactive) {
      // Nobody presses Enter on a pipe.
      this.#kept = this.#kept.slice(1);
      await this.#work(this.#lines, () => this.#sendInput(kept));
    }
  }

  /** What slash commands may see and do. */
  #surface(): CommandSurface {
    const client = this;
    return {
      session: client.#options.session,
      costs: client.#costs.costs,
      busy: client.#busy,
      memories: client.#memories.text,
      get model() {
        return client.#model;
      },
      set model(model) {
        client.#model = model;
      },
      get rules() {
        return client.#rules;
      },
      set rules(rules) {
        client.#rules = rules;
      },
      say: (text) => client.#say(text),
      get turns() {
        return client.#turns;
      },
      send: (command) => client.#sendOrTell(command),
      request: (command) => client.#request(command),
      answerTo: (command) => client.#answerTo(command),
      goTo(session, model) {
        client.#next = { session, model };
      },
      cancel: () => client.#cancel(),
      waiting: client.#printer.waiting,
      steer: (text) => client.#sendInput(text, "steer"),
      drop() {
        client.#kept = client.#kept.slice(1);
      },
      quit: () => client.#quit(),
    };
  }

  async #quit(): Promise<void> {
    if (!this.#busy || this.#leaving) {
      this.#outcome = "quit";
      return;
    }
    this.#leaving = true;
    await this.#say("Stopping the turn, then leaving.");
    await this.#cancel();
  }

  async #interrupt(atMs: number): Promise<void> {
    if (atMs - this.#interruptedAtMs <= INTERRUPT_AGAIN_MS) {
      this.#outcome = "interrupt";
      return;
    }
    this.#interruptedAtMs = atMs;
    await this.#say(INTERRUPT_BANNER);
    if (this.#busy || this.#unworked > 0) await this.#work(this.#urgent, () => this.#cancel());
    this.#showPrompt();
  }

  async #closed(): Promise<void> {
    this.#inputClosed = true;
    this.#dialogue.inputClosed = true;
    this.#leaving = true;
    this.#dialogue.refuseAll();
    // At a terminal, closing the input is leaving; a pipe has just said all it had to say.
    if (this.#options.terminal.interactive && this.#busy)
      await this.#work(this.#answers, () => this.#cancel());
  }

  async #cancel(): Promise<void> {
    await this.#sendOrTell({ kind: "CancelTurn", sessionId: this.#options.session });
  }

  async #sendOrTell(command: Command): Promise<HarnessError | undefined> {
    const refused = await this.#send(command);
    if (refused !== undefined) await this.#say(neutralise(refused.message));
    return refused;
  }

  async #request(command: Command): Promise<unknown> {
    try {
      const { result } = await whileAlive(this.#options.connection.send(command), this.#signal);
      return result;
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) throw thrown;
      await this.#say(neutralise(thrown.message));
      return undefined;
    }
  }

  /** Sends a command; gives the refusal, where it was one. */
  async #send(command: Command): Promise<HarnessError | undefined> {
    const answer = await this.#answerTo(command);
    return answer instanceof HarnessError ? answer : undefined;
  }

  /** Sends a command; gives the answer, or the refusal. */
  async #answerTo(command: Command): Promise<Accepted | HarnessError> {
    try {
      return await whileAlive(this.#options.connection.send(command), this.#signal);
    } catch (thrown) {
      if (thrown instanceof HarnessError) return thrown;
      throw thrown;
    }
  }

  async #say(text: string): Promise<void> {
    await this.#options.terminal.write(this.#printer.line(text));
  }

  #showPrompt(): void {
    const { terminal } = this.#options;
    const isLeaving = this.#outcome !== undefined || this.#next !== undefined;
    terminal.prompt(isLeaving ? undefined : this.#prompt());
    this.#countDown();
  }

  #prompt(): string | undefined {
    const { question } = this.#dialogue;
    const { terminal, clock } = this.#options;
    if (this.#unfinished !== "") return "... ";
    if (question !== undefined)
      return questionPrompt(question, terminal.redraws ? clock.monotonic() : undefined);
    return this.#busy || this.#unworked > 0 ? undefined : "> ";
  }

  /** Shows the time going by while a question waits that denies itself. */
  #countDown(): void {
    const { terminal, clock } = this.#options;
    const { question } = this.#dialogue;
    this.#countdown?.[Symbol.dispose]();
    this.#countdown = undefined;
    if (!terminal.redraws || this.#outcome !== undefined) return;
    if (question?.untilMs === undefined) return;
    if (question.untilMs <= clock.monotonic()) return;
    this.#countdown = clock.timer(COUNTDOWN_STEP_MS, () => this.#showPrompt());
  }
}
