import type { AudioBlock, DocumentBlock, ImageBlock } from "../../protocol/content.ts";
import { AUDIO_TYPES, IMAGE_TYPES, MARK_BYTES, mediaTypesOf, PDF_TYPE } from "./media-types.ts";

export type MediaBlock = ImageBlock | AudioBlock | DocumentBlock;

/** Base64 characters that hold `MARK_BYTES`. */
const MARK_CHARACTERS = (MARK_BYTES / 3) * 4;

const TAKEN: Readonly<Record<MediaBlock["type"], ReadonlySet<string>>> = {
  image: IMAGE_TYPES,
  audio: AUDIO_TYPES,
  document: new Set([PDF_TYPE]),
};

const NOUNS: Readonly<Record<MediaBlock["type"], string>> = {
  image: "an image",
  audio: "a sound",
  document: "a document",
};

const EXPECTED: Readonly<Record<MediaBlock["type"], string>> = {
  image: "PNG, JPEG, GIF or WebP",
  audio: "WAV, MP3, MP4, Ogg, FLAC, AAC or WebM",
  document: "PDF",
};

export function isMediaBlock(block: { readonly type: string }): block is MediaBlock {
  return Object.hasOwn(TAKEN, block.type);
}

/**
 * Returns the problem of an image, sound or document that no model can take, as a sentence without its end; undefined
 * if its type is known, its base64 is whole, it is at most `bytesMax` long, and its first bytes are of its type.
 */
export function mediaProblem(block: MediaBlock, bytesMax: number): string | undefined {
  const noun = NOUNS[block.type];
  const { data } = block.source;
  if (!isTypeTaken(block)) return typeProblem(block);
  const bytes = base64Bytes(data);
  if (bytes === undefined) return `${noun} has broken base64`;
  if (bytes > bytesMax) return `${noun} has ${bytes} bytes, and at most ${bytesMax} are taken`;
  return isAsStated(block) ? undefined : `${noun} is not what it is sent as: ${shownType(block)}`;
}

/** Returns true if some model may take a block: its type is known and its first bytes are of that type. */
export function isWellFormedMedia(block: MediaBlock): boolean {
  return isTypeTaken(block) && isAsStated(block);
}

/** Returns the number of bytes in a base64 text; undefined if it is empty or not canonical base64. */
export function base64Bytes(data: string): number | undefined {
  if (data.length === 0 || data.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data)) return undefined;
  const end = data.slice(-4);
  if (btoa(atob(end)) !== end) return undefined;
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return (data.length / 4) * 3 - padding;
}

/** Returns the media type of a block, safe to show to people and models. */
export function shownType({ source }: MediaBlock): string {
  return /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(source.media_type) ? source.media_type : "an unreadable type";
}

function isTypeTaken({ type, source }: MediaBlock): boolean {
  return TAKEN[type].has(source.media_type);
}

function typeProblem(block: MediaBlock): string {
  return `${NOUNS[block.type]} is of type ${shownType(block)}, and models take ${EXPECTED[block.type]} only`;
}

function isAsStated({ source }: MediaBlock): boolean {
  const start = source.data.slice(0, MARK_CHARACTERS);
  return /^[A-Za-z0-9+/]*={0,2}$/.test(start) && start.length % 4 === 0
    ? mediaTypesOf(Uint8Array.from(atob(start), (character) => character.charCodeAt(0))).includes(
        source.media_type,
      )
    : false;
}
