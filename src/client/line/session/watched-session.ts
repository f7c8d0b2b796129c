import { unreachable } from "../../../base/assert.ts";
import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { CallId, SessionId } from "../../../base/ids.ts";
import type { Envelope, EnvelopeOf } from "../../../protocol/events/envelope.ts";
import { reachedBy } from "../../../view/follow.ts";
import { merge } from "../../../view/merge.ts";
import { NotifiedEvents } from "../../../view/notified-events.ts";
import { planModeOf } from "../../../view/session/plan-mode.ts";
import { INTERRUPT_BANNER } from "../../../view/terminal/interrupt-banner.ts";
import { refusalText } from "../../../view/texts/refusal-text.ts";
import { runSlashCommand } from "../../slash/commands/slash-commands.ts";
import { KnownCommands } from "../../slash/known-commands.ts";
import { OwnShellRuns } from "../../slash/own-shell-runs.ts";
import { Sender } from "../../slash/sender.ts";
import type { SlashContext } from "../../slash/slash-context.ts";
import { Outbox } from "../input/outbox.ts";
import type { PromptState } from "../input/prompt.ts";
import { Prompt } from "../input/prompt.ts";
import { TypedLines } from "../input/typed-lines.ts";
import type { Work } from "../input/work-queues.ts";
import { WorkQueues } from "../input/work-queues.ts";
import { lineSlashContext } from "../line-slash-context.ts";
import type { LineClientOptions, LineOutcome } from "../options.ts";
import { SessionScreen } from "../output/session-screen.ts";
import { Dialogue } from "../questions/dialogue.ts";
import type { ClientEvent } from "./client-events.ts";
import { clientEvents, workDone } from "./client-events.ts";
import { completeLine } from "./complete-line.ts";
import { LineSessionView } from "./line-session-view.ts";

/** The session to continue with, and how far it was seen. */
export type NextSession = Pick<LineClientOptions, "session" | "model" | "past" | "shown" | "isSwitch">;

const INTERRUPT_AGAIN_MS = 2_000;
/** Longest wait of typed lines for the text about a profile switch. */
const SWITCH_TOLD_MS_MAX = 10_000;

/** Runs one session in the line client until the user leaves it or switches to another one. */
export class WatchedSession {
  readonly #options: LineClientOptions;
  /** Returns the current run of the session, which changes when the engine restarts. */
  readonly #run: () => SessionId;
  #runSeen: SessionId;
  readonly #queues = new WorkQueues(() => this.#prompt.show());
  readonly #sender: Sender;
  readonly #outbox: Outbox;
  readonly #commands: KnownCommands;
  readonly #shell: OwnShellRuns;
  readonly #seen: LineSessionView;
  readonly #leave = new AbortController();
  readonly #signal: AbortSignal;
  readonly #prompt: Prompt;
  readonly #screen: SessionScreen;
  readonly #dialogue: Dialogue;
  readonly #typed: TypedLines;
  readonly #notified = new NotifiedEvents();
  #inputClosed = false;
  #leaving = false;
  #interruptedAtMs = Number.NEGATIVE_INFINITY;
  #outcome: LineOutcome["why"] | undefined;
  #next: NextSession | undefined;
  /** The slash command that was started last. */
  #command: Promise<void> | undefined;
  /** True once another session, under another profile, replaces this one. */
  #isLeft = false;
  /** True once an event has named that session. */
  #isSwitching = false;
  /** Resolves once the screen shows that this session replaced another one. */
  readonly #switchTold = Promise.withResolvers<void>();
  /** Resolves once the events before this client attached were read: a command may show what they hold. */
  readonly #pastRead = Promise.withResolvers<void>();

