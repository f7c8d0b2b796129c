import type {
  CallToolResult,
  ContentBlock,
  EmbeddedResource,
  ResourceLink,
} from "@modelcontextprotocol/client";
import { canonicalJson, parseJson, textOfJson } from "../../../base/json.ts";
import type { ResultContent } from "../../../protocol/content.ts";
import { visibleLine } from "../../../safety/hidden.ts";
import { base64Bytes, isWellFormedMedia } from "../../../safety/media/media-block.ts";
import { AUDIO_TYPES, IMAGE_TYPES } from "../../../safety/media/media-types.ts";
import { MEDIA_BYTES_MAX } from "../../../tools/chain/truncate.ts";
import type { ToolOutput } from "../../../tools/tool.ts";

/** Blocks of one result that are used. Further ones are counted and left out. */
export const RESULT_BLOCKS_MAX = 256;
const LINK_UNITS_MAX = 2_000;

/**
 * Converts a server's result of a call into a tool's output (MCP-06).
 *
 * Texts stay unchanged; they are fenced where the conversation is built. Images and sounds are passed on if their
 * base64 is complete and models accept their type; otherwise a sentence says what is missing and why. A resource
 * becomes its text, a link its name and address. Structured content is shown only if no text repeats it.
 */
export function toolOutput({ content = [], structuredContent, isError }: CallToolResult): ToolOutput {
  const shown = content.slice(0, RESULT_BLOCKS_MAX).map(convertBlock);
  const hiddenCount = content.length - shown.length;
  if (hiddenCount > 0) shown.push(text(`[${hiddenCount} more blocks of this result were left out]`));
  const structured = structuredText(structuredContent, content);
  if (structured !== undefined) shown.push(text(structured));
  if (shown.length === 0) shown.push(text("(no output)"));
  return { content: shown, ...(isError === true ? { isError } : {}) };
}

/** Converts one block of a result or a prompt. */
export function convertBlock(block: ContentBlock): ResultContent {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
    case "audio":
      return mediaFrom(block);
    case "resource":
      return convertResource(block.resource);
    case "resource_link":
      return text(linkText(block));
    default:
      // A newer server may send a kind that the library passes on as it came.
      return text(
        `[a block of a kind that is not known here: ${visibleLine(textOfJson(Reflect.get(block, "type"))).slice(0, 40)}]`,
      );
  }
}

/** Converts one piece of a resource: its text, or its content if it is an image or a sound. */
export function convertResource(resource: EmbeddedResource["resource"]): ResultContent {
  const named = resource.mimeType === undefined ? "" : `, ${visibleLine(resource.mimeType).slice(0, 100)}`;
  if ("text" in resource) return text(`[resource ${uriText(resource.uri)}${named}]\n${resource.text}`);
  const { blob, mimeType = "" } = resource;
  if (IMAGE_TYPES.has(mimeType)) return mediaFrom({ type: "image", data: blob, mimeType });
  if (AUDIO_TYPES.has(mimeType)) return mediaFrom({ type: "audio", data: blob, mimeType });
  const bytes = base64Bytes(blob);
  const size = bytes === undefined ? "damaged" : `${bytes} bytes`;
  return text(`[resource ${uriText(resource.uri)}${named}: binary data, ${size}, not shown]`);
}

function mediaFrom({
  type,
  data,
  mimeType,
}: {
  readonly type: "image" | "audio";
  readonly data: string;
  readonly mimeType: string;
}): ResultContent {
  const noun = type === "image" ? "an image" : "a sound";
  const kind = visibleLine(mimeType).slice(0, 100);
  const isKnown = type === "image" ? IMAGE_TYPES.has(mimeType) : AUDIO_TYPES.has(mimeType);
  if (!isKnown) return text(`[${noun} of the kind ${kind} was left out: models do not take it]`);
  const bytes = base64Bytes(data);
  if (bytes === undefined) return text(`[${noun} was left out: the server sent broken base64]`);
  if (bytes > MEDIA_BYTES_MAX)
    return text(`[${noun} of ${bytes} bytes was left out: at most ${MEDIA_BYTES_MAX} are taken]`);
  const block = { type, source: { type: "base64" as const, media_type: mimeType, data } };
  return isWellFormedMedia(block)
    ? block
    : text(`[${noun} was left out: it is no ${kind}, as the server says]`);
}

function linkText({ uri, name, title, description, mimeType }: ResourceLink): string {
  const what = [title ?? name, description, mimeType].filter((each) => each !== undefined && each !== "");
  return `[resource link ${uriText(uri)}: ${what.join(", ").slice(0, LINK_UNITS_MAX)}]`;
}

function uriText(uri: string): string {
  return visibleLine(uri).slice(0, LINK_UNITS_MAX);
}

/**
 * Values of structured content that are searched for in the texts. With more values, only identical JSON counts as
 * a repetition.
 */
const VALUES_MAX = 1_000;

/**
 * Renders structured content, unless the texts repeat all of it. Servers repeat it as the same JSON or in other words.
 */
function structuredText(structured: unknown, content: readonly ContentBlock[]): string | undefined {
  if (structured === undefined) return undefined;
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const canonical = canonicalJson(structured);
  const isRepeated =
    texts.some((said) => sameJson(said, canonical)) || containsAllValues(texts.join("\n"), structured);
  return isRepeated ? undefined : JSON.stringify(structured);
}

function sameJson(said: string, canonical: string): boolean {
  const parsed = parseJson(said);
  return parsed !== undefined && canonicalJson(parsed.value) === canonical;
}

/** Returns true if the text contains every text of a value, and every number together with its name. */
function containsAllValues(said: string, value: unknown): boolean {
  const values: NamedValue[] = [];
  const isWhole = collectValues("", value, values);
  return isWhole && values.length > 0 && values.every((each) => containsValue(said, each));
}

/** A text or number, and the nearest name above it. */
interface NamedValue {
  readonly name: string;
  readonly value: string | number;
}

function containsValue(said: string, { name, value }: NamedValue): boolean {
  if (typeof value === "string")
    return said.includes(value.trim()) || said.includes(JSON.stringify(value).slice(1, -1));
  const number = new RegExp(`(?<![\\d.])${RegExp.escape(String(value))}(?![\\d.]*\\d)`);
  return number.test(said) && said.toLowerCase().includes(name.toLowerCase());
}

/** Collects texts and numbers. Returns false if there are too many, or a boolean, which words do not show. */
function collectValues(name: string, value: unknown, into: NamedValue[]): boolean {
  if (typeof value === "boolean" || into.length > VALUES_MAX) return false;
  if (typeof value === "string" || typeof value === "number") into.push({ name, value });
  if (typeof value !== "object" || value === null) return true;
  const isList = Array.isArray(value);
  return Object.entries(value).every(([key, inner]) => collectValues(isList ? name : key, inner, into));
}

function text(shown: string): ResultContent {
  return { type: "text", text: shown };
}
