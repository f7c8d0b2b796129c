import type { SessionId } from "../../../base/ids.ts";
import { parseShellLine } from "../../../view/slash/shell-line.ts";
import type { SlashCommand, Typed } from "../../../view/slash/slash.ts";
import { parseTyped, printCommand } from "../../../view/slash/slash.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { refusalText } from "../../../view/texts/refusal-text.ts";
import type { OwnShellRuns } from "../../slash/own-shell-runs.ts";
import type { Sender } from "../../slash/sender.ts";
import type { SessionScreen } from "../output/session-screen.ts";
import type { Dialogue } from "../questions/dialogue.ts";
import type { LineSessionView } from "../session/line-session-view.ts";
import { ContinuedLine } from "./continued-line.ts";
import type { Outbox } from "./outbox.ts";
import type { Work, WorkQueue, WorkQueues } from "./work-queues.ts";
import { WORK_AHEAD_MAX } from "./work-queues.ts";

export interface TypedLinesDependencies {
  readonly session: SessionId;
  readonly queues: WorkQueues;
  readonly screen: SessionScreen;
  /** The session as this client has read it. */
  readonly seen: Pick<LineSessionView, "waiting">;
  readonly sender: Sender;
  readonly outbox: Outbox;
  readonly dialogue: Dialogue;
  /** True if a person sits at the terminal. */
  readonly interactive: boolean;
  /** Returns true while a turn runs or is queued. */
  readonly busy: () => boolean;
  /** Returns true once another session replaces this one: lines not yet processed go to that one. */
  readonly isLeft: () => boolean;
  readonly showPrompt: () => void;
  /** Schedules work after `ms`; disposing the result cancels it. */
  readonly after: (ms: number, work: Work) => Disposable;
  /** Runs the user's commands for the shell. */
  readonly shell: Pick<OwnShellRuns, "run">;
  /** Runs a slash command. */
  readonly command: (command: SlashCommand) => Promise<void>;
}

/** A command that runs longer than this is reported as waiting. */
const WAITING_TOLD_MS = 500;

/** Dispatches typed lines to their queues: answers, commands and texts for the model. */
export class TypedLines {
  readonly #dependencies: TypedLinesDependencies;
  readonly #continued = new ContinuedLine();
  /** The question that the first line of a continued text was typed for. */
  #begunFor: object | undefined;
  /** Entered commands and texts for the model that are not yet processed. */
  #ahead: readonly string[] = [];
  /** True while one of them is being processed. */
  #isWorking = false;

  constructor(dependencies: TypedLinesDependencies) {
    this.#dependencies = dependencies;
  }

  /** Lines that were entered and are not yet processed. */
  get ahead(): readonly string[] {
    return this.#ahead;
  }

  /** True while the last line continues. */
  get isContinued(): boolean {
    return this.#continued.open;
  }

  /** Takes a line. `answers`: the question that it was typed for, if any. */
  async take(text: string, answers?: object): Promise<void> {
    if (!this.#continued.open) this.#begunFor = answers;
    const whole = this.#continued.add(text);
    if (whole === undefined) {
      this.#dependencies.showPrompt();
      return;
    }
    const typed = parseTyped(whole);
    const question = this.#begunFor === answers ? answers : undefined;
    if (isUrgent(typed)) await this.work("urgent", () => this.#entered(whole));
    else if (question !== undefined && typed.kind !== "command" && parseShellLine(whole) === undefined)
      await this.work("answers", () => this.#answered(whole, question));
    else {
      this.#ahead = [...this.#ahead, whole];
      const waiting = this.#watchWaiting(typed);
      await this.work("lines", async () => {
        using _told = waiting;
        if (this.#dependencies.isLeft()) return;
        this.#ahead = this.#ahead.slice(1);
        await this.#worked(whole);
      });
      // The line before it waits for an answer that a pipe can no longer give.
      if (this.#isWorking && !this.#dependencies.interactive) this.#dependencies.dialogue.leave();
    }
  }

  /** Prints a notice if a command waits because an earlier question is still open. */
  #watchWaiting(typed: Typed): Disposable | undefined {
    const { dialogue, screen, interactive, after } = this.#dependencies;
    const { question } = dialogue;
    if (typed.kind !== "command" || question === undefined || !interactive) return undefined;
    return after(WAITING_TOLD_MS, async () => {
      if (dialogue.question !== question) return;
      await screen.note(`${printCommand(typed)} waits for the answer to the question above.`);
    });
  }

  /** Adds work to a queue; prints a notice if the queue is full. */
  async work(queue: WorkQueue, work: Work): Promise<void> {
    if (this.#dependencies.queues.push(queue, work)) return;
    await this.#dependencies.screen.say(`Not taken: ${WORK_AHEAD_MAX} lines wait for the engine already.`);
  }

  async #worked(text: string): Promise<void> {
    this.#isWorking = true;
    try {
      await this.#entered(text);
    } finally {
      this.#isWorking = false;
    }
  }

  /** Uses the line only for the question that it was typed for, not for one opened since (PERM-14). */
  async #answered(text: string, question: object): Promise<void> {
    const { dialogue, screen, outbox } = this.#dependencies;
    if (dialogue.question === question) return await dialogue.answer(text);
    const isKept = text.trim().length > 1;
    if (isKept) outbox.keep(text);
    const notice = isKept ? " Your text is kept for later." : "";
    await screen.say(`Not counted as an answer: its question was settled before.${notice}`);
  }

  async #entered(text: string): Promise<void> {
    const { screen, outbox, busy, command } = this.#dependencies;
    const shellLine = parseShellLine(text);
    if (shellLine?.command === "")
      return await screen.say("Write the command behind the !, as in !git status.");
    if (shellLine !== undefined) {
      const refused = await this.#dependencies.shell.run(shellLine);
      return refused === undefined ? undefined : await screen.say(refusalText(refused));
    }
    const typed = parseTyped(text);
    if (typed.kind === "invalid") return await screen.say(neutraliseLine(typed.why));
    if (typed.kind === "command") return await command(typed);
    if (typed.text.trim() !== "") return await outbox.sendText(typed.text);
    if (busy()) return;
    const unsentInput = outbox.take();
    if (unsentInput === undefined) await this.#sendHeld();
    else await outbox.sendText(unsentInput);
  }

  /** Sends the first held input again; those after it follow. */
  async #sendHeld(): Promise<void> {
    const { screen, seen, sender, outbox, session: sessionId } = this.#dependencies;
    const heldInput = seen.waiting.find((input) => input.held);
    if (heldInput === undefined) return;
    const { inputId, content } = heldInput;
    screen.resends(inputId);
    if ((await sender.sendOrTell({ kind: "WithdrawInput", sessionId, inputId })) !== undefined) return;
    await outbox.send(content);
  }
}

/** Returns true for commands that stop something: they wait for no earlier line. */
function isUrgent(typed: Typed): boolean {
  if (typed.kind !== "command" || typed.namespace !== undefined) return false;
  return typed.name === "cancel" || typed.name === "quit" || typed.name === "exit";
}
