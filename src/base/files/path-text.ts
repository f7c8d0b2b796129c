/**
 * Converts file names to text and back without loss: a name on disk is bytes, and some are no UTF-8.
 *
 * A byte outside of any UTF-8 sequence becomes the lone surrogate U+DC00 + byte, which no UTF-8 decodes to.
 */
const ESCAPE_BASE = 0xdc00;
const ESCAPED = /[\udc80-\udcff]/;
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

export function pathText(bytes: Uint8Array): string {
  const whole = decoded(bytes);
  if (whole !== undefined) return whole;
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const [piece, length] = pieceAt(bytes, at);
    text += piece;
    at += length;
  }
  return text;
}

/** Returns the bytes of a name, or the text itself if that is the same to the system. */
export function pathBytes(text: string): Uint8Array | string {
  if (!ESCAPED.test(text) || text.isWellFormed()) return text;
  const parts: number[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code >= ESCAPE_BASE + 0x80 && code <= ESCAPE_BASE + 0xff) parts.push(code - ESCAPE_BASE);
    else parts.push(...encoder.encode(character));
  }
  return Uint8Array.from(parts);
}

/** Returns one character, or one byte that is none. */
function pieceAt(bytes: Uint8Array, at: number): readonly [string, number] {
  const first = bytes[at] ?? 0;
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const text = at + length <= bytes.length ? decoded(bytes.subarray(at, at + length)) : undefined;
  return text === undefined ? [String.fromCharCode(ESCAPE_BASE + first), 1] : [text, length];
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined; // no UTF-8
  }
}

/** Joins a folder and a path. Other join functions would drop bytes that are no UTF-8. */
export function joinPathText(folder: string, path: string): string {
  if (folder === "" || path === "") return folder + path;
  return folder.endsWith("/") ? folder + path : `${folder}/${path}`;
}

/** Returns the folder of a path; "/" for entries of the root, "" for a name alone. */
export function parentFolder(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash === 0 ? "/" : path.slice(0, Math.max(0, slash));
}

/** Returns the last name of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
