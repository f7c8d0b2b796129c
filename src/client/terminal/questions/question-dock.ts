import { unreachable } from "../../../base/assert.ts";
import type { Question } from "../../../view/questions/questions.ts";
import { questionId, requestOf } from "../../../view/questions/questions.ts";
import { displayName } from "../../../view/session/clients.ts";
import { AnswerGuard } from "../../../view/terminal/answer-guard.ts";
import { refusalText } from "../../../view/texts/refusal-text.ts";
import type { ActionName, KeyContext } from "../keys/actions.ts";
import { inBackground } from "../layout/in-background.ts";
import type { DrawnPart, Overlay, ScreenPart } from "../layout/part.ts";
import type { Services } from "../layout/services.ts";
import type { Size } from "../screen/screen.ts";
import { AskDialog } from "./ask-dialog.ts";
import type { AnswerCommand, Dialog } from "./dialog.ts";
import { drawQuestion } from "./draw-question.ts";
import { FullQuestion } from "./full-question.ts";
import { PermissionDialog } from "./permission-dialog.ts";
import { QuestionBody } from "./question-body.ts";
import type { AnswerOutcome } from "./send-answer.ts";
import { sendAnswer } from "./send-answer.ts";
import { timeLeftMs } from "./time-limit.ts";

const SECOND_MS = 1_000;
const GONE = "The question is gone: its turn has ended.";
const LATE = "Another answer came first: yours does not count.";
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

/** State of one open question in this client. */
interface QuestionState {
  readonly dialog: Dialog;
  readonly body: QuestionBody;
  /** Monotonic time at which it was first drawn. */
  readonly sinceMs: number;
  /** True from the answer on, until it is refused. */
  isSent: boolean;
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
  readonly #states = new Map<object, QuestionState>();
  /** Id of the question that the person went to. */
  #chosen: string | undefined;
  #tick: Disposable | undefined;
  #full: Overlay | undefined;
  /** True if the last frame had a row of what is asked. */
  #isInSight = false;

  constructor(services: Services) {
    this.#services = services;
    this.#guard = new AnswerGuard(services.clock, () => services.redraw());
  }

