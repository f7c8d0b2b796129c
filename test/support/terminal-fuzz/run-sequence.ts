import { BoundedQueue } from "../../../src/base/async/queue.ts";
import type { HarnessError } from "../../../src/base/errors.ts";
import { HarnessError as Refusal } from "../../../src/base/errors.ts";
import type { AskId, CallId } from "../../../src/base/ids.ts";
import { TERMINAL_FEATURES } from "../../../src/client/terminal/features.ts";
import { DRAFT_READER, NEW_DRAFT_READER } from "../../../src/client/terminal/input/draft-keeper.ts";
import { CLEARED_READER } from "../../../src/client/terminal/input/history/cleared-drafts.ts";
import { PromptHistory } from "../../../src/client/terminal/input/history/prompt-history.ts";
import type { InputPart } from "../../../src/client/terminal/input/input-part.ts";
import type { MakeTerminalFeature } from "../../../src/client/terminal/layout/feature.ts";
import type { Overlay } from "../../../src/client/terminal/layout/part.ts";
import type { Services } from "../../../src/client/terminal/layout/services.ts";
import type { TerminalLifecycle } from "../../../src/client/terminal/lifecycle/terminal-lifecycle.ts";
import type { ReachedByTerminal } from "../../../src/client/terminal/options.ts";
import { openAppendScreen } from "../../../src/client/terminal/screen/append-screen.ts";
import { openFullScreen } from "../../../src/client/terminal/screen/full-screen.ts";
import type {
  Size,
  TerminalScreen,
  TerminalScreenOptions,
} from "../../../src/client/terminal/screen/screen.ts";
import { runTerminalClient } from "../../../src/client/terminal/terminal-client.ts";
import type { Command } from "../../../src/protocol/commands/commands.ts";
import type { EngineNotice } from "../../../src/view/notes/engine-text.ts";
import { ENGINE_BACK } from "../../../src/view/notes/engine-text.ts";
import { questionId } from "../../../src/view/questions/questions.ts";
import { PASTE_OFF } from "../../../src/view/terminal/bracketed-paste.ts";
import { fakeId } from "../fake-connection.ts";
import { AnswerTimes } from "./answer-times.ts";
import { FuzzEngine } from "./engine.ts";
import { MemoryTerminal } from "./memory-terminal.ts";
import { personMachine } from "./person-machine.ts";
import { PlayedClock, settle } from "./played-clock.ts";
import { playProcess } from "./played-process.ts";
import type { WatchedClient } from "./screen-watch.ts";
import { FRAME_MS, ScreenWatch } from "./screen-watch.ts";
import type { Ending, Sequence, Step } from "./sequences.ts";
import { DELETING } from "./sequences.ts";
import { TypedTexts } from "./typed-texts.ts";

/** A terminal that is being resized has its new size by then. */
const RESIZED_MS = 60;
/** A paste without its end mark, and every answer of a slow engine, is there by then. */
const REST_MS = 4_000;
/** The client waits so long for the engine when it ends. */
const END_MS = 1_200;
const JOB_MS = 200;
const NOTICES_MAX = 1_000;
/** No client needs more at once. */
const TIMERS_MAX = 40;
const SUBSCRIPTIONS_MAX = 8;
/** Turns of the event loop in which a page of a long log is read. */
const READ_TURNS_MAX = 200;
/** More characters at once are a paste. */
const KEYS_MAX = 150;
/** A paste without its end mark is over by then. */
const LATE_MS = 2_200;
/** Keys and actions that go to another of the earlier prompts. */
const WALKS: ReadonlySet<string> = new Set([
  "\u001b[A",
  "\u001bOA",
  "\u001b[B",
  "\u001bOB",
  "edit.up",
  "edit.down",
]);
/** Steps of a person at the keyboard and the mouse. */
const KEYBOARD: ReadonlySet<Step["do"]> = new Set(["type", "keys", "paste", "mouse", "answer"]);
/** The library waits so long for the rest of a sequence. */
const BEGUN_MS = 60;
/** A sequence that a terminal has begun. */
const BEGUN = /\u001b(?:$|\[[<\d;?]*$|[\]P_][^\u0007\\]*$)/;
const PASTE_MARK = "\u001b[200~";
const UNTYPED_ALL = /[\u0000-\u001f\u007f-\u009f]/g;
/** Characters that are no text when they are typed. */
const UNTYPED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;
/** Counts of one or more runs. */
export interface FuzzCounts {
  sequences: number;
  steps: number;
  frames: number;
  answers: number;
  typed: number;
  /** Images that were stored. */
  attached: number;
  /** Pages of logs that were read back. */
  pages: number;
  /** Sessions that were opened. */
  opened: number;
}

