import { unreachable } from "../../../base/assert.ts";
import type { HarnessError } from "../../../base/errors.ts";
import type { CallId, SessionId } from "../../../base/ids.ts";
import type { Command } from "../../../protocol/commands/commands.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import { UNCERTAIN_TEXT } from "../../../view/questions/question-words.ts";
import type { Question, QuestionStep } from "../../../view/questions/questions.ts";
import { questionId, questionsAfter } from "../../../view/questions/questions.ts";
import type { Choice } from "./permission-answer.ts";
import { parseChoice, parseRuleAnswer } from "./permission-answer.ts";
import type { OpenQuestion, OwnQuestion } from "./questions.ts";
import { answersText, openQuestionsAfter, parseAnswer, questionText, timeLimitText } from "./questions.ts";

/** Actions of the line client that the dialogue uses. */
export interface DialogueContext {
  readonly session: SessionId;
  /** @param options `quotes`: true to wrap quoted lines too. */
  say(text: string, options?: { readonly quotes: boolean }): Promise<void>;
  /** Sends a command; prints and returns a refusal. */
  send(command: Command): Promise<HarnessError | undefined>;
  /** Keeps a text for the model until it can be sent. */
  keep(text: string): void;
  /** Queues work that waits for the engine, so that events are processed in the meantime. */
  later(work: () => Promise<unknown>): void;
  /** Records that a call is denied because no person can answer. */
  unanswered(callId: CallId): void;
  /** Returns milliseconds of a monotonic clock. */
  nowMs(): number;
  /** True if a person sits at the terminal. */
  readonly interactive: boolean;
  /** True for a screen reader: changes have words in place of signs. Default: false. */
  readonly isSpoken?: boolean;
}

/** Asks the open questions of a session one at a time, and sends the answers (PERM-03). */
export class Dialogue {
  readonly #client: DialogueContext;
  #questions: readonly OpenQuestion[] = [];
  /** The questions of the run that no event has closed, those too that this client has answered. */
  #listed: readonly Question[] = [];
  /** Questions still open at this point of the history; undefined once the history is over. */
  #past: readonly OpenQuestion[] | undefined;
  /** True once input has ended: later permission requests are denied, and at a pipe other questions too. */
  inputClosed = false;

  constructor(client: DialogueContext) {
    this.#client = client;
  }