  /** The question that is shown: the one that was gone to, else the oldest that is not answered. */
  get question(): Question | undefined {
    const open = this.#questions;
    const isSent = (question: Question) => this.#states.get(requestOf(question))?.isSent === true;
    const waiting = open.filter((question) => !isSent(question));
    return waiting.find((question) => questionId(question) === this.#chosen) ?? waiting[0] ?? open[0];
  }

  get contexts(): readonly KeyContext[] {
    return this.#shown?.dialog.contexts ?? [];
  }

  /** True if a key goes to the question first. */
  get takesKeys(): boolean {
    const { question } = this;
    if (question === undefined || this.#guard.question !== requestOf(question)) return false;
    const state = this.#states.get(requestOf(question));
    if (state === undefined || state.isSent) return false;
    return state.dialog.hasFocus || this.#guard.state === "open";
  }

  /** Counts a key that the question did not take: it restarts the time until the question takes keys. */
  noteKey(): void {
    this.#guard.pasted();
  }

  draw({ columns, rows: height }: Size): DrawnPart {
    const { question } = this;
    if (question === undefined) return { rows: [] };
    const state = this.#keep(question);
    const { settings, keys } = this.#services;
    const all = state.body.rows(question, columns, settings.values.diffLayout);
    // On the whole screen the last row names the keys.
    const hint = this.#full === undefined ? ` · ${keys.label("dialog.full")} shows all` : "";
    const { part, hasBodyRoom } = drawQuestion(
      {
        ...{ heading: this.#heading(question, state), dialog: state.dialog },
        ...{ isSent: state.isSent, isLive: this.takesKeys },
        body: (room) => state.body.window(all, { room, columns, hint }),
      },
      { columns, rows: height },
    );
    this.#isInSight = all.length === 0 || hasBodyRoom;
    return part;
  }

  /** A question that is in sight begins its quiet time and its countdown. */
  drawn(): void {
    const { question } = this;
    this.#guard.ask(question === undefined ? undefined : requestOf(question));
    if (question === undefined) this.#chosen = undefined;
    else if ((this.#leftMs(question, this.#keep(question)) ?? 0) > 0) this.#countDown();
  }

  /** Takes an event of the session. Words for a question that is gone come into the draft. */
  changed(): void {
    if (this.#full !== undefined && this.question === undefined) this.#services.close(this.#full);
    if (this.#states.size === 0) return;
    const open = new Set<object>(this.#questions.map(requestOf));
    for (const [key, { dialog, isSent }] of this.#states) {
      if (open.has(key)) continue;
      this.#states.delete(key);
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
    return question === undefined ? undefined : this.#states.get(requestOf(question));
  }

  /** Scrolls, goes to another question, or shows it on the whole screen. */
  #actAround(action: ActionName, state: QuestionState): boolean {
    switch (action) {
      case "transcript.pageUp":
        return state.body.scroll(-1);
      case "transcript.pageDown":
        return state.body.scroll(1);
      case "dialog.other":
        return this.#goToNext();
      case "dialog.full":
        if (this.#full !== undefined) return false;
        this.#showFull();
        return true;
      default:
        return false;
    }
  }

  #goToNext(): boolean {
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
    const key = requestOf(question);
    const known = this.#states.get(key);
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
    const body = new QuestionBody(dialog);
    const state = { dialog, body, sinceMs: services.clock.monotonic(), isSent: false };
    this.#states.set(key, state);
    return state;
  }

  async #answer(command: AnswerCommand, key: object): Promise<void> {
    const state = this.#states.get(key);
    if (state === undefined || state.isSent) return;
    const written = writtenFor(command, state.dialog);
    state.isSent = true;
    let isTaken = false;
    try {
      const outcome = await sendAnswer(command, this.#services);
      isTaken = outcome.kind === "taken";
      this.#showOutcome(outcome);
      this.#keepWritten(written, key, outcome);
    } finally {
      state.isSent = isTaken;
      this.#services.redraw();
    }
  }

  #showOutcome(outcome: AnswerOutcome): void {
    const { say } = this.#services;
    switch (outcome.kind) {
      case "taken":
        return;
      case "late":
        say(LATE, "warning");
        return;
      case "gone":
        say(GONE, "warning");
        return;
      case "refused":
        this.#guard.pasted();
        say(refusalText(outcome.refusal), "failure");
        return;
      default:
        unreachable(outcome);
    }
  }

  /** Brings the words of an answer back that does not count. */
  #keepWritten(written: string, key: object, { kind }: AnswerOutcome): void {
    if (kind === "taken") return;
    // A question that is still open may have them in its field.
    if (kind !== "refused") this.#states.delete(key);
    else if (this.#states.get(key)?.dialog.field !== undefined) return;
    this.#bringBack(written);
  }

  /** Puts words into the draft. Returns false if there are none. */
  #bringBack(words: string): boolean {
    if (words.trim() === "") return false;
    this.#services.draft.bringBack(words);
    return true;
  }

  #heading(question: Question, state: QuestionState): string {
    const open = this.#questions;
    const place = open.length < 2 ? "" : ` · ${open.indexOf(question) + 1} of ${open.length}`;
    const { originator } = requestOf(question);
    const { session } = this.#services;
    const isOther = originator !== undefined && originator !== session.self;
    const by = isOther ? ` · for ${displayName(session.view.clients, originator)}` : "";
    const leftMs = this.#leftMs(question, state);
    const limit = leftMs === undefined ? "" : ` · ${Math.ceil(leftMs / SECOND_MS)} s left`;
    const { heading } = state.dialog;
    const facts = `${by}${place}${limit}`;
    return facts === "" ? heading : `${heading.replace(/:$/, "")}${facts}`;
  }

  #leftMs(question: Question, { sinceMs }: QuestionState): number | undefined {
    return timeLeftMs(question, this.#services.clock.monotonic() - sinceMs);
  }

  #countDown(): void {
    if (this.#tick !== undefined) return;
    this.#tick = this.#services.clock.timer(SECOND_MS, () => {
      this.#tick = undefined;
      this.#services.redraw();
    });
  }
}

/** Returns the words of a person that an answer has; empty for a choice. */
function writtenFor(command: AnswerCommand, { field }: Dialog): string {
  if (command.kind === "AnswerPermission") return command.words ?? "";
  return command.answer === null ? "" : (field?.text ?? "");
}
