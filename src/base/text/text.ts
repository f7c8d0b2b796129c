const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8");

/** Returns the length in UTF-8 bytes. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

/**
 * Returns the beginning of a text, at most `unitsMax` UTF-16 units, never half a surrogate pair.
 *
 * Providers answer a lone surrogate in a request with an error on every later turn.
 */
export function head(text: string, unitsMax: number): string {
  if (text.length <= unitsMax) return text;
  return text.slice(0, isHighSurrogate(text.charCodeAt(unitsMax - 1)) ? unitsMax - 1 : unitsMax);
}

/** Returns the end of a text, at most `unitsMax` UTF-16 units, never half a surrogate pair. */
export function tail(text: string, unitsMax: number): string {
  if (text.length <= unitsMax) return text;
  const from = text.length - unitsMax;
  return text.slice(isHighSurrogate(text.charCodeAt(from - 1)) ? from + 1 : from);
}

/** Decodes UTF-8; invalid bytes become U+FFFD. A byte order mark is dropped. */
export function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

export function encode(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Replaces lone surrogates, so that the text can be sent as JSON. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

/** Shortens a text to at most `unitsMax` units and adds "…" if something is missing. */
export function shortened(text: string, unitsMax: number): string {
  return text.length > unitsMax ? `${head(text, unitsMax)}…` : text;
}

/**
 * Makes foreign text safe for an error or a name: at most `unitsMax` characters of printable ASCII, "?" for others.
 */
export function plain(text: string, unitsMax: number): string {
  return text.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, unitsMax);
}

/** Renders 1234567 as "1,234,567". Not by locale, which differs between machines. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Renders "1 file", "2 files". */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** Adds a full stop if needed, so that another sentence can follow. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Returns true for the first half of a surrogate pair. */
export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Lines of a file, from 1, the last one included. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** Returns the words for some lines: `line 5`, `lines 5 to 15`. */
export function lineRangeText({ first, last }: LineRange): string {
  return first === last ? `line ${first}` : `lines ${first} to ${last}`;
}