  get #open(): readonly OpenQuestion[] {
    return this.#past ?? this.#questions;
  }

  /** The question that the next line answers. */
  get question(): OpenQuestion | undefined {
    return this.#questions[0];
  }

  /** Applies an event of this run; returns true if the question to prompt for has changed. */
  async follow(envelope: Envelope): Promise<boolean> {
    const before = this.question;
    this.#questions = openQuestionsAfter(this.#open, this.#step(envelope), this.#client.nowMs());
    if (this.question === before) return false;
    await this.#show();
    return !this.inputClosed;
  }

  /** Applies an event of the history, `agoMs` old, whose question may be answered already. */
  recall(envelope: Envelope, agoMs: number): void {
    this.#past = openQuestionsAfter(this.#open, this.#step(envelope), this.#client.nowMs() - agoMs);
  }

  #step(envelope: Envelope): QuestionStep {
    const before = this.#listed;
    this.#listed = questionsAfter(before, envelope);
    return { before, after: this.#listed };
  }

  /** True while the history is being applied. */
  get isRecalling(): boolean {
    return this.#past !== undefined;
  }

  /** Ends the history and asks its questions that are still open. */
  async resume(): Promise<void> {
    if (this.#past === undefined) return;
    this.#questions = this.#past;
    this.#past = undefined;
    if (this.question !== undefined) await this.#show();
  }

  /** Drops all questions, because their answers are not needed any more. */
  forget(): void {
    this.takeBackOwn();
    this.#questions = [];
    this.#listed = [];
    this.#past = undefined;
  }

  /** Asks a question of this client alone, after the open ones; returns undefined if it is taken back. */
  async confirm(text: string): Promise<boolean | undefined> {
    if (this.inputClosed) return undefined;
    const { promise, resolve: settle } = Promise.withResolvers<boolean | undefined>();
    this.#questions = [...this.#questions, { kind: "own", text, settle }];
    if (this.#questions.length === 1) await this.#show();
    return await promise;
  }

  /** Closes the questions of this client alone; returns true if there were any. */
  takeBackOwn(): boolean {
    const ownQuestions = this.#questions.filter((question) => question.kind === "own");
    this.#questions = this.#questions.filter(({ kind }) => kind !== "own");
    for (const { settle } of ownQuestions) settle(undefined);
    return ownQuestions.length > 0;
  }

  /** Takes a line as the answer to the first question; asks again if it is no valid answer. */
  async answer(text: string): Promise<void> {
    const { question } = this;
    if (question === undefined) return;
    if (question.kind === "own") return await this.#answerOwn(question, text);
    if (question.kind === "asked") {
      const answer = parseAnswer(text, question.ask);
      if (answer === undefined) return await this.#unclear(question, text);
      const { session: sessionId } = this.#client;
      return await this.#give(question, { kind: "Answer", sessionId, askId: question.ask.askId, ...answer });
    }
    const { request, stage } = question;
    const choice = stage === "rule" ? parseRuleAnswer(text, request) : parseChoice(text, request);
    await this.#choose(question, choice, text);
  }

  /** Denies every open permission request; at a pipe, answers the other questions with null. */
  refuseAll(): void {
    this.takeBackOwn();
    for (const question of this.#questions) this.#refuse(question);
  }

  /** Answers the question of a command with null, because no answer will come. */
  leave(): void {
    const { question } = this;
    if (question?.kind === "asked") this.#refuse(question);
  }

  async #answerOwn(question: OwnQuestion, text: string): Promise<void> {
    const [, yes, no] = /^\s*(?:(y(?:es)?)|(no?))\s*$/i.exec(text) ?? [];
    if (yes === undefined && no === undefined) return await this.#unclear(question, text);
    this.#questions = this.#questions.filter((open) => open !== question);
    question.settle(yes !== undefined);
    await this.#show();
  }

  async #show(): Promise<void> {
    const { question } = this;
    if (question === undefined) return;
    if (this.inputClosed) {
      if (question.kind === "asked") await this.#client.say(this.#textOf(question), layoutOf(question));
      return this.#refuse(question);
    }
    const limit = this.#client.interactive ? timeLimitText(question) : undefined;
    const mark = this.#isUncertain(question) ? [UNCERTAIN_TEXT] : [];
    const text = [this.#textOf(question), ...mark, ...(limit === undefined ? [] : [limit])].join("\n");
    await this.#client.say(text, layoutOf(question));
  }

  #textOf(question: OpenQuestion): string {
    return questionText(question, { isSpoken: this.#client.isSpoken === true });
  }

  #isUncertain(question: OpenQuestion): boolean {
    return (
      question.kind !== "own" &&
      this.#listed.some((each) => each.isUncertain === true && questionId(each) === questionId(question))
    );
  }

  async #choose(
    question: Extract<OpenQuestion, { kind: "permission" }>,
    choice: Choice,
    text: string,
  ): Promise<void> {
    switch (choice.kind) {
      case "unclear":
        return await this.#unclear(question, text);
      case "rule":
        this.#questions = [{ ...question, stage: "rule" }, ...this.#questions.slice(1)];
        return await this.#show();
      case "answer": {
        const { kind: _, ...answer } = choice;
        const { session: sessionId } = this.#client;
        const { callId } = question.request;
        return await this.#give(question, { kind: "AnswerPermission", sessionId, callId, ...answer });
      }
      default:
        return unreachable(choice);
    }
  }

  /** Sends an answer and closes the question: the next line is not for it. */
  async #give(question: OpenQuestion, answer: Command): Promise<void> {
    if ((await this.#client.send(answer)) !== undefined) return;
    const before = this.question;
    this.#questions = this.#questions.filter((open) => open !== question);
    if (this.question !== before) await this.#show(); // its event may have come first, and shown the next one
  }

  /** Asks again. Keeps the line, which may have been typed for the model before the question appeared. */
  async #unclear(question: OpenQuestion, text: string): Promise<void> {
    const long = text.trim().length > 1 && !(question.kind === "permission" && question.stage === "rule");
    if (long) this.#client.keep(text);
    const notice = long ? " Your text is kept for later." : "";
    await this.#client.say(
      `That is none of the answers: ${answersText(question)}.${notice}\n${this.#textOf(question)}`,
      layoutOf(question),
    );
  }

  #refuse(question: OpenQuestion): void {
    const refusal = this.#refusalOf(question);
    if (refusal !== undefined) this.#client.later(() => this.#client.send(refusal));
  }

  /** Returns undefined for questions that other clients see too, or that leaving a terminal does not decide. */
  #refusalOf(question: OpenQuestion): Command | undefined {
    const { session: sessionId, interactive } = this.#client;
    if (question.kind === "permission") {
      const { callId } = question.request;
      if (!interactive) this.#client.unanswered(callId); // who closes a terminal has answered with that
      return { kind: "AnswerPermission", sessionId, callId, decision: "deny", scope: "once" };
    }
    if (question.kind === "own" || interactive || question.ask.about === "token-code") return undefined;
    return { kind: "Answer", sessionId, askId: question.ask.askId, answer: null };
  }
}

/** Questions that quote a command, which is shown without wrapping. */
const OF_COMMANDS: ReadonlySet<string> = new Set(["outside-sandbox", "orphan"]);

function layoutOf(question: OpenQuestion): { readonly quotes: boolean } {
  return { quotes: question.kind === "asked" && !OF_COMMANDS.has(question.ask.about) };
}
