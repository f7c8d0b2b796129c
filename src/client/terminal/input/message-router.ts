import type { TerminalFeature } from "../layout/feature.ts";
import { inBackground } from "../layout/in-background.ts";
import type { Services } from "../layout/services.ts";
import { HeldMessages } from "./held-messages.ts";
import type { OutgoingMessage, SendHow } from "./message.ts";
import type { MessageSenderOptions } from "./message-sender.ts";
import { MessageSender } from "./message-sender.ts";

export interface MessageRouterOptions extends MessageSenderOptions {
  readonly services: Services;
  readonly features: () => readonly TerminalFeature[];
  /** Called with each message that the person sends, before anything else. */
  readonly sending: () => void;
}

/** Gives each message of the person to the first feature that takes its text, else to the session. */
export class MessageRouter {
  readonly #options: MessageRouterOptions;
  readonly #held: HeldMessages;
  /** Sends messages to the session. */
  readonly sender: MessageSender;

  constructor(options: MessageRouterOptions) {
    const { services } = options;
    this.#options = options;
    this.sender = new MessageSender(options);
    this.#held = new HeldMessages(services);
  }

  /** True while a message is on its way, or waits for another session. */
  get isSending(): boolean {
    return this.sender.isSending || this.#held.messages.length > 0;
  }

  /** Messages that are on their way for a while, or wait for another session. */
  get slow(): readonly OutgoingMessage[] {
    return [...this.sender.slow, ...this.#held.messages];
  }

  /** Messages that the engine has not taken. */
  get unsent(): readonly OutgoingMessage[] {
    return [...this.sender.sending, ...this.#held.messages];
  }

  send(message: OutgoingMessage, how: SendHow): void {
    const { services, features, sending } = this.#options;
    const { text, images } = message;
    sending();
    if (images.length > 0 && /^\s*[/!]/.test(text)) {
      services.draft.restore([message]);
      services.say("A command takes no images: send them with a prompt, or remove them.", "warning");
      return;
    }
    for (const feature of features()) {
      const taken = feature.send?.(text, how) ?? false;
      if (taken instanceof Promise)
        inBackground(
          this.#held.hold(message, taken, () => this.send(message, how)),
          services,
        );
      if (taken !== false) return;
    }
    inBackground(this.sender.send(message, how), services);
  }

  /** Brings messages back into the draft that the engine has not got. */
  cancel(): void {
    this.sender.cancel();
    this.#held.cancel();
  }
}
