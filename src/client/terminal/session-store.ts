import { whileAlive } from "../../base/async/deadline.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Command } from "../../protocol/commands/commands.ts";
import type { AcceptedOf } from "../../protocol/commands/results.ts";
import type { Connection, NewsOptions } from "../../protocol/connection.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { NewsItem } from "../../protocol/events/news.ts";
import type { QueryKind } from "../../protocol/kinds.ts";
import type { QueryOf, ResultOf } from "../../protocol/queries/queries.ts";
import type { SessionInfo } from "../../protocol/resources.ts";
import { followSession } from "../../view/follow.ts";
import type { SessionStep, SessionView } from "../../view/session/session-view.ts";
import { NEW_SESSION, sessionStep } from "../../view/session/session-view.ts";
import type { Transcript } from "../../view/transcript/transcript.ts";
import { NEW_TRANSCRIPT, transcriptAfter } from "../../view/transcript/transcript.ts";
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
  /** True once the engine is reached. */
  get isReached(): boolean {
    return this.#reached !== undefined;
  }

  /** Waits for the engine, and shows the session that the command line names. @throws the failure of its start. */
  async reach(): Promise<ReachedByTerminal> {
    this.#reached = await this.#options.engine;
    if (this.#reached.named !== undefined) this.#follow(this.#reached.named);
    return this.#reached;
  }

  /** Returns the session that is shown; begins one if there is none. @throws HarnessError the engine's refusal. */
  async session(): Promise<OpenSession> {
    if (this.#open !== undefined) return this.#open;
    this.#opening ??= this.#options.engine.then(async (engine) => await engine.open({ kind: "new" }));
    try {
      const open = await this.#opening;
      if (this.#open === undefined) this.#follow(open);
      return open;
    } finally {
      this.#opening = undefined;
    }
  }

  async goTo(which: WhichSession): Promise<void> {
    try {
      const engine = await this.#options.engine;
      this.#follow(await engine.open(which));
    } catch (thrown) {
      this.#options.refused(thrown);
    }
  }

  async send<Sent extends Command>(command: Sent): Promise<AcceptedOf<Sent["kind"]> | HarnessError> {
    const sender = await this.#sender();
    return sender instanceof HarnessError ? sender : await sender.answerTo(command);
  }

  async query<Kind extends QueryKind>(query: QueryOf<Kind>): Promise<ResultOf<Kind> | HarnessError> {
    const sender = await this.#sender();
    return sender instanceof HarnessError ? sender : await sender.query(query);
  }

  news(options: NewsOptions): AsyncIterable<NewsItem> | undefined {
    return this.#reached?.connection.news?.(options);
  }

  async #sender(): Promise<Sender | HarnessError> {
    const { engine, signal, say } = this.#options;
    try {
      const { connection } = await whileAlive(engine, signal);
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
        this.#transcript = transcriptAfter(this.#transcript, envelope);
        this.#options.changed(envelope, step);
      }
      if (!signal.aborted) this.#options.ended(undefined);
    } catch (thrown) {
      if (!signal.aborted) this.#options.ended(thrown);
    }
  }
}
