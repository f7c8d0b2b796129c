import { Cancelled, HarnessError, messageOf } from "../../../base/errors.ts";
import type { AskId, CallId, EventSeq, LogId, SessionId } from "../../../base/ids.ts";
import type { Log } from "../../../base/log.ts";
import type { Command } from "../../../protocol/commands/commands.ts";
import type { Connection } from "../../../protocol/connection.ts";
import type { InputBlock } from "../../../protocol/content.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { Message } from "../../../protocol/message.ts";
import { validHistory } from "../../../session/history/valid-history.ts";
import type { SessionStore } from "../../../session/store/store.ts";
import type { Question } from "../../../view/questions/questions.ts";
import { questionEntriesAfter, questionId, questionsAfter } from "../../../view/questions/questions.ts";
import type { PromptResult } from "../embedder.ts";
import { promptBlocks } from "../facade-checks.ts";
import type { TurnTimes } from "../turn-times.ts";
import { describeValue } from "./describe-value.ts";
import { assertAnswers, readEngineAnswer } from "./engine-answer.ts";
import { runEmbeddedPrompt } from "./run-prompt.ts";
import type { EngineAnswer, EngineQuestion, EngineSetup } from "./setup.ts";

/** Open questions of a session that the program is asked. One more closes the oldest for it. */
const QUESTIONS_MAX = 1_024;

/** A question that the program is asked, and a controller that aborts once it is closed. */
interface OpenQuestion {
  readonly question: Question;
  readonly closed: AbortController;
}

/** Handles that a session of an engine works with. */
export interface EngineSessionHandles extends Pick<EngineSetup, "onQuestion"> {
  readonly connection: Connection;
  readonly store: Pick<SessionStore, "messages">;
  readonly log: Log;
  readonly turnTimes: TurnTimes;
  /** Aborts when the engine is disposed. */
  readonly over: AbortSignal;
}

/** @throws HarnessError EngineStopping if the engine was disposed. */
export function assertRunning(over: AbortSignal): void {
  if (over.aborted) throw new HarnessError("EngineStopping", {});
}

/**
 * One session of an engine: a conversation with its log. Disposing it ends the session; its log stays in the store
 * and can be resumed.
 */
export class EngineSession implements AsyncDisposable {
  /** Id of this run. A resumed session has another one. */
  readonly id: SessionId;
  /** Id of the log, the same in every run on it. */
  readonly logId: LogId;
  readonly #handles: EngineSessionHandles;
  readonly #stop = new AbortController();
  #open: readonly OpenQuestion[] = [];

  /** Sessions come from `Engine.createSession` and `Engine.resumeSession`. */
  constructor(ids: { readonly id: SessionId; readonly logId: LogId }, handles: EngineSessionHandles) {
    this.id = ids.id;
    this.logId = ids.logId;
    this.#handles = handles;
    if (handles.onQuestion !== undefined) {
      this.#watch().catch((thrown: unknown) => this.#warn("the questions are not watched", thrown));
    }
  }

  /**
   * Sends a prompt: a text, or blocks of text and images. Runs the agent until it answers without a tool call, or a
   * limit ends the turn.
   *
   * @throws HarnessError TurnInProgress while another turn runs; UsageInvalid for a prompt without content; the error
   *   of a turn that failed. `signal.reason` if it was aborted, a `Cancelled` after `cancel`.
   */
  async prompt(
    content: string | readonly InputBlock[],
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<PromptResult> {
    const { signal = new AbortController().signal } = options ?? {};
    if (!(signal instanceof AbortSignal))
      throw new HarnessError("UsageInvalid", {
        problem: `signal is ${describeValue(signal)}; give an AbortSignal`,
      });
    using _time = this.#handles.turnTimes.begin(this.logId);
    return await this.#whileRunning(
      async () =>
        runEmbeddedPrompt(await promptBlocks(content), {
          connection: this.#handles.connection,
          session: this.id,
          signal,
          onCancelFailed: (thrown) => this.#warn("cancelling failed", thrown),
        }),
      signal,
    );
  }

