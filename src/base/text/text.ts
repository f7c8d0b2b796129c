const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8");

/** Length in UTF-8 bytes. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

/**
 * The first characters of a text, at most `unitsMax` UTF-16 units, never half a surrogate pair.
 *
 * A lone surrogate in a request is answered by providers with an error on every later turn.
 */
export function head(text: string, unitsMax: number): string {
  if (text.length <= unitsMax) return text;
  return text.slice(0, isHighSurrogate(text.charCodeAt(unitsMax - 1)) ? unitsMax - 1 : unitsMax);
}

/** UTF-8 bytes as text; what is not UTF-8 becomes U+FFFD. A byte order mark is dropped. */
export function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

export function encode(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Lone surrogates replaced, so that the text can be sent as JSON to anyone. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

/** A text in at most `unitsMax` units and, where something is missing, "…". */
export function shortened(text: string, unitsMax: number): string {
  return text.length > unitsMax ? `${head(text, unitsMax)}…` : text;
}

/** Foreign text as it may stand in an error or a name: at most `unitsMax` characters of printable ASCII, "?" for others. */
export function plain(text: string, unitsMax: number): string {
  return text.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, unitsMax);
}

/** 1234567 as "1,234,567". By hand: what a locale does to numbers differs between machines. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** "1 file", "2 files". */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** With a full stop, so that another sentence can follow. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** The first half of a surrogate pair. */
export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
