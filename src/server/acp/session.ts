import type { AgentContext, AvailableCommand, PromptResponse, SessionUpdate } from "@agentclientprotocol/sdk";
import { unreachable } from "../../base/assert.ts";
import { Cancelled, HarnessError, messageOf } from "../../base/errors.ts";
import type { EventSeq, SessionId } from "../../base/ids.ts";
import { objectAt, stringAt } from "../../base/json.ts";
import type { Log } from "../../base/log.ts";
import type { Command } from "../../protocol/commands/commands.ts";
import type { Connection } from "../../protocol/connection.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { TurnEndReason } from "../../protocol/events/events.ts";
import { followSession } from "../../view/follow.ts";
import type { InputTurn } from "../../view/follow-turn.ts";
import { inputTurnAfter } from "../../view/follow-turn.ts";
import type { Question, QuestionStep } from "../../view/questions/questions.ts";
import { questionEntriesAfter, questionId, questionsAfter } from "../../view/questions/questions.ts";
import { NEW_SESSION, runOf, sessionAfter } from "../../view/session/session-view.ts";
import { endingText } from "../../view/texts/ending-text.ts";
import type { TurnResult } from "../../view/turn-result.ts";
import { turnAnswer, turnResult } from "../../view/turn-result.ts";
import type { EditorQuestion } from "./questions.ts";
import { DENY_ALWAYS, editorQuestion } from "./questions.ts";
import { Replay } from "./replay.ts";
import { EditorUpdates } from "./updates.ts";

/** Kinds of calls that one session denies without a question; beyond that they are asked about again. */
const DENIED_MAX = 1_000;

export interface AcpSessionDependencies {
  readonly client: AgentContext;
  readonly connection: Connection;
  /** Name that the editor uses: a session that continues in a new run keeps it. */
  readonly name: string;
  /** The run that takes its commands, until another one replaces it. */
  readonly session: SessionId;
  readonly workingDir: string;
  /** Returns the slash commands of a session that an editor is offered. */
  readonly commands: (session: SessionId) => Promise<readonly AvailableCommand[]>;
  readonly log: Log;
}

/** An acknowledged file may bring commands, too. */
const RENEWS: ReadonlySet<Envelope["kind"]> = new Set<Envelope["kind"]>(["SkillRegistryChanged", "Answered"]);

interface OpenPrompt {
  /** Undefined until its turn starts. */
  turn: InputTurn;
  isCancelled: boolean;
  readonly end: (response: PromptResponse) => void;
  readonly fail: (thrown: unknown) => void;
}

/** A question that waits for the editor's answer, and a controller that takes it back. */
interface AskedQuestion {
  readonly question: EditorQuestion;
  readonly taken: AbortController;
}

/** One session as an editor watches and drives it, from its announcement until the editor closes it. */
export class AcpSession {
  readonly #parts: AcpSessionDependencies;
  readonly #updates: EditorUpdates;
  readonly #left = new AbortController();
  #asked: readonly AskedQuestion[] = [];
  /** Questions of one run that wait, those beside the log too. */
  #open: { readonly run?: SessionId; readonly questions: readonly Question[] } = { questions: [] };
  #view = NEW_SESSION;
  #prompt: OpenPrompt | undefined;
  #commands = 0;
  #session: SessionId;
  /** Resolves when another session has replaced this one. */
  #moving = moving();
  /** The session that continues under another profile once this one has ended. */
  #next: { readonly session: SessionId; readonly since: EventSeq } | undefined;
  #over: unknown;

  /** Calls that the person has denied for as long as the editor has this session open. */
  readonly #denied = new Set<string>();

  constructor(parts: AcpSessionDependencies) {
    this.#parts = parts;
    this.#session = parts.session;
    const { connection, workingDir } = parts;
    this.#updates = new EditorUpdates({ self: () => connection.clientId, workingDir });
  }

  /** Starts to send the editor everything above an event. */
  begin(since: EventSeq): void {
    this.#follow(since).catch((thrown: unknown) => this.#end(thrown));
  }

