import { BoundedQueue } from "../../../src/base/async/queue.ts";
import type { HarnessError } from "../../../src/base/errors.ts";
import { HarnessError as Refusal } from "../../../src/base/errors.ts";
import type { AskId, CallId } from "../../../src/base/ids.ts";
import { TERMINAL_FEATURES } from "../../../src/client/terminal/features.ts";
import type { Host } from "../../../src/client/terminal/host/host.ts";
import { DRAFT_READER, NEW_DRAFT_READER } from "../../../src/client/terminal/input/draft-keeper.ts";
import { CLEARED_READER } from "../../../src/client/terminal/input/history/cleared-drafts.ts";
import { PromptHistory } from "../../../src/client/terminal/input/history/prompt-history.ts";
import type { InputPart } from "../../../src/client/terminal/input/input-part.ts";
import type { MakeTerminalFeature } from "../../../src/client/terminal/layout/feature.ts";
import type { Overlay } from "../../../src/client/terminal/layout/part.ts";
import type { Services } from "../../../src/client/terminal/layout/services.ts";
import type { TerminalLifecycle } from "../../../src/client/terminal/lifecycle/terminal-lifecycle.ts";
import type { ReachedByTerminal } from "../../../src/client/terminal/options.ts";
import { FrameWriter } from "../../../src/client/terminal/screen/frames/frame-writer.ts";
import { openFullScreen } from "../../../src/client/terminal/screen/full-screen.ts";
import type {
  ScreenFrame,
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
import { SmallScreen } from "../small-screen.ts";
import { fakeServices } from "../terminal-parts.ts";
import { AnswerTimes } from "./answer-times.ts";
import { FuzzEngine } from "./engine.ts";
import { MemoryTerminal } from "./memory-terminal.ts";
import { PlayedClock, settle } from "./played-clock.ts";
import { playProcess } from "./played-process.ts";
import type { Ending, Sequence, Step } from "./sequences.ts";
import { DELETING } from "./sequences.ts";
import { TypedTexts } from "./typed-texts.ts";

/** Longest wait of the library for its next frame. */
const FRAME_MS = 17;
/** A terminal that is being resized has its new size by then. */
const RESIZED_MS = 60;
/** A paste without its end mark, and every answer of a slow engine, is there by then. */
const REST_MS = 4_000;
/** The client waits so long for the engine when it ends. */
const END_MS = 1_200;
const JOB_MS = 200;
const NOTICES_MAX = 1_000;
/** A lower screen leaves out the line over the draft. */
const SURE_ROWS = 8;
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
/** Characters that are no text when they are typed. */
const UNTYPED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;
/** Characters that a screen shows as they are. */
const PLAIN = /^[\u0021-\u007e\u4e00-\u9fff]$/;
/** Characters that join the one before. */
const JOINING = /^(?:\p{Mark}|\u200d)/u;
/** Errors of the program itself. */
const PROGRAM_ERRORS =
  /undefined is not|null is not|is not a function|is not iterable|Maximum call stack|cinch could not/;

/** Counts of one or more runs. */
export interface FuzzCounts {
  sequences: number;
  steps: number;
  frames: number;
  answers: number;
  typed: number;
}

export const NO_COUNTS: FuzzCounts = { sequences: 0, steps: 0, frames: 0, answers: 0, typed: 0 };

/**
 * Runs the terminal client through a sequence, on a terminal in memory.
 * @throws Error with the first invariant that does not hold, and the step before it.
 */
export async function runSequence(sequence: Sequence, counts: FuzzCounts): Promise<void> {
  const clock = new PlayedClock();
  const terminal = new MemoryTerminal(sequence.size, sequence.answers);
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

interface DrawnFrame {
  readonly frame: ScreenFrame;
  readonly size: Size;
  readonly atMs: number;
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
  #held: { readonly modes: string; readonly restore: () => void } | undefined;
  #options: TerminalScreenOptions | undefined;
  #services: Services | undefined;
  #frame: DrawnFrame | undefined;
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
    this.#engine = new FuzzEngine(parts.clock);
  }

  async start(): Promise<void> {
    const { clock, sequence } = this.#parts;
    if (sequence.isReached) this.#reached(false);
    const { host } = fakeServices();
    this.#engine.heard = (command) => this.#heard(command);
    const spy = this.#spy();
    try {
      const outcome = runTerminalClient({
        version: "0",
        workingDir: "/work",
        engine: this.#reach.promise,
        host: { ...host, ...this.#files(), readSettings: async () => sequence.settings },
        notices: (signal) => this.#readNotices(signal),
        openScreen: (options) => this.#openScreen(options),
        clock,
        signal: this.#stop.signal,
      });
      this.#outcome = outcome.then(
        () => {
          this.isOver = true;
        },
        (thrown: unknown) => {
          this.isOver = true;
          if (thrown !== this.#stop.signal.reason) this.#fault(`the client ended with ${String(thrown)}`);
        },
      );
    } finally {
      spy[Symbol.dispose]();
    }
    await this.#check();
  }

  async step(step: Step): Promise<void> {
    const before = this.#draft;
    const wasElsewhere = this.#isElsewhere;
    const isCompleting = this.#isCompleting && step.do === "keys";
    await this.#do(step);
    await settle();
    if (this.isOver) return;
    const isTaken = isCompleting || this.#takesAway(step);
    if (isTaken) this.#texts.deleted(before, this.#draft);
    this.#noteWalk(step, before);
    await this.#check();
    if (!this.isOver) this.#lookForAwaited(wasElsewhere || isTaken);
    this.#throwFaults();
  }

  async #do(step: Step): Promise<void> {
    const { terminal, process, clock } = this.#parts;
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
      case "resize":
        terminal.resize(step.size);
        this.#resizedAtMs = clock.monotonic();
        process.resized();
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
    const key = this.#answers.key(bytes, clock.monotonic(), this.#isInField !== false);
    const before = this.#draft;
    await this.#read(bytes, isLate);
    key.hasTyped = this.#draft !== before;
  }

  async #paste({ text, isMarked, ends }: Extract<Step, { do: "paste" }>): Promise<void> {
    const body = text.replaceAll("\u001b[201~", "");
    const mark = this.#texts.mark();
    // Without marks it is keys, which may do anything if they are no text.
    if (isMarked || !UNTYPED.test(body)) this.#await(mark);
    if (isMarked) await this.#read(`\u001b[200~${body}${mark}${ends ? "\u001b[201~" : ""}`, !ends);
    else await this.#read(`${body}${mark}`.replaceAll("\n", "\r"), true);
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
      if (ending !== "exit" && !this.isOver) this.#fault("the client does not end");
    }
    this.#look(`after the end by "${ending}"`);
    const left = terminal.modesLeft;
    if (left.length > 0) this.#fault(`after the end by "${ending}" the terminal has ${left.join(", ")}`);
    if (process.isRaw && ending !== "killed") this.#fault(`after the end by "${ending}" the keyboard is raw`);
    this.#throwFaults();
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

  get #draft(): string {
    return this.#services?.draft.text ?? "";
  }

  /** True if what is typed may go to a panel, to a question, or to the commands of vim. */
  get #isElsewhere(): boolean {
    return this.#overlays.length > 0 || this.#hasQuestion || this.#hasVim;
  }

  get #hasQuestion(): boolean {
    return (this.#services?.session.view.run?.questions.length ?? 0) > 0;
  }

  /** True while a key may take an entry of a list in the place of a word. */
  get #isCompleting(): boolean {
    return (this.#services?.draft as InputPart | undefined)?.contexts.includes("completion") === true;
  }

  get #hasVim(): boolean {
    return this.#services?.settings.values.vimKeys === true;
  }

  /** True if the cursor stands above the line over the draft; undefined while that is not shown. */
  get #isInField(): boolean | undefined {
    const row = this.#frame?.frame.cursor?.row;
    const line = this.#parts.terminal.screen.rows().findLastIndex((text) => text.startsWith("──"));
    const isSure = row !== undefined && line >= 0 && this.#parts.terminal.size.rows >= SURE_ROWS;
    return isSure ? line > row : undefined;
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
    if (this.#hasVim) return true;
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
    await clock.advance(FRAME_MS);
    if (this.isOver) return;
    // Until then a frame may have the old size: the terminal leaves out what has no place.
    if (clock.monotonic() - this.#resizedAtMs < RESIZED_MS) terminal.screen.beyond = undefined;
    else await this.#lookAtScreen();
    this.#look("on the way");
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

  async #lookAtScreen(): Promise<void> {
    const { terminal } = this.#parts;
    if (this.#held === undefined || !terminal.isAlternate) return;
    for (let tries = 0; this.#staleRow() !== undefined && tries < 3; tries += 1)
      await this.#parts.clock.advance(FRAME_MS);
    if (this.isOver || this.#held === undefined) return;
    const stale = this.#staleRow();
    if (stale !== undefined) this.#fault(`the screen is not up to date: ${stale}`);
    const drawn = this.#frame;
    if (drawn === undefined) return;
    const { columns, rows } = drawn.size;
    if (columns !== terminal.size.columns || rows !== terminal.size.rows) {
      this.#fault("the frame has another size than the terminal");
      return;
    }
    const fresh = new SmallScreen(columns, rows);
    fresh.write(new FrameWriter().update(drawn.frame, drawn.size));
    const [shown, wanted] = [terminal.screen.rows(true), fresh.rows(true)];
    const ghost = wanted.findIndex((row, at) => row !== shown[at]);
    if (ghost >= 0)
      this.#fault(
        `row ${ghost} shows ${JSON.stringify(shown[ghost])} and not ${JSON.stringify(wanted[ghost])}`,
      );
    if (fresh.beyond !== undefined) this.#fault(fresh.beyond);
    if (terminal.screen.beyond !== undefined) this.#fault(terminal.screen.beyond);
    this.#lookAtCursor(drawn);
    const text = fresh.rows().join("\n");
    const error = PROGRAM_ERRORS.exec(text);
    if (error !== null)
      this.#fault(`the screen says ${JSON.stringify(text.slice(error.index, error.index + 90))}`);
  }

  /** Returns a row that another drawing at the same moment would show in another way. */
  #staleRow(): string | undefined {
    const [drawn, options] = [this.#frame, this.#options];
    if (drawn === undefined || options === undefined) return undefined;
    const now = this.#parts.clock.at(drawn.atMs, () => options.draw(drawn.size));
    const at = Array.from({ length: drawn.size.rows }, (_, row) => row).find(
      (row) => (now.rows[row] ?? "") !== (drawn.frame.rows[row] ?? ""),
    );
    if (at === undefined) return undefined;
    return `${JSON.stringify(drawn.frame.rows[at])} and not ${JSON.stringify(now.rows[at])}`;
  }

  #lookAtCursor({ frame: { cursor }, size: { columns, rows } }: DrawnFrame): void {
    const { screen } = this.#parts.terminal;
    if (screen.isCursorShown !== (cursor !== undefined)) this.#fault("the cursor is not as the frame has it");
    if (cursor === undefined) {
      if (this.#overlays.length === 0) this.#fault("the cursor is hidden while the draft has the focus");
      return;
    }
    const place = [cursor.row, Math.min(columns - 1, cursor.column)];
    if (cursor.row >= rows) this.#fault(`the cursor is in row ${cursor.row} of ${rows}`);
    else if (screen.cursor[0] !== place[0] || screen.cursor[1] !== place[1])
      this.#fault(`the cursor is at ${screen.cursor.join(",")} and not at ${place.join(",")}`);
    else if (this.#overlays.length === 0 && (this.#isInField === false || !this.#hasQuestion))
      this.#lookAtCaret(cursor, columns);
  }

  /** The characters beside the cursor are those beside the caret in the draft. */
  #lookAtCaret({ row, column }: { readonly row: number; readonly column: number }, columns: number): void {
    if (this.#services === undefined || columns < 8) return;
    const { text, cursor } = this.#services.draft.edited;
    // The marks around words that are read from the right to the left take no cell.
    const cells = this.#parts.terminal.screen
      .cells(row)
      .map((each) => each.replaceAll(/[\u2066-\u2069]/g, ""));
    const [before, behind] = [text[cursor - 1] ?? "", text[cursor] ?? ""];
    const left = cells[column - 1] === "" ? cells[column - 2] : cells[column - 1];
    // A row begins with the mark; a caret there follows a line end or a wrapped row.
    if (PLAIN.test(before) && column > 2 && left !== before)
      this.#fault(`left of the cursor stands ${JSON.stringify(left)} and not ${JSON.stringify(before)}`);
    const joins = JOINING.test(text.slice(cursor + 1));
    if (
      !joins &&
      PLAIN.test(behind) &&
      column < columns - 2 &&
      cells[column] !== behind &&
      cells[column] !== " "
    )
      this.#fault(`at the cursor stands ${JSON.stringify(cells[column])} and not ${JSON.stringify(behind)}`);
  }

  #fault(sentence: string): void {
    this.#faults.push(sentence);
  }

  #throwFaults(): void {
    const [first] = this.#faults;
    if (first !== undefined) throw new Error(first);
  }

  // The edges of the client

  /** Files that the client writes and reads back. A path that it has not written is missing. */
  #files(): Pick<Host, "writePrivate" | "read"> {
    const files = new Map<string, string>();
    return {
      async writePrivate(name, text) {
        files.set(`/private/${name}`, text);
        return `/private/${name}`;
      },
      async read(path) {
        const text = files.get(path);
        if (text === undefined) throw Object.assign(new Error("there is no such file"), { code: "ENOENT" });
        return new TextEncoder().encode(text);
      },
    };
  }

  #openScreen(options: TerminalScreenOptions): TerminalScreen {
    const { clock, counts, terminal } = this.#parts;
    this.#options = options;
    const life: TerminalLifecycle = {
      clock,
      hold: (modes, restore) => {
        this.#held = { modes, restore };
        return {
          [Symbol.dispose]: () => {
            this.#held = undefined;
          },
        };
      },
      writeNow: (text) => terminal.write(text),
      stopJob: (continued) => void clock.timer(JOB_MS, continued),
    };
    const noted = <Args extends readonly unknown[], Value>(name: string, call: (...args: Args) => Value) => {
      return (...args: Args): Value => {
        try {
          return call(...args);
        } catch (thrown) {
          this.#fault(`${name} threw ${thrown instanceof Error ? thrown.stack : String(thrown)}`);
          throw thrown;
        }
      };
    };
    return openFullScreen(
      {
        ...options,
        draw: noted("draw", (size: Size) => {
          const frame = options.draw(size);
          counts.frames += 1;
          if (this.#frame?.size.rows !== size.rows || this.#frame.size.columns !== size.columns)
            terminal.screen.beyond = undefined;
          this.#frame = { frame, size, atMs: clock.monotonic() };
          const questions = this.#services?.session.view.run?.questions ?? [];
          this.#answers.shown(questions.map(questionId), clock.monotonic());
          return frame;
        }),
        input: noted("input", options.input),
      },
      life,
    );
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
        tell(failure: unknown) {
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