export const NO_COUNTS: FuzzCounts = {
  ...{ sequences: 0, steps: 0, frames: 0, answers: 0, typed: 0 },
  ...{ attached: 0, pages: 0, opened: 0 },
};

/**
 * Runs the terminal client through a sequence, on a terminal in memory.
 * @throws Error with the first invariant that does not hold, and the step before it.
 */
export async function runSequence(sequence: Sequence, counts: FuzzCounts): Promise<void> {
  const clock = new PlayedClock();
  const { size, answers, reflows } = sequence;
  const terminal = new MemoryTerminal({ size, answers, ...(reflows === undefined ? {} : { reflows }) });
  using process = playProcess(terminal, clock);
  await using run = new Run({ sequence, clock, terminal, process, counts });
  counts.sequences += 1;
  await run.start();
  for (const [at, step] of sequence.steps.entries()) {
    if (run.isOver) break;
    counts.steps += 1;
    try {
      await run.step(step);
    } catch (cause) {
      throw new Error(
        `step ${at} ${JSON.stringify(step)}: ${cause instanceof Error ? cause.message : String(cause)}`,
        { cause },
      );
    }
  }
  await run.end(sequence.ending);
}

interface Parts {
  readonly sequence: Sequence;
  readonly clock: PlayedClock;
  readonly terminal: MemoryTerminal;
  readonly process: ReturnType<typeof playProcess>;
  readonly counts: FuzzCounts;
}

