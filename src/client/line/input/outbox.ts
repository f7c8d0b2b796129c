import { HarnessError, hasReason } from "../../../base/errors.ts";
import type { ClientId, SessionId } from "../../../base/ids.ts";
import type { CommandOf } from "../../../protocol/commands/commands.ts";
import type { InputBlock } from "../../../protocol/content.ts";
import { neutralise } from "../../../view/terminal/terminal-text.ts";
import { refusalText } from "../../../view/texts/refusal-text.ts";
import type { Sender } from "../../slash/sender.ts";
import { quote } from "../output/quote.ts";

export interface OutboxOptions {
  readonly session: SessionId;
  readonly client: () => ClientId;
  readonly sender: Sender;
  readonly say: (text: string) => Promise<void>;
  /** True if a person sits at the terminal. */
  readonly interactive: boolean;
  /** Returns true while a turn runs or is queued. */
  readonly busy: () => boolean;
  /** Runs work after all lines that were entered before. */
  readonly afterLines: (work: () => Promise<void>) => Promise<void>;
  /** Texts that could not be sent before. */
  readonly unsentInputs?: readonly string[];
}

type Delivery = CommandOf<"SendInput">["delivery"];

/**
 * Sends the user's input to the model. Keeps a refused text and offers it again, so typed text is never lost (ENG-26).
 */
export class Outbox {
  readonly #options: OutboxOptions;
  #kept: readonly string[];
  /** True while an accepted turn of this client has not started. */
  #pending = false;
  /** Number of turns of this client that have started. */
  #ownTurns = 0;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#kept = options.unsentInputs ?? [];
  }

  /** Texts that could not be sent so far. */
  get kept(): readonly string[] {
    return this.#kept;
  }

  get pending(): boolean {
    return this.#pending;
  }

  /** Notes that a turn of this client has started. */
  turnStarted(): void {
    this.#pending = false;
    this.#ownTurns += 1;
  }

  keep(text: string): void {
    this.#kept = [...this.#kept, text];
  }

  /** Removes and returns the first kept text. */
  take(): string | undefined {
    const [input, ...others] = this.#kept;
    this.#kept = others;
    return input;
  }

  async sendText(text: string, delivery: Delivery = "queue"): Promise<void> {
    await this.send([{ type: "text", text }], delivery);
  }

  /** Sends an input for the model, which the engine queues during a turn. Keeps a refused one. */
  async send(
    content: readonly InputBlock[],
    delivery: Delivery = "queue",
    wants: Pick<CommandOf<"SendInput">, "skill" | "agent"> = {},
  ): Promise<void> {
    const { session: sessionId, sender, client, say, interactive, busy } = this.#options;
    const turnsBefore = this.#ownTurns;
    const answer = await sender.answerTo({
      kind: "SendInput",
      sessionId,
      content: [...content],
      delivery,
      ...wants,
    });
    if (!(answer instanceof HarnessError)) {
      // Its turn may have started, and even ended, before the answer came.
      this.#pending = answer.inputId === undefined && this.#ownTurns === turnsBefore;
      return;
    }
    // Keeping the text alone would lose the skill or agent that it asks for.
    if (Object.keys(wants).length > 0) return await say(refusalText(answer));
    this.keep(content.map((block) => (block.type === "text" ? block.text : "")).join("\n"));
    if (hasReason(answer, "TurnInProgress")) {
      const isOurs = answer.fields.originator === client();
      const why = isOurs ? "A turn is running; Ctrl-C cancels it." : refusalText(answer);
      await say(`${why} Your text is kept and offered again when it has ended.`);
    } else await say(refusalText(answer));
    if (!busy() && interactive) await this.offer();
  }

  /** Offers the first kept text; without a person at the terminal, sends it. */
  async offer(): Promise<void> {
    const [input] = this.#kept;
    if (input === undefined) return;
    const { say, interactive, afterLines } = this.#options;
    await say(`Kept; Enter sends it, /drop forgets it:\n${quote(neutralise(input))}`);
    if (interactive) return;
    this.take(); // a pipe has no Enter key
    await afterLines(() => this.sendText(input));
  }
}
