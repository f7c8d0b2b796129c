import type { InputId, SessionId } from "../../../base/ids.ts";
import type { InputBlock } from "../../../protocol/content.ts";
import type { DraftImage } from "../images/draft-image.ts";

/** Delivery of a text that is sent while a turn runs. */
export type SendHow = "queue" | "steer";

/** A draft on its way to the session, or back from it. */
export interface OutgoingMessage {
  /** Text with the label of each image. */
  readonly text: string;
  readonly images: readonly DraftImage[];
  /** Set for a message that has waited in the queue before. */
  readonly fromQueue?: QueueFacts;
}

/** Facts of a message that was taken back from the queue: it gets its place there again. */
export interface QueueFacts {
  /** The messages that stood before it. */
  readonly ahead: readonly InputId[];
  /** Skill and sub-agent that it asked for. */
  readonly skill?: string;
  readonly agent?: string;
}

/** A message for the model that a line of the draft, or an input of the queue, stands for. */
export type ModelMessage = ModelText | ModelContent;

interface ModelMessageFacts {
  readonly delivery: SendHow;
  /** Default: the session that is shown once it is sent. */
  readonly session?: SessionId;
  readonly skill?: string;
  readonly agent?: string;
}

interface ModelText extends ModelMessageFacts {
  readonly text: string;
  /** True for a text that the person has not written: what it mentions is not read from this machine. */
  readonly isExpanded?: true;
}

/** Content that the engine had already: it is sent as it is. */
interface ModelContent extends ModelMessageFacts {
  readonly content: readonly InputBlock[];
}

/**
 * Sends messages to the model, one after the other in the order of the calls. Never rejects: a failure is shown, and
 * what was typed is in the draft again. So it is if the person cancels before the engine has the message.
 */
export interface Messages {
  send(message: OutgoingMessage, how: SendHow): Promise<void>;
  /**
   * Sends the message that another one stands for. Later messages wait for it, also while it is composed.
   * @param typed the message that comes back into the draft.
   * @param compose returns undefined if there is nothing to send.
   */
  sendFor(typed: OutgoingMessage, compose: () => Promise<ModelMessage | undefined>): Promise<void>;
}

export function textMessage(text: string): OutgoingMessage {
  return { text, images: [] };
}
