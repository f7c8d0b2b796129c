import { IMAGE_TYPES, mediaTypesOf } from "../../../safety/media/media-types.ts";
import { detectEncoding } from "./text-file.ts";

/** Type of a file, detected from its first bytes. */
export type FileContent =
  | { readonly kind: "text" }
  | { readonly kind: "image"; readonly mediaType: string }
  | { readonly kind: "binary"; readonly what: string };

/** Number of first bytes that are inspected. */
const SNIFF_BYTES = 8_192;

/** Maximum share of bytes that are not text (Latin-1 letters, colour codes) in a text. */
const ODD_SHARE_MAX = 0.1;

const KNOWN: readonly { readonly magic: string; readonly at?: number; readonly what: string }[] = [
  { magic: "%PDF-", what: "a PDF document" },
  { magic: "PK\x03\x04", what: "a ZIP archive (or an office document, jar, …)" },
  { magic: "\x1f\x8b", what: "gzip data" },
  { magic: "\xfd7zXZ", what: "xz data" },
  { magic: "\x28\xb5\x2f\xfd", what: "zstd data" },
  { magic: "\x7fELF", what: "an ELF program or library" },
  { magic: "SQLite format 3", what: "an SQLite database" },
  { magic: "\0asm", what: "WebAssembly" },
  { magic: "ustar", at: 257, what: "a tar archive" },
];

/** Detects text, images that models accept, and other data, by content and never by name. */
export function detectFileContent(beginning: Uint8Array): FileContent {
  const bytes = beginning.subarray(0, SNIFF_BYTES);
  const has = (magic: string, at = 0) =>
    bytes[at] === magic.charCodeAt(0) &&
    bytes.length >= at + magic.length &&
    [...magic].every((unit, i) => bytes[at + i] === unit.charCodeAt(0));
  const [mediaType = ""] = mediaTypesOf(bytes);
  if (IMAGE_TYPES.has(mediaType)) return { kind: "image", mediaType };
  const known = KNOWN.find(({ magic, at }) => has(magic, at));
  if (known !== undefined) return { kind: "binary", what: known.what };
  if (detectEncoding(bytes) !== "utf-8") return { kind: "text" };
  return isText(bytes) ? { kind: "text" } : { kind: "binary", what: "binary data" };
}

function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  // `stream` keeps a character that is cut at the end from counting as damage.
  const text = new TextDecoder("utf-8").decode(bytes, { stream: true });
  const odd = text.match(/[\uFFFD\x01-\x07\x0e-\x1a\x1c-\x1f]/g)?.length ?? 0;
  return odd <= bytes.length * ODD_SHARE_MAX;
}
