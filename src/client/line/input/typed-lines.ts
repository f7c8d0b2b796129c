import type { SessionId } from "../../../base/ids.ts";
import type { SlashCommand, Typed } from "../../../view/slash/slash.ts";
import { parseTyped, printCommand } from "../../../view/slash/slash.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import type { Screen } from "../output/screen.ts";
import type { Dialogue } from "../questions/dialogue.ts";
import { ContinuedLine } from "./continued-line.ts";
import type { Lane, Lanes, Work } from "./lanes.ts";
import { WORK_AHEAD_MAX } from "./lanes.ts";
import type { Outbox } from "./outbox.ts";
import type { Sender } from "./sender.ts";

export interface TypedLinesParts {
  readonly session: SessionId;
  readonly lanes: Lanes;
  readonly screen: Screen;
  readonly sender: Sender;
  readonly outbox: Outbox;
  readonly dialogue: Dialogue;
  /** Whether a person sits there. */
  readonly interactive: boolean;
  /** Whether a turn runs or follows. */
  readonly busy: () => boolean;
  /** Whether another session takes the place of this one: what has not begun is for that one. */
  readonly isLeft: () => boolean;
  readonly showPrompt: () => void;
  /** Has something done after a while, unless what it gives was disposed of by then. */
  readonly after: (ms: number, work: Work) => Disposable;
  /** Carries out a slash command. */
  readonly command: (command: SlashCommand) => Promise<void>;
}

/** A command that has not ended after this time waits. */
const WAITING_TOLD_MS = 500;

/** What a person types, line by line: answers, commands, and texts for the model, each dealt with in its lane. */
export class TypedLines {
  readonly #parts: TypedLinesParts;
  readonly #continued = new ContinuedLine();
  /** The question that the first line of a continued one was typed for. */
  #begunFor: object | undefined;
  /** Lines that were entered for the model, or are commands, and have not begun. */
  #ahead: readonly string[] = [];
  /** Whether one of them is being dealt with. */
  #isWorking = false;

  constructor(parts: TypedLinesParts) {
    this.#parts = parts;
  }

  /** Lines that were entered and have not begun. */
  get ahead(): readonly string[] {
    return this.#ahead;
  }

  /** Whether a line was begun that goes on. */
  get isContinued(): boolean {
    return this.#continued.open;
  }

  /** Takes a line; `answers` is the question that it was typed for, if any. */
  async take(text: string, answers?: object): Promise<void> {
    if (!this.#continued.open) this.#begunFor = answers;
    const whole = this.#continued.add(text);
    if (whole === undefined) {
      this.#parts.showPrompt();
      return;
    }
    const typed = parseTyped(whole);
    const question = this.#begunFor === answers ? answers : undefined;
    if (isUrgent(typed)) await this.work("urgent", () => this.#entered(whole));
    else if (question !== undefined && typed.kind !== "command")
      await this.work("answers", () => this.#answered(whole, question));
    else {
      this.#ahead = [...this.#ahead, whole];
      const waiting = this.#watchWaiting(typed);
      await this.work("lines", async () => {
        using _told = waiting;
        if (this.#parts.isLeft()) return;
        this.#ahead = this.#ahead.slice(1);
        await this.#worked(whole);
      });
      // It waits for the line before it, which waits for an answer, and a pipe has no other line for that.
      if (this.#isWorking && !this.#parts.interactive) this.#parts.dialogue.leave();
    }
  }

  /** What a command asks of the engine may wait for the answer to the question that is open, and those behind it too. */
  #watchWaiting(typed: Typed): Disposable | undefined {
    const { dialogue, screen, interactive, after } = this.#parts;
    const { question } = dialogue;
    if (typed.kind !== "command" || question === undefined || !interactive) return undefined;
    return after(WAITING_TOLD_MS, async () => {
      if (dialogue.question !== question) return;
      await screen.note(`${printCommand(typed)} waits for the answer to the question above.`);
    });
  }

  /** Has something done in its lane; where too much waits there, that is told. */
  async work(lane: Lane, work: Work): Promise<void> {
    if (this.#parts.lanes.push(lane, work)) return;
    await this.#parts.screen.say(`Not taken: ${WORK_AHEAD_MAX} lines wait for the engine already.`);
  }

  async #worked(text: string): Promise<void> {
    this.#isWorking = true;
    try {
      await this.#entered(text);
    } finally {
      this.#isWorking = false;
    }
  }

  /** The line answers the question that it was typed for, and no other one that stands there by now (PERM-14). */
  async #answered(text: string, question: object): Promise<void> {
    const { dialogue, screen, outbox } = this.#parts;
    if (dialogue.question === question) return await dialogue.answer(text);
    const isKept = text.trim().length > 1;
    if (isKept) outbox.keep(text);
    const kept = isKept ? " Your text is kept for later." : "";
    await screen.say(`Not counted as an answer: its question was settled before.${kept}`);
  }

  async #entered(text: string): Promise<void> {
    const { screen, outbox, busy, command } = this.#parts;
    const typed = parseTyped(text);
    if (typed.kind === "invalid") return await screen.say(neutraliseLine(typed.why));
    if (typed.kind === "command") return await command(typed);
    if (typed.text.trim() !== "") return await outbox.sendText(typed.text);
    if (busy()) return;
    const kept = outbox.take();
    if (kept === undefined) await this.#sendHeld();
    else await outbox.sendText(kept);
  }

  /** Sends the first input that is held as one of now; those after it follow. */
  async #sendHeld(): Promise<void> {
    const { screen, sender, outbox, session: sessionId } = this.#parts;
    const held = screen.view.waiting.find((input) => input.held);
    if (held === undefined) return;
    const { inputId, content } = held;
    screen.resends(inputId);
    if ((await sender.sendOrTell({ kind: "WithdrawInput", sessionId, inputId })) !== undefined) return;
    await outbox.send(content);
  }
}

/** What stops something waits for nothing that was typed before. */
function isUrgent(typed: Typed): boolean {
  if (typed.kind !== "command" || typed.namespace !== undefined) return false;
  return typed.name === "cancel" || typed.name === "quit" || typed.name === "exit";
}
