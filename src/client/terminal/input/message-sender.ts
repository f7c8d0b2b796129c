import { whileAlive } from "../../../base/async/deadline.ts";
import { InOrder } from "../../../base/async/in-order.ts";
import { defined } from "../../../base/defined.ts";
import { HarnessError, hasReason } from "../../../base/errors.ts";
import type { InputId, SessionId } from "../../../base/ids.ts";
import type { SentBlock } from "../../../protocol/content.ts";
import { refusalText } from "../../../view/texts/refusal-text.ts";
import type { DraftImage } from "../images/draft-image.ts";
import { imageLabel } from "../images/draft-image.ts";
import { imageMentions, readImage } from "../images/image-paths.ts";
import type { ImageUploads } from "../images/image-uploads.ts";
import type { Services } from "../layout/services.ts";
import type { Messages, ModelMessage, OutgoingMessage, QueueFacts, SendHow } from "./message.ts";
import { textMessage } from "./message.ts";

export interface MessageSenderOptions {
  readonly services: Services;
  readonly uploads: ImageUploads;
  /** Called with a refusal of the engine, once the message is in the draft again. */
  readonly refused: (refusal: HarnessError) => void;
}

/** A message that is longer on its way is shown in the queue. */
const SHOWN_AFTER_MS = 250;

/** A message between the draft and the engine. */
interface PendingMessage {
  /** The message as it comes back into the draft. */
  readonly message: OutgoingMessage;
  readonly cancelled: AbortController;
  /** True once the message is shown in the queue. */
  isSlow: boolean;
  /** True once the input is on its way: the engine may have it, so that no cancel brings it back. */
  isHandedOver: boolean;
}

/** Content of an input: blocks, or a message whose images are not stored yet. */
type PreparedContent = { readonly blocks: readonly SentBlock[] } | Pick<OutgoingMessage, "text" | "images">;

/** Facts of an input for the engine. */
interface InputFacts {
  readonly delivery: SendHow;
  /** Default: the session that is shown. */
  readonly session?: SessionId;
  readonly fromQueue?: QueueFacts;
  readonly skill?: string;
  readonly agent?: string;
}

/**
 * Sends messages in their order. One that is refused, or cancelled before the engine has taken it, comes back into the
 * draft (ENG-26).
 */
export class MessageSender implements Messages {
  readonly #options: MessageSenderOptions;
  readonly #order = new InOrder<"messages">();
  #places: readonly PendingMessage[] = [];

  constructor(options: MessageSenderOptions) {
    this.#options = options;
  }

  /** True while the engine has not taken a message. */
  get isSending(): boolean {
    return this.#places.length > 0;
  }

  /** Messages that the engine has not taken. */
  get sending(): readonly OutgoingMessage[] {
    return this.#places.map(({ message }) => message);
  }

  /** Messages that are on their way for a while. */
  get slow(): readonly OutgoingMessage[] {
    return this.#places.filter(({ isSlow }) => isSlow).map(({ message }) => message);
  }

  /** Stops messages that the engine has not got, in whatever they wait for: they come back into the draft. */
  cancel(): void {
    const { draft, say, redraw } = this.#options.services;
    const stopped = this.#places.filter(({ isHandedOver }) => !isHandedOver);
    if (stopped.length === 0) return;
    this.#places = this.#places.filter(({ isHandedOver }) => isHandedOver);
    for (const { cancelled } of stopped) cancelled.abort();
    draft.restore(stopped.map(({ message }) => message));
    say("Cancelled before it was sent: the message is in the draft again.");
    redraw();
  }

