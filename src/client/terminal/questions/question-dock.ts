import { HarnessError, hasReason } from "../../../base/errors.ts";
import { count } from "../../../base/text/text.ts";
import type { AcceptedOf } from "../../../protocol/commands/results.ts";
import {
  leftOutText,
  questionWords,
  UNCERTAIN_TEXT,
  unansweredText,
} from "../../../view/questions/question-words.ts";
import type { Question } from "../../../view/questions/questions.ts";
import { questionId } from "../../../view/questions/questions.ts";
import { displayName } from "../../../view/session/clients.ts";
import { AnswerGuard } from "../../../view/terminal/answer-guard.ts";
import { refusalText } from "../../../view/texts/refusal-text.ts";
import type { DrawnRow } from "../drawing/span.ts";
import { EMPTY_ROW, row, span } from "../drawing/span.ts";
import { widthOfSpans, wrapSpans } from "../drawing/wrap-spans.ts";
import type { ActionName, KeyContext } from "../keys/actions.ts";
import { inBackground } from "../layout/in-background.ts";
import type { DrawnPart, Overlay, ScreenPart } from "../layout/part.ts";
import { inSight } from "../layout/part.ts";
import type { Services } from "../layout/services.ts";
import type { OpenSession } from "../options.ts";
import type { Size } from "../screen/screen.ts";
import { AskDialog } from "./ask-dialog.ts";
import type { AnswerCommand, Dialog } from "./dialog.ts";
import { answerRows } from "./dialog.ts";
import { FullQuestion } from "./full-question.ts";
import { PermissionDialog } from "./permission-dialog.ts";

const SECOND_MS = 1_000;
/** Longer time limits are not counted down. */
const COUNTED_MS_MAX = 3_600_000;
const GONE = "The question is gone: its turn has ended.";
const WORDS_BACK = "The question is gone: what you wrote for it is in the draft.";
/** Actions that answer a question, or may. */
const ANSWERS: ReadonlySet<ActionName> = new Set([
  "question.once",
  "question.session",
  "question.tool",
  "question.deny",
  "dialog.send",
  "dialog.decline",
  "review.accept",
  "review.decline",
  "input.send",
]);

type AnswerOutcome = AcceptedOf<AnswerCommand["kind"]> | HarnessError;

/** State of one open question in this client. */
interface QuestionState {
  readonly dialog: Dialog;
  /** Monotonic time at which it was first drawn. */
  readonly sinceMs: number;
  /** True from the answer on, until it is refused. */
  isSent: boolean;
  /** First row of the body that is shown. */
  top: number;
  /** Version of the dialog at the last frame. */
  version: number;
  /** The rows of the last frame, and all that they depend on. */
  body?: { readonly of: readonly unknown[]; readonly rows: readonly DrawnRow[] };
}

/**
 * The question that waits for a person, above the draft. Keys answer it once it has been on the screen for 300 ms
 * without any key; each earlier key goes to the draft (PERM-14). So does one while the screen is too small for a row of
 * what is asked.
 */
export class QuestionDock implements ScreenPart, Disposable {
  readonly #services: Services;
  readonly #guard: AnswerGuard;
  /** By the request or the ask of the question. */
  readonly #entry = new Map<object, QuestionState>();
  /** Id of the question that the person went to. */
  #chosen: string | undefined;
  #tick: Disposable | undefined;
  #full: Overlay | undefined;
  /** Rows that the body had in the last frame. */
  #room = 0;
  #bodyRows = 0;
  /** True if the last frame had a row of what is asked. */
  #isInSight = false;

  constructor(services: Services) {
    this.#services = services;
    this.#guard = new AnswerGuard(services.clock, () => services.redraw());
  }

