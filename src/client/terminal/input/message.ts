import type { InputId } from "../../../base/ids.ts";
import type { DraftImage } from "../images/draft-image.ts";

/** A draft on its way to the session, or back from it. */
export interface OutgoingMessage {
  /** Text with the label of each image. */
  readonly text: string;
  readonly images: readonly DraftImage[];
  /** Set for a message that has waited in the queue before. */
  readonly waited?: Waited;
}

/** Facts of a message that was taken back from the queue: it gets its place there again. */
export interface Waited {
  /** The messages that stood before it. */
  readonly ahead: readonly InputId[];
  /** Skill and sub-agent that it asked for. */
  readonly skill?: string;
  readonly agent?: string;
}

export function textMessage(text: string): OutgoingMessage {
  return { text, images: [] };
}
