import { defined } from "../../../base/defined.ts";
import type { Clock } from "../../../base/world.ts";
import type { AskedLine, LineInput } from "../../../client/line/input/terminal.ts";
import { AnswerGuard } from "../../../view/terminal/answer-guard.ts";
import type { TypedPiece } from "../../../view/terminal/bracketed-paste.ts";
import { isBurst } from "../../../view/terminal/bracketed-paste.ts";
import { PastedTexts } from "./pasted-texts.ts";

/** The line editor of a terminal. */
export interface LineEditor {
  /** False if the system edits the line: nothing can be inserted into it. */
  readonly canEdit: boolean;
  /** True if prompts follow the questions, so that refused text is kept for the next one. */
  readonly hasPrompts: boolean;
  readonly line: string;
  readonly cursor: number;
  /** Replaces the line, and shows it. */
  replace(line: string, cursor: number): void;
  /** Shows line and prompt again. */
  redraw(): void;
  /** Passes keys to the editor. */
  press(keys: string): void;
  /** Prints a sentence above the line. */
  tell(text: string): void;
}

const EARLY = "Not taken: keys count as an answer only after a pause of 0.3 s. Answer now.";
/** Two lines within this time were pasted, not typed. */
const LINE_PAUSE_MS = 50;
const PASTED = "A question takes no pasted text.";
const TOGETHER = "Not taken: keys and Enter arrived at once, as in a paste. Press them again.";
/** Enter, also with Alt. */
const ENTER = /\u001b?[\r\n]/g;

/**
 * The line that a person types, and the part of it that answers a question (PERM-14).
 *
 * A pasted text goes into the line and enters nothing. While a question has just appeared, keys go into the line that
 * was started before it, and Enter does nothing. Then that line is put aside until the question is settled.
 */
export class TypedLine implements Disposable {
  readonly #clock: Pick<Clock, "timer">;
  readonly #editor: LineEditor;
  readonly #pasted = new PastedTexts();
  readonly #guard: AnswerGuard;
  #asked: AskedLine | undefined;
  /** The line that is put aside while a question is answered. */
  #draft: string | undefined;
  /** True if a line was started before the question. */
  #isBegun = false;
  #held: Disposable | undefined;

  constructor(clock: Pick<Clock, "timer">, editor: LineEditor) {
    this.#clock = clock;
    this.#editor = editor;
    this.#guard = new AnswerGuard(clock, () => this.#answersBegin());
  }

  /** True while keys do not answer the question yet: its prompt is not shown. */
  get isEarly(): boolean {
    return this.#guard.state === "waiting";
  }

  /** Takes the question that the next line answers; undefined for none. Returns false if it is the same as before. */
  ask(asked: AskedLine | undefined): boolean {
    this.#asked = asked;
    if (!this.#guard.ask(asked?.question)) return false;
    const { line } = this.#editor;
    if (this.#draft !== undefined) this.#replace(joined(this.#draft, line.trim().length > 1 ? line : ""));
    this.#draft = undefined;
    this.#isBegun = this.#editor.line !== "";
    return true;
  }

  take(piece: TypedPiece): void {
    const isAsked = this.#guard.state !== "none";
    if (piece.kind === "paste" || (isAsked && isBurst(piece.text))) this.#paste(piece.text);
    else if (this.#guard.state === "open" && this.#editor.canEdit && isEnteredAtOnce(piece.text))
      this.#enteredAtOnce(piece.text);
    else this.#keys(piece);
  }

  #keys(piece: TypedPiece): void {
    this.#guard.key();
    if (this.#guard.state === "open" && !this.#editor.canEdit) {
      this.#hold(piece.text);
      return;
    }
    if (!this.isEarly) {
      this.#editor.press(piece.text);
      return;
    }
    const rest = piece.text.replaceAll(ENTER, "");
    if (rest !== "" && this.#editor.canEdit) this.#editor.press(rest);
    if (rest !== piece.text) this.#refuseEnter();
  }

  /** Returns the meaning of a line that was entered in the editor. */
  entered(line: string): LineInput {
    const { question } = this.#guard;
    const answers = defined({ answers: question });
    return { kind: "line", text: this.#pasted.entered(line), ...answers };
  }

  /** A system that edits the line passes one at a time: lines that follow at once were pasted with it. */
  #hold(line: string): void {
    const isFirst = this.#held === undefined;
    this.#held?.[Symbol.dispose]();
    this.#held = this.#clock.timer(LINE_PAUSE_MS, () => {
      this.#held = undefined;
      if (isFirst) this.#editor.press(line);
      else this.#paste("");
    });
  }

  #paste(text: string): void {
    const { canEdit, hasPrompts } = this.#editor;
    const isAsked = this.#guard.state !== "none";
    const isWanted = !isAsked || (this.#draft !== undefined && this.#asked?.takesPaste === true);
    this.#guard.pasted();
    if (this.#draft === undefined || isWanted) this.#insert(text);
    else this.#draft = joined(this.#draft, this.#pasted.shown(text, this.#draft));
    if (isWanted) return;
    this.#isBegun = true;
    this.#editor.tell(canEdit && hasPrompts ? `${PASTED} It is kept for your next prompt.` : PASTED);
  }

  /** A terminal without bracketed paste sends a pasted line like that; so do two keys while this process was busy. */
  #enteredAtOnce(text: string): void {
    const typed = text.replaceAll(ENTER, "").trim();
    if (this.#asked?.takesPaste === true || typed.length > 1) {
      this.#paste(text);
      return;
    }
    this.#guard.pasted();
    this.#editor.tell(TOGETHER);
  }

  #insert(text: string): void {
    const { line, cursor } = this.#editor;
    const before = line.slice(0, cursor);
    const shown = this.#pasted.shown(text, before);
    this.#editor.replace(before + shown + line.slice(cursor), cursor + shown.length);
  }

  #refuseEnter(): void {
    const isAnswer = this.#draft !== undefined;
    const isKept = this.#isBegun && this.#editor.canEdit && !isAnswer;
    if (!isKept && !isAnswer) this.#replace("");
    this.#editor.tell(
      isKept && this.#editor.hasPrompts ? `${EARLY} Your line is kept for the next prompt.` : EARLY,
    );
  }

  /** The line is the answer from now on. */
  #answersBegin(): void {
    if (this.#draft === undefined) {
      this.#draft = this.#editor.line;
      this.#replace("");
    }
    this.#editor.redraw();
  }

  #replace(line: string): void {
    if (line !== this.#editor.line) this.#editor.replace(line, line.length);
  }

  [Symbol.dispose](): void {
    this.#held?.[Symbol.dispose]();
    this.#guard[Symbol.dispose]();
  }
}

/** Returns true for a text with Enter and another key. */
function isEnteredAtOnce(text: string): boolean {
  const rest = text.replaceAll(ENTER, "");
  return rest !== "" && rest !== text;
}

function joined(first: string, second: string): string {
  return first === "" || second === "" ? first + second : `${first} ${second}`;
}