  /** The question that is shown: the one that was gone to, else the oldest that is not answered. */
  get question(): Question | undefined {
    const open = this.#questions;
    const isSent = (question: Question) => this.#entry.get(asked(question))?.isSent === true;
    const waiting = open.filter((question) => !isSent(question));
    return waiting.find((question) => questionId(question) === this.#chosen) ?? waiting[0] ?? open[0];
  }

  get contexts(): readonly KeyContext[] {
    return this.#shown?.dialog.contexts ?? [];
  }

  /** True if a key goes to the question first. */
  get takesKeys(): boolean {
    const { question } = this;
    if (question === undefined || this.#guard.question !== asked(question)) return false;
    const entry = this.#entry.get(asked(question));
    if (entry === undefined || entry.isSent) return false;
    return entry.dialog.hasFocus || this.#guard.state === "open";
  }

  /** Counts a key that the question did not take: it restarts the time until the question takes keys. */
  noteKey(): void {
    this.#guard.pasted();
  }

  draw({ columns, rows: height }: Size): DrawnPart {
    const { question } = this;
    if (question === undefined) return { rows: [] };
    const entry = this.#keep(question);
    const { dialog } = entry;
    const isLive = this.takesKeys;
    // On a low screen the field comes first, then one row of each other part.
    const field = dialog.field?.draw({ columns, rows: Math.max(1, Math.floor(height / 3)) });
    const rest = height - (field?.rows.length ?? 0);
    const head = wrapSpans([span(this.#heading(question, entry), { role: "warning", isBold: true })], {
      columns,
    }).slice(0, Math.max(1, Math.floor(rest / 3)));
    const answers = (
      entry.isSent
        ? wrapSpans([span("The answer is on its way.", { role: "dim" })], { columns })
        : answerRows(dialog.answers(), { columns, rowsMax: Math.max(2, Math.floor(height / 2)), isLive })
    ).slice(0, Math.max(1, rest - head.length - 1));
    const below = (field?.rows.length ?? 0) + answers.length;
    this.#room = Math.max(1, height - head.length - below);
    const body = this.#body(question, entry, columns);
    const shown = this.#window(entry, body, columns);
    const all = [...head, ...shown, ...(field?.rows ?? []), ...answers];
    this.#isInSight = body.length === 0 || height > head.length;
    if (field?.cursor === undefined || !isLive) return { rows: all.slice(0, height) };
    const { cursor } = field;
    return inSight(
      { rows: all, cursor: { row: head.length + shown.length + cursor.row, column: cursor.column } },
      height,
    );
  }

  /** A question that is in sight begins its quiet time and its countdown. */
  drawn(): void {
    const { question } = this;
    this.#guard.ask(question === undefined ? undefined : asked(question));
    if (question === undefined) this.#chosen = undefined;
    else if ((this.#leftMs(question, this.#keep(question)) ?? 0) > 0) this.#countDown();
  }

  /** Takes an event of the session. Words for a question that is gone come into the draft. */
  changed(): void {
    if (this.#full !== undefined && this.question === undefined) this.#services.close(this.#full);
    if (this.#entry.size === 0) return;
    const open = new Set<object>(this.#questions.map(asked));
    for (const [key, { dialog, isSent }] of this.#entry) {
      if (open.has(key)) continue;
      this.#entry.delete(key);
      if (isSent || !this.#bringBack(dialog.field?.text ?? "")) continue;
      this.#services.say(WORDS_BACK, "warning");
    }
  }

  [Symbol.dispose](): void {
    this.#guard[Symbol.dispose]();
    this.#tick?.[Symbol.dispose]();
    this.#tick = undefined;
  }

  act(action: ActionName): boolean {
    const shown = this.#shown;
    if (shown === undefined || !this.takesKeys) return false;
    if (!this.#isInSight && ANSWERS.has(action)) {
      const key = this.#services.keys.label("dialog.full", "the palette");
      this.#services.say(`What is asked is not in sight: ${key}, or a larger screen, shows it.`, "warning");
      return shown.dialog.hasFocus;
    }
    const isTaken = shown.dialog.act(action) || this.#actAround(action, shown);
    if (isTaken) this.#services.redraw();
    return isTaken;
  }

  type(text: string): boolean {
    const dialog = this.#shown?.dialog;
    const isBlind = !this.#isInSight && dialog?.field === undefined;
    const isTaken = this.takesKeys && !isBlind && dialog?.type(text) === true;
    if (isTaken) this.#services.redraw();
    return isTaken;
  }

  /** A pasted text never answers: an open field takes it, else the draft. */
  paste(text: string): boolean {
    const { field } = this.#shown?.dialog ?? {};
    if (field === undefined || !this.takesKeys) return false;
    return this.#shown?.dialog.type(text) === true;
  }

  get #questions(): readonly Question[] {
    return this.#services.session.view.run?.questions ?? [];
  }

  get #shown(): QuestionState | undefined {
    const { question } = this;
    return question === undefined ? undefined : this.#entry.get(asked(question));
  }

  /** Scrolls, goes to another question, or shows it on the whole screen. */
  #actAround(action: ActionName, entry: QuestionState): boolean {
    switch (action) {
      case "transcript.pageUp":
      case "transcript.pageDown": {
        if (this.#bodyRows <= this.#room) return false;
        const by = Math.max(1, this.#room - 2) * (action === "transcript.pageUp" ? -1 : 1);
        entry.top = Math.max(0, Math.min(this.#bodyRows - this.#room, entry.top + by));
        return true;
      }
      case "dialog.other":
        return this.#goOn();
      case "dialog.full":
        if (this.#full !== undefined) return false;
        this.#showFull();
        return true;
      default:
        return false;
    }
  }

  #goOn(): boolean {
    const open = this.#questions;
    if (open.length < 2) return false;
    const at = this.question === undefined ? -1 : open.indexOf(this.question);
    const next = open[(at + 1) % open.length];
    this.#chosen = next === undefined ? undefined : questionId(next);
    return true;
  }

  #showFull(): void {
    if (this.#full !== undefined) return;
    this.#full = new FullQuestion(this, this.#services, () => {
      this.#full = undefined;
    });
    this.#services.open(this.#full);
    this.#services.redraw();
  }

  #keep(question: Question): QuestionState {
    const key = asked(question);
    const known = this.#entry.get(key);
    if (known !== undefined) return known;
    const services = this.#services;
    const options = {
      services,
      answer: (command: AnswerCommand) => inBackground(this.#answer(command, key), services),
      showFull: () => this.#showFull(),
      isFull: () => this.#full !== undefined,
    };
    const dialog =
      question.kind === "permission"
        ? new PermissionDialog(question.request, options)
        : new AskDialog(question.ask, options);
    const entry = { dialog, sinceMs: services.clock.monotonic(), isSent: false, top: 0, version: 0 };
    this.#entry.set(key, entry);
    return entry;
  }

  async #answer(command: AnswerCommand, key: object): Promise<void> {
    const entry = this.#entry.get(key);
    if (entry === undefined || entry.isSent) return;
    const written = writtenFor(command, entry.dialog);
    entry.isSent = true;
    let isTaken = false;
    try {
      const { session } = this.#services;
      const { open } = session;
      const answer = await session.send(command);
      isTaken = !(answer instanceof HarnessError);
      const isGone = await this.#isGone(answer, open);
      if (isGone) this.#services.say(GONE, "warning");
      else this.#showOutcome(answer);
      this.#keepWritten(written, key, isGone ? undefined : answer);
    } finally {
      entry.isSent = isTaken;
      this.#services.redraw();
    }
  }

  /** Brings the words of an answer back that was not taken. @param answer undefined: the question is gone. */
  #keepWritten(written: string, key: object, answer: AnswerOutcome | undefined): void {
    if (answer instanceof HarnessError) {
      // The question is still open, and its field may have them.
      if (this.#entry.get(key)?.dialog.field === undefined) this.#bringBack(written);
    } else if (answer === undefined || answer.result?.counted === false) {
      this.#entry.delete(key);
      this.#bringBack(written);
    }
  }

  /** Puts words into the draft. Returns false if there are none. */
  #bringBack(words: string): boolean {
    if (words.trim() === "") return false;
    this.#services.draft.bringBack(words);
    return true;
  }

  /** Returns true for a refusal because nothing is asked any more, such as after a restart of the engine. */
  async #isGone(answer: AnswerOutcome, open: OpenSession | undefined): Promise<boolean> {
    if (!hasReason(answer, "InvalidCommand") || open === undefined) return false;
    const info = await this.#services.session.infoOf(open, { isFresh: true });
    return !(info instanceof HarnessError) && info.questions === 0;
  }

  #showOutcome(answer: AnswerOutcome): void {
    const { say } = this.#services;
    if (answer instanceof HarnessError) {
      this.#guard.pasted();
      say(refusalText(answer), "failure");
    } else if (answer.result?.counted === false)
      say("Another answer came first: yours does not count.", "warning");
  }

  #heading(question: Question, entry: QuestionState): string {
    const open = this.#questions;
    const place = open.length < 2 ? "" : ` · ${open.indexOf(question) + 1} of ${open.length}`;
    const { originator } = asked(question);
    const { session } = this.#services;
    const isOther = originator !== undefined && originator !== session.self;
    const by = isOther ? ` · for ${displayName(session.view.clients, originator)}` : "";
    const leftMs = this.#leftMs(question, entry);
    const limit = leftMs === undefined ? "" : ` · ${Math.ceil(leftMs / SECOND_MS)} s left`;
    const { heading } = entry.dialog;
    const facts = `${by}${place}${limit}`;
    return facts === "" ? heading : `${heading.replace(/:$/, "")}${facts}`;
  }

  /** Returns the time that is left. A limit that counts only while nobody is there does not count now. */
  #leftMs(question: Question, { sinceMs }: QuestionState): number | undefined {
    const { timeoutMs, onlyUnattended } = asked(question);
    if (timeoutMs === undefined || onlyUnattended === true || timeoutMs > COUNTED_MS_MAX) return undefined;
    return Math.max(0, sinceMs + timeoutMs - this.#services.clock.monotonic());
  }

  #countDown(): void {
    if (this.#tick !== undefined) return;
    this.#tick = this.#services.clock.timer(SECOND_MS, () => {
      this.#tick = undefined;
      this.#services.redraw();
    });
  }

  #body(question: Question, entry: QuestionState, columns: number): readonly DrawnRow[] {
    const { version } = entry.dialog;
    const layout = this.#services.settings.values.diffLayout;
    const of = [question, columns, version, layout];
    if (entry.body?.of.every((each, at) => each === of[at]) === true) return entry.body.rows;
    entry.body = { of, rows: [...entry.dialog.body(columns), ...noteRows(question, columns)] };
    return entry.body.rows;
  }

