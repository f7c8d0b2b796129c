import { HarnessError, messageOf } from "../../../base/errors.ts";
import type { AskId, CallId, EventSeq, LogId, SessionId } from "../../../base/ids.ts";
import type { Log } from "../../../base/log.ts";
import type { Connection } from "../../../protocol/connection.ts";
import type { InputBlock } from "../../../protocol/content.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { Message } from "../../../protocol/message.ts";
import { validHistory } from "../../../session/history/valid-history.ts";
import type { SessionStore } from "../../../session/store/store.ts";
import type { Question } from "../../../view/questions/questions.ts";
import { closesQuestion, questionId, questionOf } from "../../../view/questions/questions.ts";
import type { PromptResult } from "../embedder.ts";
import { promptBlocks } from "../facade-checks.ts";
import { runEmbeddedPrompt } from "./run-prompt.ts";
import type { EngineAnswer, EngineQuestion, EngineSetup } from "./setup.ts";

/** Handles that a session of an engine works with. */
export interface SessionHandles extends Pick<EngineSetup, "onQuestion"> {
  readonly connection: Connection;
  readonly store: Pick<SessionStore, "messages">;
  readonly log: Log;
}

/**
 * One session of an engine: a conversation with its log. Disposing it ends the session; its log stays in the store and can be
 * resumed.
 */
export class EngineSession implements AsyncDisposable {
  /** Id of this run. A resumed session has another one. */
  readonly id: SessionId;
  /** Id of the log, the same in every run on it. */
  readonly logId: LogId;
  readonly #handles: SessionHandles;
  readonly #stop = new AbortController();
  readonly #open = new Map<string, { readonly question: Question; readonly closed: AbortController }>();

  /** Sessions come from `Engine.createSession` and `Engine.resumeSession`. */
  constructor(ids: { readonly id: SessionId; readonly logId: LogId }, handles: SessionHandles) {
    this.id = ids.id;
    this.logId = ids.logId;
    this.#handles = handles;
    if (handles.onQuestion !== undefined) {
      this.#watch().catch((thrown: unknown) => this.#warn("the questions are not watched", thrown));
    }
  }

  /**
   * Sends a prompt, a text or blocks of text and images, and runs the agent until it answers without a tool call or a limit ends
   * the turn.
   *
   * @throws HarnessError TurnInProgress while another turn runs; UsageInvalid for a prompt without content; the error of a turn
   *   that failed. `signal.reason` if it was aborted, a `Cancelled` after `cancel`.
   */
  async prompt(
    content: string | readonly InputBlock[],
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<PromptResult> {
    const { signal = new AbortController().signal } = options;
    return await runEmbeddedPrompt(await promptBlocks(content), {
      connection: this.#handles.connection,
      session: this.id,
      signal,
      onCancelFailed: (thrown) => this.#warn("cancelling failed", thrown),
    });
  }

  /**
   * Yields every event above a sequence number in order, then live ones, without gap or duplicate, until the session ends or the
   * signal aborts. Several readers may follow at once; a slow one is served from the log.
   *
   * `since` is the `id` of the last event that the reader has seen. Default: 0, the whole log.
   */
  events(
    options: { readonly since?: EventSeq; readonly signal?: AbortSignal } = {},
  ): AsyncIterable<Envelope> {
    const { since = 0, signal = new AbortController().signal } = options;
    return this.#handles.connection.subscribe(this.id, { since, signal });
  }

  /** Cancels the running turn, which ends with the reason `cancelled`. Does nothing if none runs. */
  async cancel(): Promise<void> {
    await this.#handles.connection.send({ kind: "CancelTurn", sessionId: this.id });
  }

  /**
   * Answers an open question by its id: the `callId` of a PermissionRequested event, or the `askId` of an Asked event. The first
   * answer counts.
   *
   * @throws HarnessError UsageInvalid for an answer of the other kind, or another error if the question is not open.
   */
  async answer(id: CallId | AskId, answer: EngineAnswer): Promise<void> {
    const { connection } = this.#handles;
    const sessionId = this.id;
    if (typeof answer !== "string") {
      await connection.send({ kind: "Answer", sessionId, askId: id as AskId, answer: answer.choose });
      return;
    }
    const decision = answer === "deny" ? "deny" : "allow";
    await connection.send({
      kind: "AnswerPermission",
      sessionId,
      callId: id as CallId,
      decision,
      ...(answer === "allow-tool" ? { scope: "tool" } : {}),
    });
  }

  /** Returns the conversation as a provider would get it now, with secrets redacted. After a compaction it begins with the summary. */
  async history(): Promise<readonly Message[]> {
    return validHistory((await this.#handles.store.messages(this.logId)).map(({ message }) => message));
  }

  /** Ends the session; a running turn is cancelled. Its log stays. Does nothing if it has ended. */
  async end(): Promise<void> {
    this.#stop.abort();
    try {
      await this.#handles.connection.send({ kind: "EndSession", sessionId: this.id });
    } catch (thrown) {
      if (!(thrown instanceof HarnessError) || !ENDED.has(thrown.reason)) throw thrown;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  /** Puts each question to the program, and stops waiting for it once the question is closed. */
  async #watch(): Promise<void> {
    const { signal } = this.#stop;
    for await (const event of this.#handles.connection.subscribe(this.id, { signal })) {
      for (const [id, { question, closed }] of this.#open) {
        if (!closesQuestion(event, question)) continue;
        this.#open.delete(id);
        closed.abort();
      }
      const question = questionOf(event);
      if (question === undefined || this.#open.has(questionId(question))) continue;
      const closed = new AbortController();
      this.#open.set(questionId(question), { question, closed });
      this.#put(question, closed.signal).catch((thrown: unknown) =>
        this.#warn("a question stays open", thrown),
      );
    }
  }

  async #put(question: Question, signal: AbortSignal): Promise<void> {
    const asked = this.#asked(question);
    let answer: EngineAnswer | undefined;
    try {
      answer = await this.#handles.onQuestion?.(asked, { signal });
    } catch (thrown) {
      this.#warn("onQuestion threw", thrown);
      if (asked.kind === "permission") answer = "deny";
    }
    if (answer !== undefined && !signal.aborted) await this.answer(asked.id, answer);
  }

  #asked(question: Question): EngineQuestion {
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
const ENDED: ReadonlySet<string> = new Set(["EngineStopping", "UnknownSession"]);
