import { join } from "node:path";
import { messageOf } from "../../base/errors.ts";
import { byteLength, count, encode, grouped, wellFormed } from "../../base/text/text.ts";
import type { AudioBlock, ImageBlock, ResultContent } from "../../protocol/content.ts";
import { mediaProblem } from "../../safety/media/media-block.ts";
import type { ToolMiddleware } from "../middleware.ts";
import type { ToolContext, ToolOutput } from "../tool.ts";

/** UTF-8 bytes in one text block of a result. */
export const BLOCK_BYTES_MAX = 65_536;
/** UTF-8 bytes of all text blocks of one result together. */
export const RESULT_BYTES_MAX = 262_144;
const RESULT_BLOCKS_MAX = 256;
/** Bytes of one image or sound, before base64. */
export const MEDIA_BYTES_MAX = 5 * 1024 * 1024;
const RESULT_MEDIA_BYTES_MAX = 20 * 1024 * 1024;

/** A smaller block would be little but its marker. */
const CUT_BYTES_MIN = 4_096;

/**
 * Limits the size of a result, and saves the whole of a cut text in a file that the model can read (ENG-16).
 *
 * A text above the limit keeps its beginning and end, cut between characters. A marker says how much is missing and
 * names the file: a private one in the workspace's scratch folder. The text is well-formed (R05). Images and sounds
 * are refused, never cut; so are those that no model takes.
 */
export function truncateAndSpill(): ToolMiddleware {
  return async function truncateAndSpill(call, context, next) {
    return await capped(await next(call, context), context);
  };
}

async function capped(output: ToolOutput, context: ToolContext): Promise<ToolOutput> {
  const content: ResultContent[] = [];
  const dropped: string[] = [];
  let textLeft = RESULT_BYTES_MAX;
  let mediaLeft = RESULT_MEDIA_BYTES_MAX;
  for (const [index, block] of output.content.entries()) {
    if (block.type !== "text") {
      const size = mediaBytes(block);
      const problem = mediaProblem(block, Number.POSITIVE_INFINITY);
      if (problem !== undefined) {
        content.push({ type: "text", text: `[Left out: ${problem}.]` });
        continue;
      }
      const bytesMax = Math.min(MEDIA_BYTES_MAX, mediaLeft);
      if (size <= bytesMax) mediaLeft -= size;
      content.push(size <= bytesMax ? block : refusedMedia(block, size, bytesMax));
      continue;
    }
    const text = wellFormed(block.text);
    const bytesMax = Math.min(BLOCK_BYTES_MAX, textLeft);
    const size = sizeWithin(text, bytesMax);
    if (index >= RESULT_BLOCKS_MAX || (size > bytesMax && bytesMax < CUT_BYTES_MIN)) {
      dropped.push(text);
    } else if (size > bytesMax) {
      content.push({ type: "text", text: await cut(text, { bytesMax, context, file: `${index}` }) });
      textLeft -= bytesMax;
    } else {
      content.push(text === block.text ? block : { type: "text", text });
      textLeft -= size;
    }
  }
  if (dropped.length > 0) content.push({ type: "text", text: await leftOut(dropped, context) });
  return { ...output, content };
}

/** Returns the bytes of a text, or some number above `bytesMax`. Short texts are not encoded to count them. */
function sizeWithin(text: string, bytesMax: number): number {
  return text.length > bytesMax ? text.length : byteLength(text);
}

interface Cut {
  readonly bytesMax: number;
  readonly context: ToolContext;
  readonly file: string;
}

async function cut(text: string, { bytesMax, context, file }: Cut): Promise<string> {
  const bytes = encode(text);
  const spilled = await spill(text, context, file);
  const marker = (missing: number) =>
    `\n[… ${grouped(missing)} of ${grouped(bytes.length)} bytes are left out here. ${spilled} …]\n`;
  const room = Math.max(0, bytesMax - byteLength(marker(bytes.length)));
  const headEnd = characterStart(bytes, Math.ceil(room / 2), -1);
  const tailStart = characterStart(bytes, bytes.length - Math.floor(room / 2), 1);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true }); // a byte order mark is a character here
  const head = decoder.decode(bytes.subarray(0, headEnd));
  return head + marker(tailStart - headEnd) + decoder.decode(bytes.subarray(tailStart));
}

async function leftOut(texts: readonly string[], context: ToolContext): Promise<string> {
  const whole = texts.join("\n");
  const spilled = await spill(whole, context, "rest");
  return `[… ${count(texts.length, "more block")}, ${grouped(byteLength(whole))} bytes, left out. ${spilled} …]`;
}

/** Saves a whole text where the model can page through it, and says where, or why that failed. */
async function spill(text: string, context: ToolContext, file: string): Promise<string> {
  const { files } = context.world;
  const path = join(context.workspace.scratch, `${context.callId}.${file}.txt`);
  try {
    await files.makeDirectory(context.workspace.scratch, 0o700);
    await files.writeAtomic(path, text, 0o600);
    return `The whole is in ${path}: Read it with offset and limit, or Grep it.`;
  } catch (thrown) {
    return `The whole could not be kept: ${messageOf(thrown)}.`;
  }
}

/** Returns the nearest position in UTF-8 bytes, in one direction, where a character begins. */
function characterStart(bytes: Uint8Array, from: number, step: 1 | -1): number {
  let at = Math.min(Math.max(from, 0), bytes.length);
  while (at > 0 && at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += step;
  return at;
}

function mediaBytes(block: ImageBlock | AudioBlock): number {
  return Math.floor((block.source.data.length * 3) / 4);
}

function refusedMedia(block: ImageBlock | AudioBlock, size: number, bytesMax: number): ResultContent {
  const what = block.type === "image" ? "An image" : "A sound";
  const text = `[${what} of ${grouped(size)} bytes is left out: ${grouped(bytesMax)} are let through here.]`;
  return { type: "text", text };
}
