import { unreachable } from "../../../base/assert.ts";
import type { HarnessError } from "../../../base/errors.ts";
import type { CallId, SessionId } from "../../../base/ids.ts";
import type { Command } from "../../../protocol/commands/commands.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { Choice } from "./permission-answer.ts";
import { parseChoice, parseRule } from "./permission-answer.ts";
import type { OpenQuestion, OwnQuestion } from "./questions.ts";
import { answersText, parseAnswer, questionsAfter, questionText, timeLimitText } from "./questions.ts";

/** What the dialogue can do with the line client around it. */
export interface DialogueSurface {
  readonly session: SessionId;
  /** @param quotes wraps quoted lines too. */
  say(text: string, options?: { readonly quotes: boolean }): Promise<void>;
  /** Sends a command; a refusal is told and comes back. */
  send(command: Command): Promise<HarnessError | undefined>;
  /** Keeps a text for the model until it can be sent. */
  keep(text: string): void;
  /** Does something that waits for the engine, after what is under way: events are followed meanwhile. */
  later(work: () => Promise<unknown>): void;
  /** A call is denied because nobody is left to answer. */
  unanswered(callId: CallId): void;
  /** Milliseconds of a clock that never goes back. */
  nowMs(): number;
  /** Whether a person sits there. */
  readonly interactive: boolean;
}

/** The questions of a session that wait for the person at the line client, one at a time, and their answers (PERM-03). */
export class Dialogue {
  readonly #client: DialogueSurface;
  #questions: readonly OpenQuestion[] = [];
  /** What is open as far as the past has been told. */
  #past: readonly OpenQuestion[] | undefined;
  /** Set once nobody can type any more: a permission that is asked for after that is denied, and so is the rest at a pipe. */
  inputClosed = false;

  constructor(client: DialogueSurface) {
    this.#client = client;
  }

  get #open(): readonly OpenQuestion[] {
    return this.#past ?? this.#questions;
  }

  /** What the next line is the answer to. */
  get question(): OpenQuestion | undefined {
    return this.#questions[0];
  }

  /** Follows one event of this run; true where another question, or none, is now the first one to prompt for. */
  async follow(envelope: Envelope): Promise<boolean> {
    const before = this.question;
    this.#questions = questionsAfter(this.#open, envelope, this.#client.nowMs());
    if (this.question === before) return false;
    await this.#show();
    return !this.inputClosed;
  }

  /** Takes in an event of the past, of so many milliseconds ago: what it asks may be answered long since. */
  recall(envelope: Envelope, agoMs: number): void {
    this.#past = questionsAfter(this.#open, envelope, this.#client.nowMs() - agoMs);
  }

  /** Whether the past is still being told. */
  get isRecalling(): boolean {
    return this.#past !== undefined;
  }

  /** The past is over: what is still open of it is asked now. */
  async resume(): Promise<void> {
    if (this.#past === undefined) return;
    this.#questions = this.#past;
    this.#past = undefined;
    if (this.question !== undefined) await this.#show();
  }

  /** Nobody waits for an answer to any of them any more. */
  forget(): void {
    this.takeBackOwn();
    this.#questions = [];
    this.#past = undefined;
  }

  /** Asks something of this client's own, behind what waits already; undefined where it is taken back. */
  async confirm(text: string): Promise<boolean | undefined> {
    if (this.inputClosed) return undefined;
    const { promise, resolve: settle } = Promise.withResolvers<boolean | undefined>();
    this.#questions = [...this.#questions, { kind: "own", text, settle }];
    if (this.#questions.length === 1) await this.#show();
    return await promise;
  }

  /** Takes back what this client has asked by itself; true where there was something. */
  takeBackOwn(): boolean {
    const own = this.#questions.filter((question) => question.kind === "own");
    this.#questions = this.#questions.filter(({ kind }) => kind !== "own");
    for (const { settle } of own) settle(undefined);
    return own.length > 0;
  }

  /** Takes a line as the answer to the first question; one that is none is asked again. */
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
    const choice = stage === "rule" ? parseRule(text, request.rule ?? "") : parseChoice(text, request);
    await this.#choose(question, choice, text);
  }

  /** Denies every permission that is asked for now; at a pipe, whatever else is asked has the answer of nobody. */
  refuseAll(): void {
    this.takeBackOwn();
    for (const question of this.#questions) this.#refuse(question);
  }

  /** What a command has asked stays without an answer: none will come. */
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
      if (question.kind === "asked") await this.#client.say(questionText(question), layoutOf(question));
      return this.#refuse(question);
    }
    const limit = this.#client.interactive ? timeLimitText(question) : undefined;
    const text = [questionText(question), ...(limit === undefined ? [] : [limit])].join("\n");
    await this.#client.say(text, layoutOf(question));
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

  /** Sends an answer. The question is settled with that: the next line is not for it any more. */
  async #give(question: OpenQuestion, answer: Command): Promise<void> {
    if ((await this.#client.send(answer)) !== undefined) return;
    const before = this.question;
    this.#questions = this.#questions.filter((open) => open !== question);
    if (this.question !== before) await this.#show(); // its event may have come first, and shown the next one
  }

  /** What was no answer may have been meant for the model, typed before the question appeared: it is kept. */
  async #unclear(question: OpenQuestion, text: string): Promise<void> {
    const long = text.trim().length > 1 && !(question.kind === "permission" && question.stage === "rule");
    if (long) this.#client.keep(text);
    const kept = long ? " Your text is kept for later." : "";
    await this.#client.say(
      `That is none of the answers: ${answersText(question)}.${kept}\n${questionText(question)}`,
      layoutOf(question),
    );
  }

  #refuse(question: OpenQuestion): void {
    const refusal = this.#refusalOf(question);
    if (refusal !== undefined) this.#client.later(() => this.#client.send(refusal));
  }

  /** Undefined for what is shown to whoever else is there, and for what leaving a terminal does not decide. */
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

/** Questions whose quote is a command: it is shown as it stands. */
const OF_COMMANDS: ReadonlySet<string> = new Set(["outside-sandbox", "orphan"]);

function layoutOf(question: OpenQuestion): { readonly quotes: boolean } {
  return { quotes: question.kind === "asked" && !OF_COMMANDS.has(question.ask.about) };
}