  /** Returns the part of the body that fits, with the count of hidden rows. */
  #window(entry: QuestionState, body: readonly DrawnRow[], columns: number): readonly DrawnRow[] {
    this.#bodyRows = body.length;
    const room = this.#room;
    if (body.length <= room) {
      entry.top = 0;
      return body;
    }
    const { dialog } = entry;
    if (entry.version !== dialog.version) {
      entry.version = dialog.version;
      entry.top = dialog.rowInSight?.(columns) ?? 0;
    }
    entry.top = Math.max(0, Math.min(entry.top, body.length - Math.max(1, room - 1)));
    if (room === 1) return [onlyRow(body[entry.top] ?? EMPTY_ROW, body.length - 1, columns)];
    const shown = body.slice(entry.top, entry.top + room - 1);
    const above = entry.top;
    const below = body.length - entry.top - shown.length;
    const { keys } = this.#services;
    // On the whole screen the last row names the keys.
    const more = this.#full === undefined ? ` · ${keys.label("dialog.full")} shows all` : "";
    const hidden = [
      ...(above === 0 ? [] : [`${count(above, "row")} above`]),
      ...(below === 0 ? [] : [`${count(below, "row")} below`]),
    ];
    const text = `… ${hidden.join(", ")}${more}`;
    return [...shown, ...wrapSpans([span(text, { role: "dim" })], { columns }).slice(0, 1)];
  }
}

