import { whileAlive } from "../../base/async/deadline.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Command } from "../../protocol/commands/commands.ts";
import type { AcceptedOf, ResultOfCommand } from "../../protocol/commands/results.ts";
import type { Connection } from "../../protocol/connection.ts";
import type { QueryKind } from "../../protocol/kinds.ts";
import type { QueryOf, ResultOf } from "../../protocol/queries/queries.ts";
import { refusalText } from "../../view/texts/refusal-text.ts";

export interface SenderOptions {
  readonly connection: Pick<Connection, "send" | "query">;
  /** Ends the wait for every answer when it aborts. */
  readonly signal: AbortSignal;
  /** Prints a text for the user. */
  readonly say: (text: string) => Promise<void>;
}

/** Sends commands and queries for a client of a terminal; returns or prints refusals. */
export class Sender {
  readonly #options: SenderOptions;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Sends a command; returns the answer or the refusal. */
  async answerTo<Sent extends Command>(command: Sent): Promise<AcceptedOf<Sent["kind"]> | HarnessError> {
    const { connection, signal } = this.#options;
    const accepted = await refusalOr(whileAlive(connection.send(command), signal));
    if (accepted instanceof HarnessError) return accepted;
    if (accepted.result === undefined) return accepted as AcceptedOf<Sent["kind"]>;
    const { readAccepted } = await import("../../protocol/commands/results.ts");
    return readAccepted<Sent["kind"]>(command.kind, accepted);
  }

  /** Sends a query; returns the answer or the refusal. */
  async query<Kind extends QueryKind>(query: QueryOf<Kind>): Promise<ResultOf<Kind> | HarnessError> {
    const { connection, signal } = this.#options;
    return await refusalOr(whileAlive(connection.query(query, signal), signal));
  }

  /** Sends a command; returns the refusal, if any. */
  async send(command: Command): Promise<HarnessError | undefined> {
    const answer = await this.answerTo(command);
    return answer instanceof HarnessError ? answer : undefined;
  }

  /** Sends a command; prints and returns the refusal, if any. */
  async sendOrTell(command: Command): Promise<HarnessError | undefined> {
    const refused = await this.send(command);
    if (refused !== undefined) await this.#options.say(refusalText(refused));
    return refused;
  }

  /** Sends a command; returns its result. Prints a refusal and returns undefined. */
  async request<Sent extends Command>(command: Sent): Promise<ResultOfCommand<Sent["kind"]> | undefined> {
    const answer = await this.answerTo(command);
    if (!(answer instanceof HarnessError)) return answer.result;
    await this.#options.say(refusalText(answer));
    return undefined;
  }
}

async function refusalOr<Answer>(asked: Promise<Answer>): Promise<Answer | HarnessError> {
  try {
    return await asked;
  } catch (thrown) {
    if (thrown instanceof HarnessError) return thrown;
    throw thrown;
  }
}
