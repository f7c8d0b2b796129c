import type { AudioBlock, ImageBlock } from "../../../protocol/content.ts";
import type { DialectContext } from "../dialect.ts";
import { unsupportedContent } from "./turns.ts";

const AUDIO_FORMATS: Readonly<Record<string, string>> = {
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/wave": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
};

/** Renders an image as a data URL, for the OpenAI dialects. */
export function dataUrl(block: ImageBlock, context: DialectContext): string {
  const { media_type, data } = block.source;
  if (!/^image\/[a-z0-9.+-]+$/.test(media_type))
    throw unsupportedContent(`images of type ${media_type}`, context);
  return `data:${media_type};base64,${data}`;
}

/** Returns the name of an audio format in chat completions, which accept two formats. */
export function audioFormat(block: AudioBlock, context: DialectContext): string {
  const { media_type } = block.source;
  const format = Object.hasOwn(AUDIO_FORMATS, media_type) ? AUDIO_FORMATS[media_type] : undefined;
  if (format === undefined) throw unsupportedContent(`audio of type ${media_type}`, context);
  return format;
}