/** Returns one row of a body, with the count of the others behind it. */
function onlyRow({ spans }: DrawnRow, others: number, columns: number): DrawnRow {
  const count = span(` … +${others}`, { role: "dim" });
  const room = Math.max(1, columns - widthOfSpans([count]));
  const [first = EMPTY_ROW] = wrapSpans(spans, { columns: room, byWords: false });
  return row([...first.spans, count]);
}

/** Returns what was asked, the same object as long as it is not asked again. */
function asked(question: Question) {
  return question.kind === "permission" ? question.request : question.ask;
}

/** Returns the words of a person that an answer has; empty for a choice. */
function writtenFor(command: AnswerCommand, { field }: Dialog): string {
  if (command.kind === "AnswerPermission") return command.words ?? "";
  return command.answer === null ? "" : (field?.text ?? "");
}

/** Returns rows about an incomplete or uncertain question, and about what happens without an answer. */
function noteRows(question: Question, columns: number): readonly DrawnRow[] {
  const { timeoutMs, onlyUnattended } = asked(question);
  const unanswered = question.kind === "asked" ? questionWords(question.ask).unanswered : undefined;
  const lines = [
    ...(question.leftOut === undefined ? [] : [leftOutText(question.leftOut)]),
    ...(question.isUncertain === true ? [UNCERTAIN_TEXT] : []),
    ...(timeoutMs === undefined || timeoutMs > COUNTED_MS_MAX
      ? []
      : [limitText(unansweredText(timeoutMs, unanswered), onlyUnattended === true)]),
  ];
  return lines.flatMap((line) => wrapSpans([span(line, { role: "dim" })], { columns }));
}

/** Returns the sentence about a missing answer; a limit that counts only while nobody is there says so. */
function limitText(sentence: string, isUnattended: boolean): string {
  return isUnattended
    ? `While nobody is here: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`
    : sentence;
}
