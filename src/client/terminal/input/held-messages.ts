import type { Services } from "../layout/services.ts";
import type { OutgoingMessage } from "./message.ts";

/** Messages that wait for a change of the session, such as another one to be shown. */
export class HeldMessages {
  readonly #services: Pick<Services, "draft" | "say" | "redraw">;
  #messages: readonly OutgoingMessage[] = [];

  constructor(services: Pick<Services, "draft" | "say" | "redraw">) {
    this.#services = services;
  }

  /** The messages that wait, the oldest first. */
  get messages(): readonly OutgoingMessage[] {
    return this.#messages;
  }

  /**
   * Holds a message, then sends it. If the change could not be made, the message comes back into the draft: it was not
   * meant for the session as it is.
   * @param until resolves to true once the change is made, and to false if it could not be.
   * @throws the reason of `until`, once the message is in the draft again.
   */
  async hold(message: OutgoingMessage, until: Promise<boolean>, send: () => void): Promise<void> {
    this.#messages = [...this.#messages, message];
    let isMade = false;
    try {
      isMade = await until;
    } finally {
      // One that was cancelled meanwhile is in the draft already.
      if (this.#messages.includes(message)) this.#release(message, isMade ? send : undefined);
    }
  }

  #release(message: OutgoingMessage, send: (() => void) | undefined): void {
    const { draft, redraw } = this.#services;
    this.#messages = this.#messages.filter((each) => each !== message);
    if (send === undefined) draft.restore([message]);
    else send();
    redraw();
  }

  /** Brings all of them back into the draft. */
  cancel(): void {
    const { draft, say } = this.#services;
    const messages = this.#messages;
    if (messages.length === 0) return;
    this.#messages = [];
    draft.restore(messages);
    say("Cancelled before it was sent: the message is in the draft again.");
  }
}
