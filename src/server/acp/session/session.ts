import type {
  AgentContext,
  AvailableCommand,
  PromptResponse,
  SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { Cancelled, HarnessError, messageOf } from "../../../base/errors.ts";
import type { EventSeq, SessionId } from "../../../base/ids.ts";
import { isObject } from "../../../base/json.ts";
import type { Log } from "../../../base/log.ts";
import type { Command } from "../../../protocol/commands/commands.ts";
import type { Connection } from "../../../protocol/connection.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { SessionInfo } from "../../../protocol/resources.ts";
import { followSession } from "../../../view/follow.ts";
import { inputTurnAfter } from "../../../view/follow-turn.ts";
import { NEW_SESSION, runOf, sessionAfter } from "../../../view/session/session-view.ts";
import { turnResult } from "../../../view/turn-result.ts";
import type { EditorAbilities } from "../abilities.ts";
import { answeredOptions } from "./answered-options.ts";
import { AskedQuestions } from "./asked-questions.ts";
import { SessionFacts } from "./facts.ts";
import { CANCELLED, OpenPrompt } from "./open-prompt.ts";
import type { OfferedModel, SessionOptions } from "./options.ts";
import { Replay } from "./replay.ts";
import { EditorUpdates, noticeUpdate } from "./updates/updates.ts";
import { UsedFiles } from "./used-files.ts";

export interface AcpSessionDependencies {
  readonly client: AgentContext;
  readonly connection: Connection;
  /** Name that the editor uses: a session that continues in a new run keeps it. */
  readonly name: string;
  /** The run that takes its commands, until another one replaces it. */
  readonly session: SessionId;
  /** Its facts when it is opened. */
  readonly info: SessionInfo;
  readonly abilities: EditorAbilities;
  /** Absent: the editor does not say what is unsaved. */
  readonly unsaved?: UnsavedInEditor | undefined;
  /** Returns the slash commands of a session that an editor is offered. */
  readonly commands: (session: SessionId) => Promise<readonly AvailableCommand[]>;
  readonly log: Log;
}

/** Files that may have unsaved changes in the editor, by absolute paths. */
interface UnsavedInEditor {
  /** Notes a file that a call has used. */
  used(path: string): void;
  has(path: string): Promise<boolean>;
}

/** An acknowledged file may bring commands, too. */
const RENEWS: ReadonlySet<Envelope["kind"]> = new Set<Envelope["kind"]>(["SkillRegistryChanged", "Answered"]);

/** Events after which title or time of a session may be others. */
const DESCRIBES: ReadonlySet<Envelope["kind"]> = new Set<Envelope["kind"]>([
  "TurnStarted",
  "TurnEnded",
  "SessionRenamed",
]);

/** Events of the past that are read: those above the first id, up to the second. */
interface ReadRange {
  readonly from: EventSeq;
  readonly to: EventSeq;
}

/** One session as an editor watches and drives it, from its announcement until the editor closes it. */
export class AcpSession {
  readonly #parts: AcpSessionDependencies;
  readonly #updates: EditorUpdates;
  readonly #facts: SessionFacts;
  readonly #usedFiles = new UsedFiles();
  readonly #left = new AbortController();
  readonly #questions: AskedQuestions;
  #view = NEW_SESSION;
  #prompt: OpenPrompt | undefined;
  /** Prompts that are read, and not yet sent. */
  readonly #prepared = new Set<AbortController>();
  #commands = 0;
  #session: SessionId;
  /** Resolves when another session has replaced this one. */
  #replaced = deferred();
  /** True from the change to the session that continues until that one has reported the switch. */
  #isUnreported = false;
  /** The session that continues under another profile once this one has ended. */
  #next: { readonly session: SessionId; readonly since: EventSeq } | undefined;
  #over: unknown;

  constructor(parts: AcpSessionDependencies) {
    this.#parts = parts;
    this.#session = parts.session;
    const { connection, info, abilities } = parts;
    const { working_dir: workingDir } = info;
    this.#updates = new EditorUpdates({ self: () => connection.clientId, workingDir, abilities });
    this.#facts = new SessionFacts(info);
    this.#questions = new AskedQuestions({
      ...{ client: parts.client, name: parts.name, editor: { workingDir, forms: abilities.forms } },
      session: () => this.#session,
      run: () => this.#run,
      isUnsaved: async (path) => (await parts.unsaved?.has(path)) === true,
      isCancelled: () => this.#prompt?.cancelled.signal.aborted === true,
      send: (command) => this.#send(command),
      warn: (what, thrown) => this.#warn(what, thrown),
    });
  }

  /** Starts to send the editor everything above an event. */
  begin(since: EventSeq): void {
    this.#follow(since).catch((thrown: unknown) => this.#end(thrown));
  }

  /**
   * Reads the session above one event, and resolves once all up to another was read, and sent if it is shown. The
   * editor then gets everything above it.
   */
  async replay({ from, to }: ReadRange, { isShown }: { readonly isShown: boolean }): Promise<void> {
    if (from < to) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      this.#follow(from, new Replay(to, { isShown, ended: resolve })).catch((thrown: unknown) => {
        this.#end(thrown);
        reject(thrown);
      });
      await promise;
    }
    this.#facts.settle(this.#parts.info, this.#view.costs);
    if (from >= to) this.begin(to);
  }

  /** Returns a signal for the work before a prompt is sent: a cancel of the editor aborts it too. Dispose it after. */
  prepare(signal: AbortSignal): Disposable & { readonly signal: AbortSignal } {
    const cancelled = new AbortController();
    this.#prepared.add(cancelled);
    return {
      signal: AbortSignal.any([signal, cancelled.signal]),
      [Symbol.dispose]: () => this.#prepared.delete(cancelled),
    };
  }

  /**
   * Sends a prompt and resolves when its turn has ended, after all its updates were sent.
   * @param input makes the input. Its signal aborts if the prompt is cancelled.
   * @throws HarnessError if it is refused, or the turn has failed; the error that broke the session off.
   */
  async prompt(
    input: (signal: AbortSignal) => Promise<Command>,
    signal: AbortSignal,
  ): Promise<PromptResponse> {
    this.assertOpen();
    if (this.#prompt !== undefined) {
      const why = "a prompt of this editor is being answered; wait for its end, or cancel it";
      throw new HarnessError("InvalidCommand", { kind: "SendInput", why });
    }
    const prompt = new OpenPrompt();
    const { signal: cancelled } = prompt.cancelled;
    this.#prompt = prompt;
    const stop = () => this.cancel();
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      const command = await input(cancelled);
      if (cancelled.aborted) return CANCELLED;
      this.assertOpen();
      prompt.isSent = true;
      await this.#parts.connection.send(command);
      return await prompt.answer;
    } catch (thrown) {
      // The end of a turn is not followed any more once its session is closed.
      const isEnded = prompt.turn === undefined || this.#left.signal.aborted;
      if (cancelled.aborted && isEnded) return CANCELLED;
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
    const reason = new Cancelled(this.#parts.connection.clientId, "the prompt was cancelled");
    for (const each of this.#prepared) each.abort(reason);
    const prompt = this.#prompt;
    if (prompt?.cancelled.signal.aborted === true || (prompt === undefined && this.#commands === 0)) return;
    prompt?.cancelled.abort(reason);
    if (prompt?.isSent === false) return; // the engine has another client's turn, if any
    this.#questions.takeBackAll("the prompt was cancelled");
    this.#send({ kind: "CancelTurn", sessionId: this.#session });
  }

  /** Shows a text to the person that is no part of the conversation with the model. */
  async say(text: string): Promise<void> {
    const content = { type: "text", text } as const;
    await this.#tell([{ sessionUpdate: "agent_message_chunk", content }]);
  }

  /** Shows a notice apart from the conversation, if the editor can, else as a text. */
  async notify(notice: string, rendered: (line: string) => string): Promise<void> {
    if (this.#parts.abilities.notices) await this.#tell([noticeUpdate(notice, "info")]);
    else await this.say(`${rendered(notice)}\n\n`);
  }

  /** Offers the current slash commands. */
  async offer(): Promise<void> {
    const commands = await this.#parts.commands(this.#session);
    await this.#tell([{ sessionUpdate: "available_commands_update", availableCommands: [...commands] }]);
  }

  /**
   * Carries out a command that is no prompt. The options have the values that its answer tells.
   * @throws HarnessError if it is refused.
   */
  async command(command: Command): Promise<unknown> {
    this.assertOpen();
    const { options: before } = this.#facts;
    const from = this.#session;
    this.#commands += 1;
    try {
      const accepted = await this.#parts.connection.send(command);
      const { sessionId, result } = accepted;
      if (command.kind === "CompactSession" && isObject(result) && result["compacted"] === false)
        await this.#tell(this.#updates.compactionFailed());
      // The next prompt is for the session that continues, or for the one that continues that by now. That one reports
      // the switch: its text comes before the answer.
      if (command.kind === "SwitchProfile" && sessionId !== undefined && sessionId !== from)
        while (this.#session === from || this.#isUnreported) await this.#replaced.promise;
      if (this.#session === from)
        await this.#tell(this.#facts.answered(answeredOptions(command.kind, accepted), before));
      return result;
    } finally {
      this.#commands -= 1;
    }
  }

  /** Mode, model and effort, as the editor shows them. */
  get options(): SessionOptions {
    return this.#facts.options;
  }

  /** True if a plan waits for the person's answer. */
  get asksAboutPlan(): boolean {
    return runOf(this.#view, this.#run).questions.some(
      (question) => question.kind === "asked" && question.ask.about === "plan",
    );
  }

  get isBusy(): boolean {
    return runOf(this.#view, this.#run).turn !== undefined;
  }

  /** Takes the models that the session can continue with, and offers them. */
  async offerModels(models: readonly OfferedModel[]): Promise<void> {
    await this.#tell(this.#facts.offerModels(models));
    await this.#tell(this.#facts.usage());
  }

  /** Sends the title and time of the session, after a change. */
  async describe(info: Pick<SessionInfo, "title" | "updated_at">): Promise<void> {
    const update = {
      sessionUpdate: "session_info_update",
      title: info.title,
      updatedAt: info.updated_at,
    } as const;
    await this.#tell([update]);
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
      const questions = this.#questions.step(event);
      const updates = this.#updates.of(event, { calls, isReplay: replay !== undefined });
      for (const path of this.#usedFiles.after(updates)) this.#parts.unsaved?.used(path);
      if (event.kind === "TurnEnded" && event.parentCall === undefined) this.#usedFiles.clear();
      if (replay === undefined) {
        const facts = this.#facts.after(event);
        await this.#tell([...updates, ...facts]);
        if (event.kind === "ProfileSwitched" && event.payload.next === undefined) this.#reported();
        this.#describeAfter(event);
        this.#questions.follow(event, questions);
        this.#live(event);
        continue;
      }
      await this.#tell(replay.add(event, updates));
      if (!replay.isOver(event)) continue;
      replay.end();
      for (const question of runOf(this.#view, this.#run).questions) this.#questions.ask(question);
      replay = undefined;
    }
    if (this.#next !== undefined && !this.#left.signal.aborted) {
      const { session: next, since: from } = this.#next;
      this.#session = next;
      if (from === 0) this.#view = NEW_SESSION; // another log
      await this.#renew({ isOtherLog: from === 0 });
      this.#next = undefined;
      this.#isUnreported = true;
      this.#sendOptions();
      return await this.#follow(from);
    }
    throw this.#left.signal.aborted
      ? this.#left.signal.reason
      : new HarnessError("UnknownSession", { id: this.#parts.name }); // it has ended
  }

  /** The session that continues has reported the switch to it. */
  #reported(): void {
    this.#isUnreported = false;
    this.#replaced.resolve();
    this.#replaced = deferred();
  }

  /** The title is made of the first prompt, or given by a person; the time is that of the last turn. */
  #describeAfter({ kind, parentCall }: Envelope): void {
    if (parentCall !== undefined || !DESCRIBES.has(kind)) return;
    const { connection } = this.#parts;
    const described = async () =>
      await this.describe(await connection.query({ kind: "GetSession", sessionId: this.#session, last: 0 }));
    described().catch((thrown: unknown) => this.#warn("describe", thrown));
  }

  #live(event: Envelope): void {
    if (event.kind === "ProfileSwitched" && event.session === this.#run) {
      const { next: session, inPlace = false } = event.payload;
      if (session !== undefined) this.#next = { session, since: inPlace ? event.id : 0 };
    }
    if (RENEWS.has(event.kind)) this.#sendOptions();
    this.#followPrompt(event);
  }

  #followPrompt(event: Envelope): void {
    const prompt = this.#prompt;
    if (prompt === undefined) return;
    const turn = inputTurnAfter(prompt.turn, event, { by: this.#parts.connection.clientId });
    prompt.turn = turn;
    if (typeof turn === "object" && turn.ended !== undefined) prompt.end(turnResult(turn));
  }

  get #run(): SessionId {
    return this.#parts.connection.runOf?.(this.#session) ?? this.#session;
  }

  /** Sends a command and only logs a refusal: another client has answered meanwhile, or a turn has ended. */
  #send(command: Command): void {
    this.#parts.connection.send(command).catch((thrown: unknown) => this.#warn(command.kind, thrown));
  }

  /** Shows the options of the session that continues: its profile may have others. */
  async #renew({ isOtherLog }: { readonly isOtherLog: boolean }): Promise<void> {
    const { connection } = this.#parts;
    try {
      const info = await connection.query({ kind: "GetSession", sessionId: this.#session, last: 0 });
      await this.#tell(this.#facts.renew(info, { isOtherLog }));
    } catch (thrown) {
      this.#warn("renew", thrown);
    }
  }

  #sendOptions(): void {
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
    this.#replaced.reject(thrown);
    this.#left.abort(thrown);
    this.#questions.end("the session is not followed any more");
    this.#prompt?.fail(thrown);
  }
}

function deferred() {
  const pending = Promise.withResolvers<void>();
  pending.promise.catch(() => undefined); // mostly nobody waits for it
  return pending;
}
