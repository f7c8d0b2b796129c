import type { SecretMatch } from "./families/secret-family.ts";
import { UNDECIDED } from "./families/secret-family.ts";

/** Number of first characters that decide about a value. */
export const VALUE_HEAD_CHARACTERS = 64;
/** Maximum of characters up to the end of a value. */
const VALUE_CHARACTERS_MAX = 8_192;

/** The judged part of a value. */
export interface AssignedValue {
  readonly from: number;
  readonly to: number;
  /** The value, or the first characters of a long one. */
  readonly body: string;
  readonly quote: string | undefined;
  /** The word between the name and the value, with its blank; "" without one. */
  readonly scheme: string;
}

/** Gap between a separator and its value: the rest of `:=`, `=>` or `==`, blanks, a quote, the scheme of a header. */
export const GAP =
  /^[:=>]{0,2}[ \t]{0,32}(?:new\s)?(\\?["'`]|&quot;)?(?:(?:Basic|Bearer|Token|ApiKey|Digest|basic|bearer|token)[ \t]{1,2}(?=[^\s"'`]))?/;
/** Gap between the name of a key header and its value, with any scheme. */
export const HEADER_GAP =
  /^[:=>]{0,2}[ \t]{0,32}(?:new\s)?(\\?["'`]|&quot;)?([A-Za-z][A-Za-z0-9_-]{1,24}[ \t]{1,2}(?=[^\s"'`]))?/;
export const BLOCK_GAP = /^[ \t]{0,8}(?:[>|]-?[ \t]{0,8}\r?\n[ \t]{1,32})?(["']?)/;
const GAP_CHARACTERS_MAX = 64;

/** Reads the first characters of the value; undefined if more text is needed. */
export function valueAfter(
  text: string,
  at: number,
  { gap: pattern, complete }: { readonly gap: RegExp; readonly complete: boolean },
): AssignedValue | undefined {
  const ahead = text.slice(at, at + GAP_CHARACTERS_MAX);
  const [gap = "", mark, scheme = ""] = pattern.exec(ahead) ?? [];
  if (gap.length + 12 >= ahead.length && !complete && ahead.length < GAP_CHARACTERS_MAX) {
    if (pattern === BLOCK_GAP || !/[\r\n]/.test(ahead)) return undefined;
  }
  const quote = mark === "" ? undefined : mark;
  const from = at + gap.length;
  const near = valueEnd(text, from, { quote, charactersMax: VALUE_HEAD_CHARACTERS });
  if (near === text.length && near < from + VALUE_HEAD_CHARACTERS && !complete) return undefined;
  // The current value becomes a scheme if text follows its blanks.
  if (!complete && text.length - near <= 2 && text.slice(near).trim() === "") return undefined;
  const tail = near < from + VALUE_HEAD_CHARACTERS && quote === undefined ? /[.:)\]}]+$/ : /(?!)/;
  const body = text.slice(from, near).replace(tail, "");
  return { from, to: from + body.length, body, quote, scheme };
}

/** Returns the whole of a value that was judged by its first characters. */
export function wholeValue(
  text: string,
  { from, to, quote, body }: AssignedValue,
  complete: boolean,
): SecretMatch {
  if (body.length < VALUE_HEAD_CHARACTERS) return { kind: "secret", from, to };
  const end = valueEnd(text, from, { quote, charactersMax: VALUE_CHARACTERS_MAX });
  if (end === text.length && end < from + VALUE_CHARACTERS_MAX && !complete) return UNDECIDED;
  return { kind: "secret", from, to: end };
}

/** Returns the end of a value: its quote, the end of the line, or the first character that no bare value has. */
function valueEnd(
  text: string,
  from: number,
  { quote, charactersMax }: { readonly quote: string | undefined; readonly charactersMax: number },
): number {
  const most = Math.min(text.length, from + charactersMax);
  const quoteCode = quote?.charCodeAt(0);
  for (let at = from; at < most; at++) {
    const code = text.charCodeAt(at);
    if (code === 10 || code === 13) return at;
    if (quote === undefined) {
      if (isBareEnd(text, at, code)) return at;
    } else if (code === quoteCode && text.startsWith(quote, at)) return at;
    if (code === 92 && quote?.length === 1) at++;
  }
  return most;
}

const BARE_ENDS = new Set(Array.from(" \t\"'`,;<>|\\", (character) => character.charCodeAt(0)));
const AND = 38;

function isBareEnd(text: string, at: number, code: number): boolean {
  if (code !== AND) return BARE_ENDS.has(code);
  return /^&\w{1,32}=/.test(text.slice(at, at + 34));
}
