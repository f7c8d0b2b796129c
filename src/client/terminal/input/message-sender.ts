import { InOrder } from "../../../base/async/in-order.ts";
import { defined } from "../../../base/defined.ts";
import { HarnessError, hasReason } from "../../../base/errors.ts";
import type { InputId, SessionId } from "../../../base/ids.ts";
import { refusalText } from "../../../view/texts/refusal-text.ts";
import type { DraftImage } from "../images/draft-image.ts";
import { imageLabel } from "../images/draft-image.ts";
import { imageMentions, readImage } from "../images/image-paths.ts";
import type { ImageUploads } from "../images/image-uploads.ts";
import type { SendHow, Services } from "../layout/services.ts";
import type { OutgoingMessage } from "./message.ts";

export interface MessageSenderOptions {
  readonly services: Services;
  readonly uploads: ImageUploads;
  /** Called with a refusal of the engine, once the message is in the draft again. */
  readonly refused: (refusal: HarnessError) => void;
}

/** A message that is longer on its way is shown in the queue. */
const SHOWN_AFTER_MS = 250;

/**
 * Sends messages in their order. One that is refused, or cancelled before the engine has taken it, comes back into the
 * draft (ENG-26).
 */
export class MessageSender {
  readonly #options: MessageSenderOptions;
  readonly #order = new InOrder<"messages">();
  #sending: readonly OutgoingMessage[] = [];
  #slow: readonly OutgoingMessage[] = [];
  #cancels = 0;
  /** Resolves with the next cancel. */
  #cancelled = Promise.withResolvers<undefined>();

  constructor(options: MessageSenderOptions) {
    this.#options = options;
  }

  /** True while the engine has not taken a message. */
  get isSending(): boolean {
    return this.#sending.length > 0;
  }

  /** Messages that the engine has not taken. */
  get sending(): readonly OutgoingMessage[] {
    return this.#sending;
  }

  /** Messages that are on their way for a while. */
  get slow(): readonly OutgoingMessage[] {
    return this.#slow;
  }

  /** Stops messages that the engine has not got: they come back into the draft. */
  cancel(): void {
    this.#cancels += 1;
    this.#cancelled.resolve(undefined);
    this.#cancelled = Promise.withResolvers<undefined>();
  }

  /** Sends a message. Never rejects: a failure is shown, and the message comes back. */
  async send(message: OutgoingMessage, how: SendHow): Promise<void> {
    const { services } = this.#options;
    const cancels = this.#cancels;
    this.#sending = [...this.#sending, message];
    using _slow = services.clock.timer(SHOWN_AFTER_MS, () => {
      this.#slow = [...this.#slow, message];
      services.redraw();
    });
    try {
      await this.#order.run("messages", () => this.#sendNow(message, how, () => this.#cancels !== cancels));
    } catch (thrown) {
      services.draft.restore([message]); // nothing typed is lost
      if (thrown instanceof HarnessError) this.#options.refused(thrown);
      if (this.#cancels === cancels) tellUnsent(thrown, services);
      else services.say("Cancelled before it was sent: the message is in the draft again.");
    } finally {
      this.#sending = this.#sending.filter((each) => each !== message);
      this.#slow = this.#slow.filter((each) => each !== message);
      services.redraw();
    }
  }

  async #sendNow(message: OutgoingMessage, delivery: SendHow, isCancelled: () => boolean): Promise<void> {
    const { services, uploads } = this.#options;
    // An engine that is still starting is not waited for.
    const open = isCancelled()
      ? undefined
      : await Promise.race([services.session.session(), this.#cancelled.promise]);
    if (open === undefined) throw new Error("the message was cancelled");
    const sessionId = open.session;
    const { text, images } = await withMentioned(message, services);
    const blocks = await uploads.blocks(images, sessionId);
    if (isCancelled()) throw new Error("the message was cancelled");
    const words = text.trim() === "" ? [] : [{ type: "text" as const, text }];
    const { skill, agent, ahead } = message.waited ?? {};
    const answer = await services.session.send({
      kind: "SendInput",
      sessionId,
      content: [...words, ...blocks],
      delivery,
      ...defined({ skill, agent }),
    });
    if (answer instanceof HarnessError) throw answer;
    if (ahead !== undefined && answer.inputId !== undefined)
      await this.#place(sessionId, answer.inputId, ahead);
  }

  /** Puts a message behind those that stood before it when it was taken back: before all that came later. */
  async #place(sessionId: SessionId, inputId: InputId, ahead: readonly InputId[]): Promise<void> {
    const { session, say } = this.#options.services;
    const behind = session.view.waiting.find(
      (each) => each.inputId !== inputId && !ahead.includes(each.inputId),
    );
    if (behind === undefined) return;
    const moved = await session.send({ kind: "MoveInput", sessionId, inputId, before: behind.inputId });
    if (!(moved instanceof HarnessError)) return;
    // One of the two has started meanwhile: then the order is settled.
    const stillWait = (id: InputId) => session.view.waiting.some((each) => each.inputId === id);
    if (stillWait(inputId) && stillWait(behind.inputId))
      say(`The message is at the end of the queue: ${refusalText(moved)}`, "warning");
  }
}

/** Shows why a message was not sent. Without a model, the way to one is what counts. */
function tellUnsent(failure: unknown, { keys, say, tell }: Services): void {
  if (!hasReason(failure, "NoModel")) {
    tell(failure);
    return;
  }
  const [key = "the palette"] = keys.keysOf("model.setUp");
  say(`No model yet: ${key} sets one up. Your prompt stays in the draft.`, "warning");
}

/** Returns a message with the images that its text mentions: a label stands in place of each mention. */
async function withMentioned(
  { text, images }: OutgoingMessage,
  services: Pick<Services, "host" | "workingDir">,
): Promise<Pick<OutgoingMessage, "text" | "images">> {
  const found: DraftImage[] = [...images];
  let shown = "";
  let at = 0;
  for (const { from, to, path } of imageMentions(text)) {
    const image = await readImage(path, services);
    if (image === undefined) continue;
    found.push(image);
    shown += text.slice(at, from) + imageLabel(image, found.length);
    at = to;
  }
  return { text: shown + text.slice(at), images: found };
}