  async send(message: OutgoingMessage, how: SendHow): Promise<void> {
    await this.#inPlace(message, async (place) => {
      const { fromQueue } = message;
      const { skill, agent } = fromQueue ?? {};
      const content = await this.#withMentioned(message, place);
      await this.#deliver(content, { delivery: how, ...defined({ fromQueue, skill, agent }) }, place);
    });
  }

  async sendFor(typed: OutgoingMessage, compose: () => Promise<ModelMessage | undefined>): Promise<void> {
    await this.#inPlace(typed, async (place) => {
      const message = await whileAlive(compose(), place.cancelled.signal);
      if (message !== undefined) await this.#deliver(await this.#contentOf(message, place), message, place);
    });
  }

  async #contentOf(message: ModelMessage, place: PendingMessage): Promise<PreparedContent> {
    if ("content" in message) return { blocks: message.content };
    const written = textMessage(message.text);
    return message.isExpanded === true ? written : await this.#withMentioned(written, place);
  }

  /** Does the work of a message once those before it are sent. A failure is shown, and the message comes back. */
  async #inPlace(message: OutgoingMessage, work: (place: PendingMessage) => Promise<void>): Promise<void> {
    const { services, refused } = this.#options;
    const place: PendingMessage = {
      ...{ message, cancelled: new AbortController() },
      ...{ isSlow: false, isHandedOver: false },
    };
    const { signal } = place.cancelled;
    this.#places = [...this.#places, place];
    using _slow = services.clock.timer(SHOWN_AFTER_MS, () => {
      place.isSlow = true;
      services.redraw();
    });
    try {
      await this.#order.run("messages", async () => {
        signal.throwIfAborted();
        await work(place);
      });
    } catch (thrown) {
      if (signal.aborted) {
        // `cancel` has brought the message back. Any other failure came before it was cancelled.
        if (thrown !== signal.reason) services.showFailure(thrown);
        return;
      }
      services.draft.restore([message]); // nothing typed is lost
      if (thrown instanceof HarnessError) refused(thrown);
      showUnsent(thrown, services);
    } finally {
      this.#places = this.#places.filter((each) => each !== place);
      services.redraw();
    }
  }

  async #deliver(prepared: PreparedContent, input: InputFacts, place: PendingMessage): Promise<void> {
    const { services } = this.#options;
    const { signal } = place.cancelled;
    const { delivery, skill, agent } = input;
    // An engine that is still starting is not waited for once the message is cancelled.
    const sessionId = input.session ?? (await whileAlive(services.session.session(), signal)).session;
    const content = await whileAlive(this.#stored(prepared, sessionId), signal);
    place.isHandedOver = true;
    const answer = await services.session.send({
      kind: "SendInput",
      sessionId,
      content: [...content],
      delivery,
      ...defined({ skill, agent }),
    });
    if (answer instanceof HarnessError) throw answer;
    const ahead = input.fromQueue?.ahead;
    if (ahead !== undefined && answer.inputId !== undefined)
      await this.#moveBehind(sessionId, answer.inputId, ahead);
  }

  /** Returns the blocks of a content, with its images stored in the session. */
  async #stored(prepared: PreparedContent, session: SessionId): Promise<readonly SentBlock[]> {
    if ("blocks" in prepared) return prepared.blocks;
    const { text, images } = prepared;
    const words = text.trim() === "" ? [] : [{ type: "text" as const, text }];
    return [...words, ...(await this.#options.uploads.blocks(images, session))];
  }

  /** Puts a message behind those that stood before it when it was taken back: before all that came later. */
  async #moveBehind(sessionId: SessionId, inputId: InputId, ahead: readonly InputId[]): Promise<void> {
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

  async #withMentioned(
    message: Pick<OutgoingMessage, "text" | "images">,
    { cancelled: { signal } }: PendingMessage,
  ): Promise<Pick<OutgoingMessage, "text" | "images">> {
    return await whileAlive(withMentioned(message, this.#options.services), signal);
  }
}

/** Shows why a message was not sent. Without a model or a session, the way to one is what counts. */
function showUnsent(failure: unknown, { keys, say, showFailure }: Services): void {
  if (hasReason(failure, "NoModel")) {
    const key = keys.label("model.setUp", "the palette");
    say(`No model yet: ${key} sets one up. Your prompt stays in the draft.`, "warning");
  } else if (hasReason(failure, "NoSuchSession")) {
    const key = keys.label("session.new", "the palette");
    say(`This session was deleted: ${key} begins another one. Your prompt stays in the draft.`, "warning");
  } else showFailure(failure);
}

/** Returns a message with the images that its text mentions: a label stands in place of each mention. */
async function withMentioned(
  { text, images }: Pick<OutgoingMessage, "text" | "images">,
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
