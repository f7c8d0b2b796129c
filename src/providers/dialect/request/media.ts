import type { JsonObject } from "../../../base/json.ts";
import type {
  AudioBlock,
  ContentBlock,
  DocumentBlock,
  ImageBlock,
  InputBlock,
} from "../../../protocol/content.ts";
import { IMAGE_TYPES, PDF_TYPE } from "../../../safety/media/media-types.ts";
import type { DialectContext } from "../dialect.ts";
import { unsupportedContent } from "./turns.ts";

const AUDIO_FORMATS: ReadonlyMap<string, string> = new Map([
  ["audio/wav", "wav"],
  ["audio/x-wav", "wav"],
  ["audio/wave", "wav"],
  ["audio/mpeg", "mp3"],
  ["audio/mp3", "mp3"],
]);

/** Returns true for a block that a person can send. */
export function isInputBlock(block: ContentBlock): block is InputBlock {
  const { type } = block;
  return type === "text" || type === "image" || type === "audio" || type === "document";
}

/** Renders an image as a data URL, for the OpenAI dialects. */
export function dataUrl(block: ImageBlock, context: DialectContext): string {
  const { media_type, data } = block.source;
  if (!IMAGE_TYPES.has(media_type)) throw unsupportedContent(`images of type ${media_type}`, context);
  return `data:${media_type};base64,${data}`;
}

/** Required by the OpenAI dialects. The file's own name is foreign text, and stands fenced before it. */
const DOCUMENT_NAME = "document.pdf";

/** Returns the bytes of a document as base64. @throws ProviderError UnsupportedContent for anything but a PDF. */
export function pdfData({ source }: DocumentBlock, context: DialectContext): string {
  if (source.media_type !== PDF_TYPE)
    throw unsupportedContent(`documents of type ${source.media_type}`, context);
  return source.data;
}

/** Renders a PDF as a file, for the OpenAI dialects. */
export function pdfFile(block: DocumentBlock, context: DialectContext): JsonObject {
  return { filename: DOCUMENT_NAME, file_data: `data:${PDF_TYPE};base64,${pdfData(block, context)}` };
}

/** Returns the name of an audio format in chat completions, which accept two; undefined for others. */
export function audioFormatOf({ source }: AudioBlock): string | undefined {
  return AUDIO_FORMATS.get(source.media_type);
}

/** @throws ProviderError UnsupportedContent for a format that chat completions do not accept. */
export function audioFormat(block: AudioBlock, context: DialectContext): string {
  const format = audioFormatOf(block);
  if (format === undefined) throw unsupportedContent(`audio of type ${block.source.media_type}`, context);
  return format;
}
