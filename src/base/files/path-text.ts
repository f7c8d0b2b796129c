/**
 * Names of files as text and back, without loss: a name on the disk is bytes, and some are no UTF-8.
 *
 * A byte that belongs to no UTF-8 sequence becomes the lone surrogate U+DC00 + byte, which no UTF-8 decodes to.
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

/** The bytes of a name; the text itself where it is the same to the system. */
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

/** For people: what is no UTF-8 shows as U+FFFD. */
export function shownPath(text: string): string {
  return text.toWellFormed();
}

/** One character, or one byte that is none. */
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

/** A path below a folder. By hand: what joins paths elsewhere would take away what is no UTF-8. */
export function pathBelow(folder: string, path: string): string {
  if (folder === "" || path === "") return folder + path;
  return folder.endsWith("/") ? folder + path : `${folder}/${path}`;
}

/** The folder that a path is in; "/" for what is in the root, "" for a name alone. */
export function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash === 0 ? "/" : path.slice(0, Math.max(0, slash));
}

/** The last name of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
