import { whileAlive } from "../../../base/async/deadline.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { Accepted, Command } from "../../../protocol/commands/commands.ts";
import type { Connection } from "../../../protocol/connection.ts";
import { refusalText } from "../../../view/texts/refusal-text.ts";

export interface SenderOptions {
  readonly connection: Connection;
  /** What is asked after it aborts, or before, is waited for no longer. */
  readonly signal: AbortSignal;
  /** Tells the person. */
  readonly say: (text: string) => Promise<void>;
}

/** Sends commands for the line client: what is refused is given back, or told to the person. */
export class Sender {
  readonly #options: SenderOptions;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Gives the answer, or the refusal. */
  async answerTo(command: Command): Promise<Accepted | HarnessError> {
    const { connection, signal } = this.#options;
    try {
      return await whileAlive(connection.send(command), signal);
    } catch (thrown) {
      if (thrown instanceof HarnessError) return thrown;
      throw thrown;
    }
  }

  /** Gives the refusal, where it was one. */
  async send(command: Command): Promise<HarnessError | undefined> {
    const answer = await this.answerTo(command);
    return answer instanceof HarnessError ? answer : undefined;
  }

  /** Gives the refusal, where it was one, which has been told. */
  async sendOrTell(command: Command): Promise<HarnessError | undefined> {
    const refused = await this.send(command);
    if (refused !== undefined) await this.#options.say(refusalText(refused));
    return refused;
  }

  /** Gives the result; undefined where it was refused, which has been told. */
  async request(command: Command): Promise<unknown> {
    const answer = await this.answerTo(command);
    if (!(answer instanceof HarnessError)) return answer.result;
    await this.#options.say(refusalText(answer));
    return undefined;
  }
}
