import type { Draft, Services } from "../layout/services.ts";
import type { OutgoingMessage } from "./message.ts";

export interface HeldMessagesOptions {
  readonly draft: () => Pick<Draft, "restore">;
  readonly say: Services["say"];
  readonly redraw: Services["redraw"];
}

/** Messages that wait for a change of the session, such as another one to be shown. */
export class HeldMessages {
  readonly #options: HeldMessagesOptions;
  #messages: readonly OutgoingMessage[] = [];

  constructor(options: HeldMessagesOptions) {
    this.#options = options;
  }

  /** The messages that wait, the oldest first. */
  get messages(): readonly OutgoingMessage[] {
    return this.#messages;
  }

  /**
   * Holds a message, then sends it. If the change could not be made, the message comes back into the draft: it was not
   * meant for the session as it is.
   * @param until resolves to true once the change is made, and to false if it could not be.
   */
  async hold(message: OutgoingMessage, until: Promise<boolean>, send: () => void): Promise<void> {
    this.#messages = [...this.#messages, message];
    const isMade = await until;
    if (!this.#messages.includes(message)) return; // it was cancelled
    this.#messages = this.#messages.filter((each) => each !== message);
    if (isMade) send();
    else this.#options.draft().restore([message]);
    this.#options.redraw();
  }

  /** Brings all of them back into the draft. */
  cancel(): void {
    const { draft, say } = this.#options;
    const messages = this.#messages;
    if (messages.length === 0) return;
    this.#messages = [];
    draft().restore(messages);
    say("Cancelled before it was sent: the message is in the draft again.");
  }
}