  constructor(options: LineClientOptions) {
    const { connection, session, terminal, clock, past, unsentInputs = [], isLabelled } = options;
    const run = () => connection.runOf?.(session) ?? session;
    this.#options = options;
    this.#run = run;
    this.#runSeen = run();
    this.#signal = AbortSignal.any([options.signal, this.#leave.signal]);
    this.#seen = new LineSessionView(run, options);
    this.#prompt = new Prompt({ ...options, state: () => this.#promptState() });
    const client = () => connection.clientId;
    const soon = (work: Work) => this.#queues.pushUncounted("urgent", work);
    const isUnanswered = (callId: CallId) => this.#seen.isUnanswered(callId);
    const shown = {
      terminal,
      clock,
      client,
      session: run,
      soon,
      isUnanswered,
      ...defined({ past, isLabelled }),
    };
    const screen = new SessionScreen({
      ...shown,
      writtenChange: async (callId) => {
        const { writtenChange } = await import("../output/written-change.ts");
        return await writtenChange(callId, { sender, session, clock, signal: this.#signal });
      },
    });
    this.#screen = screen;
    const sender = new Sender({ connection, signal: this.#signal, say: (text) => screen.say(text) });
    this.#sender = sender;
    this.#commands = new KnownCommands(sender, session);
    this.#shell = new OwnShellRuns({ session, sender });
    terminal.completesWith?.((typed) => completeLine(typed, { session, sender, commands: this.#commands }));
    const { interactive } = terminal;
    this.#outbox = new Outbox({
      session,
      client,
      sender,
      say: (text) => screen.note(text),
      interactive,
      busy: () => this.#busy,
      afterLines: (work) => this.#typed.work("lines", work),
      unsentInputs,
    });
    this.#dialogue = new Dialogue({
      session,
      say: (text, options) => screen.say(text, options),
      send: (command) => sender.sendOrTell(command),
      keep: (text) => this.#outbox.keep(text),
      later: (work) => this.#queues.pushUncounted("answers", work),
      unanswered: (callId) => this.#seen.leaveUnanswered(callId),
      nowMs: () => clock.monotonic(),
      interactive,
      isSpoken: isLabelled === true,
    });
    this.#typed = new TypedLines({
      session,
      queues: this.#queues,
      screen,
      seen: this.#seen,
      sender,
      outbox: this.#outbox,
      dialogue: this.#dialogue,
      shell: this.#shell,
      interactive,
      busy: () => this.#busy,
      isLeft: () => this.#isLeft,
      showPrompt: () => this.#prompt.show(),
      after: (ms, work) => clock.timer(ms, () => this.#queues.pushUncounted("urgent", work)),
      command: (command) => {
        this.#command = runSlashCommand(command, this.#slashContext());
        return this.#command;
      },
    });
  }

  /** Lines that were entered but not processed when the session was left. */
  get ahead(): readonly string[] {
    return this.#typed.ahead;
  }

  /** Texts for the model that could not be sent before the session was left. */
  get kept(): readonly string[] {
    return this.#outbox.kept;
  }

  /** The session that the user switched to. */
  get next(): NextSession | undefined {
    return this.#next;
  }

  async run(): Promise<LineOutcome> {
    const sources = [
      ...clientEvents(this.#options, this.#sender, this.#signal),
      ...this.#queues.runAll().map((queue) => workDone(queue)),
    ];
    if (this.#options.isSwitch === true) await this.#typed.work("lines", () => this.#waitForSwitch());
    this.#queues.pushUncounted("lines", () => this.#waitForPast());
    for (const text of this.#options.typed ?? []) await this.#typed.take(text);
    this.#prompt.show();
    try {
      for await (const event of merge(sources)) {
        if (this.#next !== undefined) break; // the log has these events, and typed lines are for the next session
        await this.#take(event);
        this.#leaveWhenDone();
        if (this.#outcome !== undefined) break;
      }
      await this.#screen.flush();
      await this.#detach();
    } finally {
      this.#screen[Symbol.dispose]();
      this.#prompt[Symbol.dispose]();
      this.#leave.abort();
      this.#queues.end();
    }
    this.#options.signal.throwIfAborted();
    const why = this.#outcome ?? "ended";
    const { lastTurn, refused } = this.#seen;
    return { why, ...defined({ lastTurn }), ...(refused === 0 ? {} : { refused }) };
  }

  /** Detaches from a shared engine: the user will not come back to this session. */
  async #detach(): Promise<void> {
    const { shared = false, terminal, session: sessionId } = this.#options;
    const isLeft = this.#outcome === "quit" || (this.#outcome === "closed" && terminal.interactive);
    if (!shared || !isLeft) return;
    // A refusal means that the session or its engine has ended.
    await this.#sender.send({ kind: "DetachSession", sessionId, left: true });
  }

  /** Waits until the screen shows the new profile, under which the same line may do something else. */
  async #waitForSwitch(): Promise<void> {
    const { resolve: settle, promise } = this.#switchTold;
    using _limit = this.#options.clock.timer(SWITCH_TOLD_MS_MAX, settle);
    this.#signal.addEventListener("abort", () => settle(), { once: true });
    await promise;
  }

  async #waitForPast(): Promise<void> {
    const { resolve: settle, promise } = this.#pastRead;
    if ((this.#options.past ?? 0) === 0) return;
    this.#signal.addEventListener("abort", () => settle(), { once: true });
    await promise;
  }

  async #take(event: ClientEvent): Promise<void> {
    switch (event.kind) {
      case "event":
        await this.#event(event.envelope);
        if (reachedBy(event.envelope) >= (this.#options.past ?? 0)) await this.#caughtUp();
        return;
      case "notice":
        return await this.#screen.note(event.text);
      case "ended":
        if (!this.#isSwitching) this.#outcome = "ended";
        return;
      case "closed":
        return await this.#closed();
      case "worked":
        return;
      case "attached":
        if (event.refused !== undefined) await this.#screen.say(refusalText(event.refused));
        return;
      case "input":
        if (event.input.kind === "interrupt") return await this.#interrupt(event.input.atMs);
        this.#options.terminal.onLineTaken?.();
        return await this.#typed.take(event.input.text, event.input.answers);
      default:
        return unreachable(event);
    }
  }

  get #busy(): boolean {
    const follows = this.#seen.waiting.some(({ held }) => !held);
    return this.#outbox.pending || this.#seen.turn !== undefined || follows;
  }

  async #event(envelope: Envelope): Promise<void> {
    if (envelope.session === this.#run() && envelope.session !== this.#runSeen) {
      this.#runSeen = envelope.session;
      this.#dialogue.forget(); // the process that asked them has ended
    }
    const step = this.#seen.add(envelope);
    if (envelope.id > (this.#options.shown ?? 0)) await this.#screen.show(envelope, step);
    else this.#screen.recall(envelope, step);
    this.#ring(envelope);
    this.#commands.add(envelope);
    this.#shell.add(envelope);
    // Events of an earlier run of the same log are history: they are printed but change no state.
    if (!this.#seen.isOwn(envelope)) {
      if (envelope.kind === "PermissionRequested" || envelope.kind === "Asked") await this.#ask(envelope);
      return;
    }
    if (envelope.kind === "ProfileSwitched") {
      if (envelope.payload.next === undefined) this.#switchTold.resolve();
      await this.#followSwitch(envelope);
    }
    if (envelope.kind === "TurnStarted") {
      if (envelope.payload.originator === this.#options.connection.clientId) this.#outbox.turnStarted();
      // The turn was accepted after the user had left.
      if (this.#inputClosed && this.#options.terminal.interactive)
        await this.#typed.work("urgent", () => this.#cancel());
    }
    await this.#ask(envelope);
    if (planModeOf(envelope) !== undefined || envelope.kind === "TurnStarted") this.#prompt.show();
    const ended = this.#seen.ended(envelope);
    if (ended !== undefined) await this.#turnEnded(ended);
  }

  /** Rings for what happens now, not for history. */
  #ring(envelope: Envelope): void {
    const { rings = [], past = 0, terminal } = this.#options;
    const kind = this.#notified.add(envelope);
    const isNow = envelope.session === this.#run() && envelope.id > past;
    if (kind !== undefined && isNow && rings.includes(kind)) terminal.ring?.();
  }

  /** Moves to the session under the new profile, whichever client switched it. */
  async #followSwitch({ id, payload }: EnvelopeOf<"ProfileSwitched">): Promise<void> {
    const { next, inPlace = false } = payload;
    if (next === undefined || this.#isSwitching) return;
    this.#isSwitching = true;
    this.#isLeft = true;
    this.#dialogue.forget();
    await this.#typed.work("urgent", async () => {
      const found = await this.#sender.query({ kind: "GetSession", sessionId: next, last: 0 });
      if (found instanceof HarnessError) {
        await this.#screen.say(refusalText(found));
        this.#outcome = "ended";
        return;
      }
      // If this client switched, its command prints the result first.
      await Promise.allSettled([this.#command]);
      const { model } = found;
      const seen = inPlace ? { past: id, shown: id } : {};
      this.#next = { session: next, model, ...seen, isSwitch: true };
    });
  }

  async #turnEnded(text: string): Promise<void> {
    if (text !== "") await this.#screen.say(text);
    if (!this.#leaving) await this.#outbox.offer();
    this.#prompt.show();
  }

  #leaveWhenDone(): void {
    if (!this.#leaving || this.#busy || this.#queues.busy || this.#isLeft) return;
    if (this.#shell.isBusy && !this.#options.terminal.interactive) return;
    this.#outcome ??= this.#inputClosed ? "closed" : "quit";
  }

  async #ask(envelope: Envelope): Promise<void> {
    // Answers to questions of an earlier run are not needed.
    if (envelope.session !== this.#run()) return;
    const { past = 0, clock } = this.#options;
    if (envelope.id <= past) {
      this.#dialogue.recall(envelope, Math.max(0, clock.now() - Date.parse(envelope.ts)));
      return;
    }
    await this.#dialogue.resume();
    if (await this.#dialogue.follow(envelope)) this.#prompt.show();
  }

  /** Carries out typed lines and asks the questions still open, now that the history was read. */
  async #caughtUp(): Promise<void> {
    this.#pastRead.resolve();
    if (!this.#dialogue.isRecalling) return;
    await this.#dialogue.resume();
    this.#prompt.show();
  }

  #slashContext(): SlashContext {
    return lineSlashContext({
      session: this.#options.session,
      seen: this.#seen,
      screen: this.#screen,
      sender: this.#sender,
      outbox: this.#outbox,
      commands: this.#commands,
      nowMs: () => this.#options.clock.now(),
      busy: this.#busy,
      isSpoken: this.#options.isLabelled === true,
      fresh: this.#options.fresh,
      switched: () => {
        this.#isLeft = true;
      },
      goTo: (next) => {
        this.#next = next;
      },
      cancel: () => this.#cancel(),
      quit: () => this.#quit(),
      confirm: (text) => this.#confirm(text),
      takeBack: () => this.#dialogue.takeBackOwn(),
      ...this.#secrets(),
    });
  }

  /** A secret is asked for until this session is left. */
  #secrets(): Pick<SlashContext, "askSecret" | "overNetwork"> {
    const { terminal, overNetwork = false } = this.#options;
    if (terminal.askSecret === undefined) return { overNetwork };
    const askSecret = async (question: string) => await terminal.askSecret?.(question, this.#signal);
    return { askSecret, overNetwork };
  }

  /** Asks the user; a pipe cannot answer, which means yes. */
  async #confirm(text: string): Promise<boolean | undefined> {
    if (!this.#options.terminal.interactive) return true;
    const answer = this.#dialogue.confirm(text);
    this.#prompt.show();
    return await answer;
  }

  /** True if another client started the running turn: leaving here must not stop it (CTL-18). */
  get #isOthers(): boolean {
    const { connection, shared = false } = this.#options;
    const { originator } = this.#seen;
    return shared && originator !== undefined && originator !== connection.clientId;
  }

  async #quit(): Promise<void> {
    this.#dialogue.takeBackOwn();
    if (!this.#busy || this.#leaving || this.#isOthers) {
      this.#outcome = "quit";
      return;
    }
    this.#leaving = true;
    await this.#screen.say("Stopping the turn, then leaving.");
    await this.#cancel();
  }

  async #interrupt(atMs: number): Promise<void> {
    // As in a shell: it ends the command, whose result says so, and is no step on the way out.
    if (this.#shell.mayStop) {
      this.#dialogue.takeBackOwn();
      await this.#typed.work("urgent", () => this.#shell.stop());
      return this.#prompt.show();
    }
    if (atMs - this.#interruptedAtMs <= INTERRUPT_AGAIN_MS) {
      this.#outcome = "interrupt";
      return;
    }
    this.#interruptedAtMs = atMs;
    this.#dialogue.takeBackOwn();
    await this.#screen.say(INTERRUPT_BANNER);
    if (this.#busy || this.#queues.busy) await this.#typed.work("urgent", () => this.#cancel());
    this.#prompt.show();
  }

  async #closed(): Promise<void> {
    this.#inputClosed = true;
    this.#dialogue.inputClosed = true;
    this.#leaving = true;
    if (this.#isOthers) {
      this.#outcome ??= "closed";
      return;
    }
    this.#dialogue.refuseAll();
    // Closing the input of a terminal means leaving; a pipe has only sent its last line.
    if (this.#options.terminal.interactive && this.#busy)
      await this.#typed.work("answers", () => this.#cancel());
  }

  async #cancel(): Promise<void> {
    await this.#sender.sendOrTell({ kind: "CancelTurn", sessionId: this.#options.session });
  }

  #promptState(): PromptState {
    return {
      isLeaving: this.#outcome !== undefined || this.#next !== undefined || this.#isLeft,
      isContinued: this.#typed.isContinued,
      question: this.#dialogue.question,
      isBusy: this.#busy || this.#queues.busy,
      isPlanning: this.#seen.planMode,
      work: this.#seen.work,
    };
  }
}
