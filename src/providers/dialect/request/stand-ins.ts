import { sizeText } from "../../../base/text/size-text.ts";
import type { ContentBlock, ResultContent } from "../../../protocol/content.ts";
import type { Message } from "../../../protocol/message.ts";
import type { MediaBlock } from "../../../safety/media/media-block.ts";
import {
  base64Bytes,
  isMediaBlock,
  isWellFormedMedia,
  shownType,
} from "../../../safety/media/media-block.ts";
import type { Medium } from "../../provider.ts";
import { audioFormatOf } from "./media.ts";

/** Content that one request can carry: that of its wire format, and of its model. */
export interface Carried {
  readonly dialect: readonly Medium[];
  /** Absent: unknown. */
  readonly model?: readonly Medium[] | undefined;
}

/** Messages that a model takes, and words for the content that a text stands for in them, without repetitions. */
export interface FittedMessages {
  readonly messages: readonly Message[];
  readonly leftOut: readonly string[];
}

const MEDIA: Readonly<Record<MediaBlock["type"], Medium>> = {
  image: "image",
  audio: "audio",
  document: "pdf",
};
const NOUNS: Readonly<Record<MediaBlock["type"], readonly [one: string, many: string]>> = {
  image: ["an image", "images"],
  audio: ["a sound", "audio"],
  document: ["a PDF", "PDFs"],
};

/**
 * Puts a text in place of each image, sound and PDF that a model or its wire format cannot carry, so that content
 * of a history never makes a request fail (ENG-25). A message stays the same object from request to request.
 */
export class StandIns {
  readonly #fitted = new WeakMap<Message, { readonly carried: string } & FittedMessages>();

  fit(messages: readonly Message[], carried: Carried): FittedMessages {
    const key = `${carried.dialect.join()} ${carried.model?.join() ?? "?"}`;
    const leftOut = new Set<string>();
    const fitted = messages.map((message) => {
      const known = this.#fitted.get(message);
      const now = known?.carried === key ? known : { carried: key, ...fittedMessage(message, carried) };
      this.#fitted.set(message, now);
      for (const words of now.leftOut) leftOut.add(words);
      return now.messages[0] ?? message;
    });
    return { messages: leftOut.size === 0 ? messages : fitted, leftOut: [...leftOut] };
  }
}

function fittedMessage(message: Message, carried: Carried): FittedMessages {
  const leftOut: string[] = [];
  const fitted = <Block extends ContentBlock | ResultContent>(block: Block) => {
    if (!isMediaBlock(block)) return block;
    const words = refusedWords(block, carried);
    if (words === undefined) return block;
    leftOut.push(words);
    return { type: "text" as const, text: standInText(block) };
  };
  const content = message.content.map((block): ContentBlock => {
    if (block.type !== "tool_result") return fitted(block);
    return block.content.some(isMediaBlock) ? { ...block, content: block.content.map(fitted) } : block;
  });
  return { messages: [leftOut.length === 0 ? message : { ...message, content }], leftOut };
}

/** Completes "takes no …"; undefined for content that can be sent. */
function refusedWords(block: MediaBlock, { dialect, model }: Carried): string | undefined {
  const [, many] = NOUNS[block.type];
  const medium = MEDIA[block.type];
  if (!dialect.includes(medium) || model?.includes(medium) === false) return many;
  const isForm = isWellFormedMedia(block) && (block.type !== "audio" || audioFormatOf(block) !== undefined);
  if (isForm) return undefined;
  return block.type === "document"
    ? `documents sent as ${shownType(block)} that are none`
    : `${many} sent as ${shownType(block)}`;
}

/** Returns the text that stands for a block. It is the same for every model, so that prompt caches hit. */
function standInText(block: MediaBlock): string {
  const bytes = base64Bytes(block.source.data);
  const size = bytes === undefined ? "" : ` of ${sizeText(bytes)}`;
  const [one] = NOUNS[block.type];
  return `[${one}${size} (${shownType(block)}) was here, which this model cannot take]`;
}
