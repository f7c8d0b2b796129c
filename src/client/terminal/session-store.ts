import { whileAlive } from "../../base/async/deadline.ts";
import { HarnessError } from "../../base/errors.ts";
import type { SessionId } from "../../base/ids.ts";
import type { Command } from "../../protocol/commands/commands.ts";
import type { AcceptedOf } from "../../protocol/commands/results.ts";
import type { Connection, NewsOptions } from "../../protocol/connection.ts";
import type { AttachedFile, AttachmentInfo } from "../../protocol/content.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { NewsItem } from "../../protocol/events/news.ts";
import type { QueryKind } from "../../protocol/kinds.ts";
import type { QueryOf, ResultOf } from "../../protocol/queries/queries.ts";
import type { SessionInfo } from "../../protocol/resources.ts";
import { followSession } from "../../view/follow.ts";
import type { SessionStep, SessionView } from "../../view/session/session-view.ts";
import { NEW_SESSION, sessionStep } from "../../view/session/session-view.ts";
import type { LocalNote } from "../../view/transcript/local-notes.ts";
import { transcriptAfterEvent, withLocalNote } from "../../view/transcript/local-notes.ts";
import type { Transcript } from "../../view/transcript/transcript.ts";
import { NEW_TRANSCRIPT, transcriptBehind } from "../../view/transcript/transcript.ts";
import { Sender } from "../slash/sender.ts";
import type { ShownSession } from "./layout/services.ts";
import type { OpenSession, ReachedByTerminal, WhichSession } from "./options.ts";

export interface SessionStoreOptions {
  readonly engine: Promise<ReachedByTerminal>;
  /** Ends every wait when it aborts. */
  readonly signal: AbortSignal;
  /** Called after each event, with the views before and after it. */
  readonly changed: (envelope: Envelope, step: SessionStep) => void;
  /** Called once another session is shown, before its events. */
  readonly opened: () => void;
  /** Called if the events of the session end, or cannot be read any more. */
  readonly ended: (failure: unknown) => void;
  /** Called if another session cannot be shown. */
  readonly refused: (failure: unknown) => void;
  readonly say: (text: string) => void;
}

/** The session that is shown: opens it, follows its events, and sends commands and queries. */
export class SessionStore implements ShownSession {
  readonly #options: SessionStoreOptions;
  #reached: ReachedByTerminal | undefined;
  #open: OpenSession | undefined;
  #opening: Promise<OpenSession> | undefined;
  #view: SessionView = NEW_SESSION;
  #transcript: Transcript = NEW_TRANSCRIPT;
  /** Ends the subscription to the session that is shown. */
  #following = new AbortController();

  constructor(options: SessionStoreOptions) {
    this.#options = options;
  }

  get open(): OpenSession | undefined {
    return this.#open;
  }
  get view(): SessionView {
    return this.#view;
  }
  get transcript(): Transcript {
    return this.#transcript;
  }
  get self(): string | undefined {
    return this.#reached?.connection.clientId;
  }
  /** The last session of the folder, which a person could continue. */
  get last(): SessionInfo | undefined {
    return this.#reached?.last;
  }
  get isModelNamed(): boolean {
    return this.#reached?.isModelNamed === true;
  }
  /** True once the engine is reached. */
  get isReached(): boolean {
    return this.#reached !== undefined;
  }

  get isOverNetwork(): boolean {
    return this.#reached?.isOverNetwork === true;
  }

  note(note: LocalNote): void {
    this.#transcript = withLocalNote(this.#transcript, note);
  }

  clear(): void {
    this.#transcript = transcriptBehind(this.#transcript.reached);
  }

  /** Waits for the engine, and shows the session that the command line names. @throws the failure of its start. */
  async reach(): Promise<ReachedByTerminal> {
    this.#reached = await this.#options.engine;
    if (this.#reached.named !== undefined) this.#follow(this.#reached.named);
    return this.#reached;
  }

  /**
   * Returns the session that is shown, or that was chosen and is about to be, so that a prompt is sent to the one that
   * the person chose. Begins one if there is none.
   * @throws HarnessError the engine's refusal.
   */
  async session(): Promise<OpenSession> {
    if (this.#opening === undefined && this.#open !== undefined) return this.#open;
    return await (this.#opening ?? this.#show({ kind: "new" }));
  }

  async goTo(which: WhichSession): Promise<void> {
    try {
      await this.#show(which);
    } catch (thrown) {
      this.#options.refused(thrown);
    }
  }

  /** Opens a session and shows it, unless the person has chosen another one meanwhile. */
  async #show(which: WhichSession): Promise<OpenSession> {
    const opening = this.#options.engine.then(async (engine) => await engine.open(which));
    this.#opening = opening;
    try {
      const open = await opening;
      if (this.#opening === opening) this.#follow(open);
      return open;
    } finally {
      if (this.#opening === opening) this.#opening = undefined;
    }
  }

  async send<Sent extends Command>(command: Sent): Promise<AcceptedOf<Sent["kind"]> | HarnessError> {
    const sender = await this.#sender();
    return sender instanceof HarnessError ? sender : await this.#whileHere(sender.answerTo(command));
  }

  async query<Kind extends QueryKind>(query: QueryOf<Kind>): Promise<ResultOf<Kind> | HarnessError> {
    const sender = await this.#sender();
    return sender instanceof HarnessError ? sender : await this.#whileHere(sender.query(query));
  }

  /** Waits for an answer. Once the client has left, nobody reads it: then the wait has no end, and no failure. */
  async #whileHere<Answer>(answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer;
    } catch (thrown) {
      if (this.#options.signal.aborted) return await new Promise<never>(() => undefined);
      throw thrown;
    }
  }

  async attach(session: SessionId, file: AttachedFile): Promise<AttachmentInfo | HarnessError | undefined> {
    const { engine, signal } = this.#options;
    try {
      const { connection } = await whileAlive(engine, signal);
      return connection.attach === undefined
        ? undefined
        : await whileAlive(connection.attach(session, file), signal);
    } catch (thrown) {
      if (thrown instanceof HarnessError) return thrown;
      throw thrown;
    }
  }

  news(options: NewsOptions): AsyncIterable<NewsItem> | undefined {
    return this.#reached?.connection.news?.(options);
  }

  async #sender(): Promise<Sender | HarnessError> {
    const { engine, signal, say } = this.#options;
    try {
      const { connection } = await this.#whileHere(whileAlive(engine, signal));
      return new Sender({ connection, signal, say: async (text) => say(text) });
    } catch (thrown) {
      if (thrown instanceof HarnessError) return thrown;
      throw thrown;
    }
  }

  #follow(open: OpenSession): void {
    this.#following.abort();
    this.#following = new AbortController();
    this.#open = open;
    this.#view = NEW_SESSION;
    this.#transcript = NEW_TRANSCRIPT;
    this.#options.opened();
    const signal = AbortSignal.any([this.#options.signal, this.#following.signal]);
    void this.#options.engine.then(({ connection }) => this.#read(connection, open, signal));
  }

  async #read(connection: Connection, { session }: OpenSession, signal: AbortSignal): Promise<void> {
    try {
      for await (const envelope of followSession(connection, session, { since: 0, signal })) {
        if (signal.aborted) return;
        const step = sessionStep(this.#view, envelope);
        this.#view = step.after;
        this.#transcript = transcriptAfterEvent(this.#transcript, envelope);
        this.#options.changed(envelope, step);
      }
      if (!signal.aborted) this.#options.ended(undefined);
    } catch (thrown) {
      if (!signal.aborted) this.#options.ended(thrown);
    }
  }
}
