import { whileAlive } from "../../../base/async/deadline.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { SessionId } from "../../../base/ids.ts";
import type { Command } from "../../../protocol/commands/commands.ts";
import type { AcceptedOf } from "../../../protocol/commands/results.ts";
import type { NewsOptions } from "../../../protocol/connection.ts";
import type { AttachedFile, AttachmentInfo } from "../../../protocol/content.ts";
import type { NewsItem } from "../../../protocol/events/news.ts";
import type { QueryKind } from "../../../protocol/kinds.ts";
import type { QueryOf, ResultOf } from "../../../protocol/queries/queries.ts";
import { Sender } from "../../slash/sender.ts";
import type { ReachedByTerminal } from "../options.ts";

export interface EngineLinkOptions {
  readonly engine: Promise<ReachedByTerminal>;
  /** Ends every wait when it aborts. */
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

/** Sends commands, queries and files to the engine of this client. Each of them waits until the engine is reached. */
export class EngineLink {
  readonly #options: EngineLinkOptions;
  #reached: ReachedByTerminal | undefined;
  #hasFailed = false;

  constructor(options: EngineLinkOptions) {
    this.#options = options;
  }

  /** The engine, once it is reached. */
  get reached(): ReachedByTerminal | undefined {
    return this.#reached;
  }

  /** True if the engine could not be reached. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Waits for the engine. @throws the failure of its start. */
  async reach(): Promise<ReachedByTerminal> {
    try {
      this.#reached = await this.#options.engine;
      return this.#reached;
    } catch (thrown) {
      this.#hasFailed = true;
      throw thrown;
    }
  }

  /** Sends a command; returns the answer, or the refusal. */
  async send<Sent extends Command>(command: Sent): Promise<AcceptedOf<Sent["kind"]> | HarnessError> {
    const sender = await this.#sender();
    return sender instanceof HarnessError ? sender : await this.#whileHere(sender.answerTo(command));
  }

  /** Sends a query; returns the answer, or the refusal. */
  async query<Kind extends QueryKind>(query: QueryOf<Kind>): Promise<ResultOf<Kind> | HarnessError> {
    const sender = await this.#sender();
    return sender instanceof HarnessError ? sender : await this.#whileHere(sender.query(query));
  }

  /** Stores a file for inputs of a session; returns its facts, or the refusal. Undefined: no files are carried. */
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

  /** Yields changes of all sessions; undefined before the engine is reached, and if it serves none. */
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

  /** Waits for an answer. @throws the reason of the signal once the client has left, whatever ended the wait. */
  async #whileHere<Answer>(answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer;
    } catch (thrown) {
      this.#options.signal.throwIfAborted();
      throw thrown;
    }
  }
}