  /**
   * Yields every event above a sequence number in order, then live ones, without gap or duplicate, until the session
   * ends or the signal aborts. Several readers may follow at once; a slow one is served from the log.
   *
   * `since` is the `id` of the last event that the reader has seen. Default: 0, the whole log. With `args` also
   * ToolArgsDelta events, the arguments of calls while the model writes them.
   *
   * @throws HarnessError UsageInvalid for a `since` that is no event's id; EngineStopping after the engine
   * was disposed.
   */
  events(
    options: { readonly since?: EventSeq; readonly signal?: AbortSignal; readonly args?: boolean } = {},
  ): AsyncIterable<Envelope> {
    const { since = 0, signal = new AbortController().signal, args = false } = options;
    if (!Number.isSafeInteger(since))
      throw new HarnessError("UsageInvalid", {
        problem: `since is ${describeValue(since)}; give the id of an event, a whole number`,
      });
    assertRunning(this.#handles.over);
    return this.#handles.connection.subscribe(this.id, { since, signal, args });
  }

  /** Cancels the running turn, which ends with the reason `cancelled`. Does nothing if none runs. */
  async cancel(): Promise<void> {
    await this.#whileRunning(() => this.#handles.connection.send({ kind: "CancelTurn", sessionId: this.id }));
  }

  /**
   * Answers an open question by its id: the `callId` of a PermissionRequested event, or the `askId` of an Asked
   * event. The first answer counts.
   *
   * @throws HarnessError UsageInvalid for an unknown answer, InvalidCommand for one of the other kind; another error if
   *   the question is not open.
   */
  async answer(id: CallId | AskId, answer: EngineAnswer): Promise<void> {
    const known = readEngineAnswer(answer);
    const sessionId = this.id;
    const command: Command =
      known.kind === "choice"
        ? { kind: "Answer", sessionId, askId: id as AskId, answer: known.choose }
        : { kind: "AnswerPermission", sessionId, callId: id as CallId, ...known.decision };
    await this.#whileRunning(() => this.#handles.connection.send(command));
  }

  /**
   * Returns the conversation as a provider would get it now, with secrets redacted. After a compaction it begins with
   * the summary.
   */
  async history(): Promise<readonly Message[]> {
    return validHistory((await this.#handles.store.messages(this.logId)).map(({ message }) => message));
  }

  /** Ends the session; a running turn is cancelled. Its log stays. Does nothing if it has ended. */
  async end(): Promise<void> {
    this.#stop.abort();
    try {
      await this.#handles.connection.send({ kind: "EndSession", sessionId: this.id });
    } catch (thrown) {
      if (this.#handles.over.aborted) return; // the engine ends its sessions itself
      if (!(thrown instanceof HarnessError) || !ENDED.has(thrown.reason)) throw thrown;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  /**
   * Runs a command, which the end of the engine may cut off.
   * @throws HarnessError EngineStopping after the engine was disposed, and while it is.
   */
  async #whileRunning<Value>(run: () => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    const { over } = this.#handles;
    assertRunning(over);
    try {
      return await run();
    } catch (thrown) {
      if (!over.aborted || thrown instanceof HarnessError || thrown instanceof Cancelled) throw thrown;
      if (signal?.aborted === true) throw signal.reason;
      throw new HarnessError("EngineStopping", {}, { cause: thrown });
    }
  }

  /** Puts each question to the program, and stops waiting for it once the question is closed. */
  async #watch(): Promise<void> {
    const { signal } = this.#stop;
    let asked: readonly Question[] = [];
    for await (const event of this.#handles.connection.subscribe(this.id, { signal })) {
      const before = this.#open;
      const step = { before: asked, after: questionsAfter(asked, event, { questionsMax: QUESTIONS_MAX }) };
      asked = step.after;
      this.#open = questionEntriesAfter<OpenQuestion>(before, step, {
        id: ({ question }) => questionId(question),
        entry: (question, known) => known ?? { question, closed: new AbortController() },
      });
      for (const each of before) if (!this.#open.includes(each)) each.closed.abort();
      for (const { question, closed } of this.#open.filter((each) => !before.includes(each)))
        this.#put(question, closed.signal).catch((thrown: unknown) =>
          this.#warn("a question stays open", thrown),
        );
    }
  }

  async #put(question: Question, signal: AbortSignal): Promise<void> {
    const asked = this.#engineQuestion(question);
    let answer: EngineAnswer | undefined;
    try {
      answer = await this.#handles.onQuestion?.(asked, { signal });
      if (answer !== undefined) assertAnswers(asked.kind, answer);
    } catch (thrown) {
      this.#warn("onQuestion gave no answer", thrown);
      answer = asked.kind === "permission" ? "deny" : undefined;
    }
    if (answer !== undefined && !signal.aborted) await this.answer(asked.id, answer);
  }

  #engineQuestion(question: Question): EngineQuestion {
    const session = { id: this.id, logId: this.logId };
    if (question.kind === "permission") {
      const { request } = question;
      const { callId: id, tool, args: input } = request;
      return { kind: "permission", id, session, tool, input, request };
    }
    const { ask: request } = question;
    const { askId: id, text, choices = [] } = request;
    return { kind: "choice", id, session, text, choices, request };
  }

  #warn(message: string, thrown: unknown): void {
    this.#handles.log.for("library").write("warn", message, { what: messageOf(thrown) });
  }
}

/** Refusals of a command to a session that has ended. */
const ENDED: ReadonlySet<string> = new Set(["EngineStopping", "SessionEnding", "UnknownSession"]);