/** One client that runs, and what is known of it from outside. */
class Run implements AsyncDisposable {
  readonly #parts: Parts;
  readonly #engine: FuzzEngine;
  readonly #reach = Promise.withResolvers<ReachedByTerminal>();
  readonly #stop = new AbortController();
  readonly #notices = new BoundedQueue<EngineNotice>(NOTICES_MAX);
  readonly #faults: string[] = [];
  readonly #texts = new TypedTexts();
  readonly #answers = new AnswerTimes();
  readonly #overlays: Overlay[] = [];
  readonly #undo = new DisposableStack();
  #history: PromptHistory | undefined;
  readonly #watch: ScreenWatch;
  /** Timers of the client that were left when it had ended. */
  #timersLeft = 0;
  #held: { readonly modes: string; readonly restore: () => void; readonly continued: () => void } | undefined;
  #services: Services | undefined;
  /** Text that is typed before may be read later. */
  #lateUntilMs = 0;
  /** Text that is typed before may be the rest of a sequence that the terminal has begun. */
  #begunUntilMs = 0;
  #awaited: string[] = [];
  #resizedAtMs = Number.NEGATIVE_INFINITY;
  /** The draft from before a walk through earlier prompts. */
  #walkedFrom: string | undefined;
  #outcome: Promise<void> = Promise.resolve();
  isOver = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { clock, terminal, sequence, counts } = parts;
    const { isLong, isHostile, reflows } = sequence;
    this.#engine = new FuzzEngine({ clock, isLong, isHostile, counts });
    this.#watch = new ScreenWatch({
      ...{ terminal, clock, isInline: reflows !== undefined, reflows: reflows === true, isLong },
      client: this.#watchedClient,
      fault: (sentence) => this.#fault(sentence),
      drawn: () => {
        counts.frames += 1;
        const questions = this.#services?.session.view.run?.questions ?? [];
        this.#answers.shown(questions.map(questionId), clock.monotonic());
      },
    });
  }

  async start(): Promise<void> {
    const { clock, sequence } = this.#parts;
    if (sequence.isReached) this.#reached(false);
    this.#engine.heard = (command) => this.#heard(command);
    const spy = this.#spy();
    try {
      const outcome = runTerminalClient({
        version: "0",
        workingDir: "/work",
        engine: this.#reach.promise,
        host: personMachine(sequence.settings, sequence.hostWorks),
        isInline: sequence.reflows !== undefined,
        notices: (signal) => this.#readNotices(signal),
        openScreen: (options) => this.#openScreen(options),
        clock,
        signal: this.#stop.signal,
      });
      this.#outcome = outcome.then(
        () => this.#over(),
        (thrown: unknown) => {
          this.#over();
          if (thrown !== this.#stop.signal.reason) this.#fault(`the client ended with ${String(thrown)}`);
        },
      );
    } finally {
      spy[Symbol.dispose]();
    }
    await this.#check();
  }

  #over(): void {
    this.isOver = true;
    this.#timersLeft = this.#parts.clock.pending;
  }

  async step(step: Step): Promise<void> {
    const before = this.#draft;
    const wasElsewhere = this.#isElsewhere;
    const isCompleting = this.#isCompleting && step.do === "keys";
    const wasCommanding = this.#isVimCommand;
    await this.#do(step);
    await settle();
    if (this.isOver) return;
    const isTaken = isCompleting || wasCommanding || this.#takesAway(step);
    if (isTaken) this.#texts.deleted(before, this.#draft);
    this.#noteWalk(step, before);
    await this.#check();
    if (!this.isOver) this.#lookForAwaited(wasElsewhere || isTaken);
    this.#throwFaults();
  }

  async #do(step: Step): Promise<void> {
    const { terminal, clock } = this.#parts;
    // Another program has the terminal, and what is typed.
    if (this.#held === undefined && KEYBOARD.has(step.do)) return;
    switch (step.do) {
      case "type":
        return await this.#type(step.text);
      case "keys":
        return await this.#keys(step.bytes);
      case "paste":
        return await this.#paste(step);
      case "mouse":
        await this.#read(`\u001b[<${step.code};${step.at.columns + 1};${step.at.rows + 1}${step.end}`);
        return;
      case "image":
        return await this.#image(step);
      case "resize":
        this.#resize(step.size, step.lateMs);
        return;
      case "storm":
        for (const size of step.sizes) {
          this.#resize(size);
          await clock.advance(step.gapMs);
        }
        return;
      case "continued":
        this.#held?.continued();
        return;
      case "switch": {
        const session = fakeId("sess", step.to === 1 ? 92 : 91);
        void this.#services?.session.goTo(
          step.to === "new" ? { kind: "new" } : { kind: "stored", info: { session } },
        );
        return;
      }
      case "notice":
        this.#notices.push({ kind: "away", text: step.text });
        return;
      case "events":
        for (const event of step.events)
          this.#engine.publish(event, step.ofSubAgent ? { parentCall: fakeId("call", 1) } : {});
        return;
      case "wait":
        return await clock.advance(step.ms);
      case "engine":
        return this.#weather(step);
      case "answer": {
        const answer = terminal.ready.shift();
        if (answer !== undefined) await this.#read(answer);
        return;
      }
      case "act":
        this.#answers.key(step.action, clock.monotonic(), true);
        this.#services?.run(step.action);
        this.#services?.redraw(); // as any key does
        return;
      case "reach":
        this.#reached(step.fails);
        return;
      default:
        step satisfies never;
    }
  }

  async #type(text: string): Promise<void> {
    this.#parts.counts.typed += 1;
    const mark = this.#texts.mark();
    this.#await(mark);
    await this.#keys(`${text}${mark}`, text.length > KEYS_MAX);
  }

  /** Gives keys to the client. `isLate`: they look like a paste, and are read once it is over. */
  async #keys(bytes: string, isLate = false): Promise<void> {
    const { clock } = this.#parts;
    const key = this.#answers.key(bytes, clock.monotonic(), this.#watch.isInField !== false);
    const before = this.#draft;
    await this.#read(bytes, isLate);
    key.hasTyped = this.#draft !== before;
  }

  async #image({ how, file }: Extract<Step, { do: "image" }>): Promise<void> {
    if (how === "clipboard") this.#services?.run("input.pasteImage");
    else if (how === "mention") await this.#keys(`@"${file.replaceAll(UNTYPED_ALL, "")}" `);
    else await this.#read(`\u001b[200~${file.includes(" ") ? `'${file}'` : file}\u001b[201~`);
  }

  /** Changes the size; the signal about it comes later, if it is late. */
  #resize(size: Size, lateMs = 0): void {
    const { clock, process, terminal } = this.#parts;
    const isSettled = clock.monotonic() - this.#resizedAtMs >= RESIZED_MS && this.#held !== undefined;
    this.#watch.resizing(isSettled, () => terminal.resize(size));
    this.#resizedAtMs = clock.monotonic() + lateMs;
    if (lateMs === 0) process.resized();
    else
      clock.foreignTimer(lateMs, () => {
        this.#resizedAtMs = Math.max(this.#resizedAtMs, clock.monotonic());
        process.resized();
      });
  }

  async #paste({ text, isMarked, ends, cut }: Extract<Step, { do: "paste" }>): Promise<void> {
    const body = text.replaceAll("\u001b[201~", "");
    const mark = this.#texts.mark();
    // Without marks it is keys, which may do anything if they are no text.
    if (isMarked || !UNTYPED.test(body)) this.#await(mark);
    const chunk = isMarked
      ? `\u001b[200~${body}${mark}${ends ? "\u001b[201~" : ""}`
      : `${body}${mark}`.replaceAll("\n", "\r");
    const isLate = !isMarked || !ends;
    if (cut === undefined) return await this.#read(chunk, isLate);
    // What the rest of a mark that comes too late means is the terminal's fault.
    if (cut.at < PASTE_MARK.length && isMarked) this.#awaited.length = 0;
    await this.#read(chunk.slice(0, cut.at), true);
    if (cut.size !== undefined) this.#resize(cut.size);
    await this.#parts.clock.advance(cut.ms);
    await this.#read(chunk.slice(cut.at), isLate || cut.ms > 0);
  }

  async #read(chunk: string, isLate = false): Promise<void> {
    const { clock, process } = this.#parts;
    const now = clock.monotonic();
    if (isLate || now < this.#lateUntilMs) this.#lateUntilMs = now + LATE_MS;
    if (BEGUN.test(chunk) || now < this.#begunUntilMs) this.#begunUntilMs = now + BEGUN_MS;
    process.read(chunk);
    await settle();
  }

  /** Expects a text at one of its places, once what was typed is read. */
  #await(mark: string): void {
    // The terminal may mean it as the rest of a sequence.
    if (this.#parts.clock.monotonic() >= this.#begunUntilMs) this.#awaited.push(mark);
  }

  /** Follows awaited texts that have come. Gives up those that another part than the draft may have taken. */
  #lookForAwaited(mayBeGone: boolean): void {
    const isLate = this.#parts.clock.monotonic() < this.#lateUntilMs;
    const places = this.#places;
    this.#awaited = this.#awaited.filter((mark) => {
      if (places.some((place) => place.includes(mark))) this.#texts.follow(mark);
      else if (!mayBeGone && !this.#isElsewhere) {
        if (isLate) return true;
        this.#fault(`the typed ${mark} came to no place`);
      }
      return false;
    });
  }

  /** Follows a walk through earlier prompts: the draft before it comes back until what is shown is edited. */
  #noteWalk(step: Step, before: string): void {
    const isWalk = step.do === "keys" ? WALKS.has(step.bytes) : step.do === "act" && WALKS.has(step.action);
    if (isWalk) this.#walkedFrom ??= before;
    else if ((KEYBOARD.has(step.do) || step.do === "act") && this.#draft !== before)
      this.#walkedFrom = undefined;
    if (this.#walkedFrom === this.#draft) this.#walkedFrom = undefined;
  }

  #weather({ mood, pick }: Extract<Step, { do: "engine" }>): void {
    const was = this.#engine.mood;
    this.#engine.mood = mood;
    this.#engine.pick = pick;
    if (mood === "lost" && was !== "lost") {
      this.#engine.breakOff();
      this.#notices.push({
        kind: "away",
        text: "The engine is away. What you type waits; it is tried for again.",
      });
    } else if (was === "lost" && mood !== "lost") this.#notices.push(ENGINE_BACK);
  }

  #reached(fails: boolean): void {
    const engine = this.#engine;
    if (fails) {
      this.#reach.promise.catch(() => undefined);
      this.#reach.reject(new Refusal("UsageInvalid", { problem: "the engine did not start" }));
      return;
    }
    const last = this.#parts.sequence.hasLast
      ? { session: fakeId("sess", 92), turns: 1, working_dir: "/work", title: "before" }
      : undefined;
    this.#reach.resolve({
      connection: engine,
      open: (which) => engine.open(which),
      ...(last === undefined ? {} : { last: last as never }),
      ...(this.#parts.sequence.isNamed ? { named: engine.named } : {}),
    });
  }

  /** Ends the client in a way, and looks at the terminal after it. */
  async end(ending: Ending): Promise<void> {
    const { clock, terminal, process } = this.#parts;
    if (!this.isOver) await this.#settleTexts();
    if (!this.isOver) {
      switch (ending) {
        case "quit":
          this.#services?.leave();
          break;
        case "interrupt":
          process.read("\u0003");
          await settle();
          process.read("\u0003");
          await settle();
          this.#services?.leave(); // a panel may have taken one of them
          break;
        case "stopped":
          this.#stop.abort(new Error("stopped"));
          break;
        case "exit":
          this.#held?.restore();
          break;
        case "killed":
          terminal.write(`${PASTE_OFF}${this.#held?.modes ?? ""}`);
          break;
        default:
          ending satisfies never;
      }
    }
    if (ending !== "killed" || this.isOver) {
      await clock.advance(END_MS);
      for (let turn = 0; !this.#engine.isRead && turn < READ_TURNS_MAX; turn += 1) await settle();
      if (ending !== "exit" && !this.isOver) this.#fault("the client does not end");
    }
    if (ending !== "killed" && ending !== "exit") this.#lookForRemains(ending);
    this.#look(`after the end by "${ending}"`);
    const left = terminal.modesLeft;
    if (left.length > 0) this.#fault(`after the end by "${ending}" the terminal has ${left.join(", ")}`);
    if (process.isRaw && ending !== "killed") this.#fault(`after the end by "${ending}" the keyboard is raw`);
    this.#throwFaults();
  }

  /** Nothing of a client that has ended waits, listens or follows a session. */
  #lookForRemains(ending: Ending): void {
    const { clock, process } = this.#parts;
    const when = `after the end by "${ending}"`;
    if (this.#timersLeft > 0) this.#fault(`${when} ${this.#timersLeft} timers wait`);
    if (clock.pending > 0) this.#fault(`${when} ${clock.pending} timers were begun`);
    if (process.listeners > 0) this.#fault(`${when} ${process.listeners} listeners are left`);
    if (this.#engine.subscriptions > 0)
      this.#fault(`${when} ${this.#engine.subscriptions} subscriptions are open`);
  }

  /** Lets everything on its way arrive with an engine that takes it, and looks for texts that are gone. */
  async #settleTexts(): Promise<void> {
    await this.#parts.clock.advance(REST_MS);
    if (this.isOver) return;
    await this.#check();
    if (this.isOver) return;
    const lost = this.#texts.lost(this.#places, this.#parts.clock.monotonic(), true);
    // A message to a silent engine waits for it.
    if (lost !== undefined && this.#engine.mood !== "silent")
      this.#fault(`the typed ${lost} is nowhere at the end`);
    this.#throwFaults();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#engine.mood = "refuses";
    this.#reach.promise.catch(() => undefined);
    this.#reach.reject(new Refusal("UsageInvalid", { problem: "the sequence is over" }));
    this.#stop.abort(new Error("over"));
    await this.#parts.clock.advance(END_MS);
    await this.#engine[Symbol.asyncDispose]();
    await this.#outcome;
    this.#undo.dispose();
  }

  // What is known of the client

  get #watchedClient(): WatchedClient {
    const run = this;
    return {
      get services() {
        return run.#services;
      },
      get hasOverlay() {
        return run.#overlays.length > 0;
      },
      get hasQuestion() {
        return run.#hasQuestion;
      },
      get hasTerminal() {
        return run.#held !== undefined && !run.isOver;
      },
    };
  }

  get #draft(): string {
    return this.#services?.draft.text ?? "";
  }

  /** True if what is typed may go to a panel, to a question, or to the commands of vim. */
  get #isElsewhere(): boolean {
    return this.#overlays.length > 0 || this.#hasQuestion || this.#isVimCommand;
  }

  get #hasQuestion(): boolean {
    return (this.#services?.session.view.run?.questions.length ?? 0) > 0;
  }

  /** True while a key may take an entry of a list in the place of a word. */
  get #isCompleting(): boolean {
    return (this.#services?.draft as InputPart | undefined)?.contexts.includes("completion") === true;
  }

  /** True while keys are commands of vim. */
  get #isVimCommand(): boolean {
    const contexts = (this.#services?.draft as InputPart | undefined)?.contexts ?? [];
    return contexts.includes("vimNormal") || contexts.includes("vimVisual");
  }

  get #hasVim(): boolean {
    return this.#services?.settings.values.vimKeys === true;
  }

  /** Every place where a text of the person may be. */
  get #places(): readonly string[] {
    const services = this.#services;
    if (services === undefined) return [];
    const { open, last } = services.session;
    const mirrored = new Set([`${open?.session} ${DRAFT_READER}`, `${last?.session} ${NEW_DRAFT_READER}`]);
    const kept = [...this.#engine.drafts].filter(
      ([place]) => !mirrored.has(place) || place.endsWith(CLEARED_READER),
    );
    return [
      services.draft.text,
      this.#walkedFrom ?? "",
      ...services.draft.sending.map(({ text }) => text),
      ...(this.#history?.entries() ?? []).map(({ text }) => text),
      ...[...this.#engine.taken.values()].map(({ text }) => text),
      ...kept.map(([, text]) => text),
    ];
  }

  #takesAway(step: Step): boolean {
    if (this.#hasVim && step.do !== "type") return true;
    if (step.do === "act") return /^(?:edit|completion|vim|input\.editor)/.test(step.action);
    return step.do === "keys" && [step.bytes, ...step.bytes].some((each) => DELETING.has(each));
  }

  #heard(command: Command): void {
    if (command.kind !== "AnswerPermission" && command.kind !== "Answer") return;
    this.#parts.counts.answers += 1;
    const id: CallId | AskId = command.kind === "Answer" ? command.askId : command.callId;
    const why = this.#answers.answered(id, this.#parts.clock.monotonic());
    if (why !== undefined) this.#fault(why);
  }

  // The invariants

  /** Lets the next frame be drawn, and holds all that must be true between two steps. */
  async #check(): Promise<void> {
    const { clock, terminal } = this.#parts;
    for (let turn = 0; !this.#engine.isRead && turn < READ_TURNS_MAX; turn += 1) await settle();
    await clock.advance(FRAME_MS);
    if (this.isOver) return;
    // Until then a frame may have the old size: the terminal leaves out what has no place.
    if (clock.monotonic() - this.#resizedAtMs < RESIZED_MS) terminal.screen.beyond = undefined;
    else await this.#watch.look();
    this.#look("on the way");
    const { pending } = clock;
    if (pending > TIMERS_MAX) this.#fault(`${pending} timers wait at once`);
    const { subscriptions } = this.#engine;
    if (subscriptions > SUBSCRIPTIONS_MAX) this.#fault(`${subscriptions} subscriptions are open at once`);
    const lost = this.#texts.lost(this.#places, clock.monotonic());
    if (lost !== undefined && this.#engine.mood !== "silent") this.#fault(`the typed ${lost} is nowhere`);
    this.#throwFaults();
  }

  #look(when: string): void {
    const { terminal, process } = this.#parts;
    for (const fault of terminal.faults.splice(0)) this.#fault(fault);
    for (const thrown of process.escaped.splice(0))
      this.#fault(`${when} nobody handled ${thrown instanceof Error ? thrown.stack : String(thrown)}`);
  }

  #fault(sentence: string): void {
    this.#faults.push(sentence);
  }

  #throwFaults(): void {
    const [first] = this.#faults;
    if (first !== undefined) throw new Error(first);
  }

  // The edges of the client

  #openScreen(options: TerminalScreenOptions): TerminalScreen {
    const { clock, terminal } = this.#parts;
    const life: TerminalLifecycle = {
      clock,
      hold: (modes, restore, continued) => {
        this.#held = { modes, restore, continued };
        return {
          changeModes: (next) => {
            if (this.#held !== undefined) this.#held = { ...this.#held, modes: next };
          },
          [Symbol.dispose]: () => {
            this.#held = undefined;
          },
        };
      },
      writeNow: (text) => terminal.write(text),
      stopJob: (continued) => clock.foreignTimer(JOB_MS, continued),
    };
    const watched = this.#watch.watched(options);
    const { reflows } = this.#parts.sequence;
    return reflows === undefined
      ? openFullScreen(watched, life)
      : openAppendScreen({ ...watched, reflows, resizedMs: RESIZED_MS - 10 }, life);
  }

  /** Adds a feature that sees the services of the client, until it is disposed. */
  #spy(): Disposable {
    const features = TERMINAL_FEATURES as MakeTerminalFeature[];
    const run = this;
    const feature: MakeTerminalFeature = (services) => {
      const { open, close, showFailure } = services;
      this.#services = services;
      Object.assign(services, {
        open(overlay: Overlay) {
          run.#overlays.push(overlay);
          open(overlay);
        },
        close(overlay: Overlay) {
          const at = run.#overlays.indexOf(overlay);
          if (at >= 0) run.#overlays.splice(at, 1);
          close(overlay);
        },
        showFailure(failure: unknown) {
          if (
            failure instanceof TypeError ||
            failure instanceof RangeError ||
            failure instanceof ReferenceError
          )
            run.#fault(`an error of the program is shown: ${failure.stack}`);
          showFailure(failure as HarnessError);
        },
      });
      return {};
    };
    features.unshift(feature); // before the others, which take the services as it leaves them
    const { restore, remember } = PromptHistory.prototype;
    PromptHistory.prototype.restore = function (this: PromptHistory) {
      run.#history = this;
      return restore.call(this);
    };
    PromptHistory.prototype.remember = function (this: PromptHistory, ...args) {
      run.#history = this;
      remember.apply(this, args);
    };
    this.#undo.defer(() => {
      Object.assign(PromptHistory.prototype, { restore, remember });
    });
    return { [Symbol.dispose]: () => void features.splice(features.indexOf(feature), 1) };
  }

  async *#readNotices(signal: AbortSignal): AsyncGenerator<EngineNotice> {
    signal.addEventListener("abort", () => this.#notices.end());
    yield* this.#notices;
  }
}
