import { belongs, codeBefore, HIDDEN, JOINING } from "../../base/text/hidden.ts";

/**
 * Makes untrusted text safe to print on a terminal (TUI-07): text of a model, tool, file or server can colour, move,
 * retitle, answer or hide nothing.
 *
 * Of all control characters only newline and tab stay. Whole control sequences (colours, cursor moves, titles, links)
 * are left out; incomplete ones, and every other control or invisible formatting character, are made visible. The
 * text may come in pieces, cut anywhere: the outcome is the same. At most `SEQUENCE_UNITS_MAX` units are held between
 * two pieces.
 */
export class TerminalText {
  #held = "";

  /** Returns the part of the text so far that is decided. */
  push(chunk: string): string {
    const text = this.#held + chunk;
    if (!SUSPECT.test(text)) {
      this.#held = "";
      return text;
    }
    const { shown, rest } = neutral(text, false);
    this.#held = rest;
    return shown;
  }

  /** Returns the rest at the end of the text. */
  end(): string {
    const { shown } = neutral(this.#held, true);
    this.#held = "";
    return shown;
  }
}

/** Makes a whole text safe at once. */
export function neutralise(text: string): string {
  return SUSPECT.test(text) ? neutral(text, true).shown : text;
}

/** Returns one line of untrusted text, with newlines and tabs made visible, so that it cannot pass for several. */
export function neutraliseLine(text: string): string {
  return neutralise(text).replaceAll("\n", "\u240a").replaceAll("\t", " ");
}

/**
 * Returns the whole of a text with nothing left out: for a person's approval. A colour sequence is shown as its
 * characters, so that no part of a command can hide in one.
 */
export function reveal(text: string): string {
  const shown = text.replaceAll(UNSEEN, picture);
  return shown.replaceAll(JOINED, (run: string, offset: number) => {
    const before = codeBefore(shown, offset);
    return belongs(run, before, shown.codePointAt(offset + run.length)) ? run : pictures(run);
  });
}

/** Longest control sequence that is left out as one; a longer one is shown. */
export const SEQUENCE_UNITS_MAX = 2_048;

// Controls but newline and tab, line separators, lone surrogates, and all hidden characters but those that join others.
const INVISIBLE = `[[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u2028\\u2029\\p{Surrogate}][[${HIDDEN}]--[${JOINING}]]]`;
const SUSPECT = new RegExp(INVISIBLE, "v");
const UNSEEN = new RegExp(INVISIBLE, "gv");
const JOINED = new RegExp(`[${JOINING}]+`, "gu");

// CSI: parameters, intermediates, one final byte. Strings (OSC, DCS, SOS, PM, APC): up to BEL or ST, on one line.
const CSI = /(?:\x1b\[|\x9b)[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]/y;
const CSI_BEGUN = /(?:\x1b\[|\x9b)[\x30-\x3f]*[\x20-\x2f]*$/y;
const STRING = /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x9c|\x1b\\)/y;
const STRING_BEGUN = /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*\x1b?$/y;
// The other escapes: character sets, keypad modes, save and restore, reset.
const ESCAPE = /\x1b[\x20-\x2f]*[\x30-\x4f\x51-\x57\x59\x5a\x5c\x60-\x7e]/y;
const ESCAPE_BEGUN = /\x1b[\x20-\x2f]*$/y;

const CARRIAGE_RETURN = 0x0d;
const LONELY = /^\p{Surrogate}$/u;

function neutral(text: string, ends: boolean): { readonly shown: string; readonly rest: string } {
  let shown = "";
  let at = 0;
  while (at < text.length) {
    const next = indexOfSuspect(text, at);
    shown += text.slice(at, next);
    if (next === text.length) return { shown, rest: "" };
    at = next;
    const whole = longest(text, at, [CSI, STRING, ESCAPE]);
    if (whole > 0 && whole <= SEQUENCE_UNITS_MAX) {
      at += whole;
      continue;
    }
    if (!ends && mayGoOn(text, at)) return { shown, rest: text.slice(at) };
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    at += character.length;
    if (character.charCodeAt(0) !== CARRIAGE_RETURN) {
      shown += picture(character);
      continue;
    }
    // A carriage return would overwrite the line: the rest gets a separate line.
    shown += "\n";
    if (text[at] === "\n") at += 1;
  }
  return { shown, rest: "" };
}

function indexOfSuspect(text: string, from: number): number {
  UNSEEN.lastIndex = from;
  return UNSEEN.exec(text)?.index ?? text.length;
}

function longest(text: string, at: number, patterns: readonly RegExp[]): number {
  for (const pattern of patterns) {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) return found[0].length;
  }
  return 0;
}

/** Returns true if the end of a piece could become a sequence, or one character, with the next piece. */
function mayGoOn(text: string, at: number): boolean {
  const remainingCharacters = text.length - at;
  if (remainingCharacters > SEQUENCE_UNITS_MAX) return false;
  if (
    remainingCharacters === 1 &&
    (text.charCodeAt(at) === CARRIAGE_RETURN || isHighSurrogate(text.charCodeAt(at)))
  )
    return true;
  return longest(text, at, [CSI_BEGUN, STRING_BEGUN, ESCAPE_BEGUN]) > 0;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Returns each character of a run as visible ones. */
function pictures(run: string): string {
  return [...run].map(picture).join("");
}

/** Returns an invisible character as visible ones. */
function picture(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (LONELY.test(character)) return "\ufffd";
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