  /** Sends the editor everything from the beginning, and resolves once all up to an event was sent. */
  async replay(to: EventSeq): Promise<void> {
    if (to === 0) return this.begin(0);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#follow(0, new Replay(to, resolve)).catch((thrown: unknown) => {
      this.#end(thrown);
      reject(thrown);
    });
    await promise;
  }

  /**
   * Sends a prompt and resolves when its turn has ended, after all its updates were sent.
   * @throws HarnessError if it is refused, or the turn has failed; the error that broke the session off.
   */
  async prompt(input: Command, signal: AbortSignal): Promise<PromptResponse> {
    this.assertOpen();
    const { connection } = this.#parts;
    if (this.#prompt !== undefined) {
      const why = "a prompt of this editor is being answered; wait for its end, or cancel it";
      throw new HarnessError("InvalidCommand", { kind: "SendInput", why });
    }
    const { promise, resolve: end, reject: fail } = Promise.withResolvers<PromptResponse>();
    const prompt: OpenPrompt = { turn: undefined, isCancelled: false, end, fail };
    this.#prompt = prompt;
    const stop = () => this.cancel();
    signal.addEventListener("abort", stop, { once: true });
    promise.catch(() => undefined); // a refusal is thrown instead
    try {
      await connection.send(input);
      return await promise;
    } catch (thrown) {
      if (prompt.isCancelled && prompt.turn === undefined) return { stopReason: "cancelled" };
      throw thrown;
    } finally {
      signal.removeEventListener("abort", stop);
      this.#prompt = undefined;
    }
  }

  /** Stops what this editor has asked for, and nothing else: turns of other clients continue. */
  cancel(): void {
    // With the connection all its requests abort, but a client that left has cancelled nothing.
    if (this.#left.signal.aborted) return;
    const prompt = this.#prompt;
    if (prompt?.isCancelled === true || (prompt === undefined && this.#commands === 0)) return;
    if (prompt !== undefined) prompt.isCancelled = true;
    this.#takeBackAll("the prompt was cancelled");
    this.#send({ kind: "CancelTurn", sessionId: this.#session });
  }

  /** Shows a text to the person that is no part of the conversation with the model. */
  async say(text: string): Promise<void> {
    const content = { type: "text", text } as const;
    await this.#tell([{ sessionUpdate: "agent_message_chunk", content }]);
  }

  /** Offers the current slash commands. */
  async offer(): Promise<void> {
    const commands = await this.#parts.commands(this.#session);
    await this.#tell([{ sessionUpdate: "available_commands_update", availableCommands: [...commands] }]);
  }

  /** Carries out a command that is no prompt. @throws HarnessError if it is refused. */
  async command(command: Command): Promise<unknown> {
    this.assertOpen();
    this.#commands += 1;
    try {
      const { sessionId, result } = await this.#parts.connection.send(command);
      // The next prompt is for the session that continues.
      if (command.kind === "SwitchProfile") while (this.#session !== sessionId) await this.#moving.promise;
      return result;
    } finally {
      this.#commands -= 1;
    }
  }

  get session(): SessionId {
    return this.#session;
  }

  /** @throws the error that ended it. */
  assertOpen(): void {
    if (this.#over !== undefined) throw this.#over;
  }

  /** Unsubscribes. Running work continues, as when any client leaves. */
  close(): void {
    this.#left.abort(new Cancelled(this.#parts.connection.clientId, "the editor has closed the session"));
    this.#end(this.#left.signal.reason);
  }

  async #follow(since: EventSeq, replayed?: Replay): Promise<never> {
    const { connection } = this.#parts;
    const session = this.#session;
    let replay = replayed;
    for await (const event of followSession(connection, session, { since, signal: this.#left.signal })) {
      this.#view = sessionAfter(this.#view, event);
      const { calls } = runOf(this.#view, event.session);
      const questions = this.#questionsAfter(event);
      const updates = this.#updates.of(event, { calls, isReplay: replay !== undefined });
      if (replay === undefined) {
        await this.#tell(updates);
        this.#live(event, questions);
        continue;
      }
      await this.#tell(replay.add(event, updates));
      if (!replay.isOver(event)) continue;
      replay.end();
      for (const question of runOf(this.#view, this.#run).questions) this.#ask(question);
      replay = undefined;
    }
    if (this.#next !== undefined && !this.#left.signal.aborted) {
      const { session: next, since: from } = this.#next;
      this.#session = next;
      if (from === 0) this.#view = NEW_SESSION; // another log
      this.#next = undefined;
      this.#moving.resolve();
      this.#moving = moving();
      this.#offerAnew();
      return await this.#follow(from);
    }
    throw this.#left.signal.aborted
      ? this.#left.signal.reason
      : new HarnessError("UnknownSession", { id: this.#parts.name }); // it has ended
  }

  /** Returns the questions before and after an event. A question of another run ends with that run. */
  #questionsAfter(event: Envelope): QuestionStep {
    const { session: run } = event;
    const before = this.#open.questions;
    const after = questionsAfter(this.#open.run === run ? before : [], event);
    this.#open = { run, questions: after };
    return { before, after };
  }

  #live(event: Envelope, questions: QuestionStep): void {
    const why =
      event.kind === "TurnEnded" ? "the turn has ended" : "it was answered elsewhere, or its time is up";
    const before = this.#asked;
    this.#asked = questionEntriesAfter<AskedQuestion>(before, questions, {
      id: ({ question }) => questionId(question.question),
      // A question of another run was asked by an engine that is gone.
      entry: (question, known) => known ?? (event.session === this.#run ? this.#asking(question) : undefined),
    });
    for (const each of before) if (!this.#asked.includes(each)) takeBack(each, why);
    if (event.kind === "ProfileSwitched" && event.session === this.#run) {
      const { next: session, inPlace = false } = event.payload;
      if (session !== undefined) this.#next = { session, since: inPlace ? event.id : 0 };
    }
    if (RENEWS.has(event.kind)) this.#offerAnew();
    for (const each of this.#asked) if (!before.includes(each)) this.#put(each);
    this.#followPrompt(event);
  }

  #followPrompt(event: Envelope): void {
    const prompt = this.#prompt;
    if (prompt === undefined) return;
    const turn = inputTurnAfter(prompt.turn, event, { by: this.#parts.connection.clientId });
    prompt.turn = turn;
    if (typeof turn === "object" && turn.ended !== undefined) endPrompt(prompt, turnResult(turn));
  }

  get #run(): SessionId {
    return this.#parts.connection.runOf?.(this.#session) ?? this.#session;
  }

  /** Asks the editor a question of the past that is still open. */
  #ask(question: Question): void {
    if (this.#asked.some((each) => questionId(each.question.question) === questionId(question))) return;
    const asked = this.#asking(question);
    if (asked === undefined) return;
    this.#asked = [...this.#asked, asked];
    this.#put(asked);
  }

  /** Returns a question for the editor; undefined if it is not asked, or was answered at once by an earlier denial. */
  #asking(open: Question): AskedQuestion | undefined {
    const question = editorQuestion(open, this.#session, this.#parts.workingDir);
    if (question === undefined || this.#prompt?.isCancelled === true) return undefined;
    if (question.likeness === undefined || !this.#denied.has(question.likeness))
      return { question, taken: new AbortController() };
    const denial = question.answer(DENY_ALWAYS);
    if (denial !== undefined) this.#send(denial);
    return undefined;
  }

  /**
   * Puts a question to the editor without waiting: events are processed in the meantime, and report the answer of
   * another client.
   */
  #put(asked: AskedQuestion): void {
    this.#answered(asked).catch((thrown: unknown) => this.#warn("ask", thrown));
  }

  async #answered(asked: AskedQuestion): Promise<void> {
    const { request, likeness, answer } = asked.question;
    const taken = asked.taken.signal;
    const { client, name } = this.#parts;
    const chosen = await client
      .request(
        "session/request_permission",
        { sessionId: name, ...request },
        { cancellationSignal: taken, stopWaitingOnCancel: true },
      )
      .then(optionOf, () => undefined); // an editor that cannot ask allows nothing
    if (taken.aborted || this.#left.signal.aborted) return;
    this.#asked = this.#asked.filter((each) => each !== asked);
    if (chosen === DENY_ALWAYS && likeness !== undefined && this.#denied.size < DENIED_MAX)
      this.#denied.add(likeness);
    const command = answer(chosen);
    if (command !== undefined) this.#send(command);
  }

  #takeBackAll(why: string): void {
    for (const each of this.#asked) takeBack(each, why);
    this.#asked = [];
  }

  /** Sends a command and only logs a refusal: another client has answered meanwhile, or a turn has ended. */
  #send(command: Command): void {
    this.#parts.connection.send(command).catch((thrown: unknown) => this.#warn(command.kind, thrown));
  }

  #offerAnew(): void {
    this.offer().catch((thrown: unknown) => this.#warn("offer", thrown));
  }

  #warn(what: string, thrown: unknown): void {
    this.#parts.log.for("acp").write("warn", "refused", { what, problem: messageOf(thrown) });
  }

  async #tell(updates: readonly SessionUpdate[]): Promise<void> {
    const { client, name: sessionId } = this.#parts;
    for (const update of updates) await client.notify("session/update", { sessionId, update });
  }

  #end(thrown: unknown): void {
    this.#over ??= thrown;
    this.#moving.reject(thrown);
    this.#left.abort(thrown);
    this.#takeBackAll("the session is not followed any more");
    this.#prompt?.fail(thrown);
  }
}

function moving() {
  const move = Promise.withResolvers<void>();
  move.promise.catch(() => undefined); // mostly nobody waits for it
  return move;
}

function takeBack({ taken }: AskedQuestion, why: string): void {
  taken.abort(new Cancelled("engine", why));
}

/** Returns the chosen option; undefined for any other answer. */
function optionOf(response: unknown): string | undefined {
  const outcome = objectAt(response, "outcome");
  return stringAt(outcome, "outcome") === "selected" ? stringAt(outcome, "optionId") : undefined;
}

function endPrompt(prompt: OpenPrompt, result: TurnResult): void {
  const { reason = "error", error } = result;
  const stopReason = stopReasonOf(reason);
  if (stopReason === undefined) {
    const { reason: why, message } = error ?? {
      reason: reason === "empty" ? "EmptyResponse" : "InternalError",
      message: endingText(reason) ?? reason,
    };
    prompt.fail(new HarnessError("EngineRefused", { reason: why, message }));
    return;
  }
  prompt.end({ stopReason, _meta: { cinch: turnAnswer(result) } });
}

/** Returns undefined if the turn has failed, which is an error here and no way to stop. */
function stopReasonOf(reason: TurnEndReason): PromptResponse["stopReason"] | undefined {
  switch (reason) {
    case "complete":
    case "yield":
      return "end_turn";
    case "cancelled":
      return "cancelled";
    case "length":
      return "max_tokens";
    case "turn_limit":
    case "time_limit":
    case "budget":
    case "no_progress":
      return "max_turn_requests";
    case "empty":
    case "error":
      return undefined;
    default:
      return unreachable(reason);
  }
}
