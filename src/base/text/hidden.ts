/**
 * Characters that a person does not see and a model reads, as the inside of a character class: zero-width characters,
 * direction overrides, fillers, variation selectors, tags.
 */
export const HIDDEN =
  "\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f" +
  "\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff9-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}";

/** Joining characters among them: text of many scripts, and emoji, need them. */
export const JOINING = "\\u180b-\\u180d\\u180f\\u200c\\u200d\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}";

const PICTOGRAPH = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}]$/u;
const JOINED_SCRIPT =
  /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Mongolian}\p{Script=Khmer}\p{Script=Thai}\p{Script=Lao}\p{Script=Myanmar}\p{M}]$/u;
const RIGHT_TO_LEFT = /^[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]$/u;
const IDEOGRAPH = /^\p{Script=Han}$/u;
const EMOJI = /^\p{Emoji}$/u;
/** Characters of keycaps, which are no pictures by themselves: a selector behind one needs the keycap. */
const KEYCAP = /^[0-9#*]$/;
const KEYCAP_END = 0x20e3;

/** Returns true if a run of hidden characters is legitimate between its neighbours, which are code points. */
export function belongs(run: string, before: number | undefined, after: number | undefined): boolean {
  const [first = 0, second, third] = [...run].map((character) => character.codePointAt(0) ?? 0);
  if (third !== undefined) return false;
  if (second !== undefined)
    return first === 0xfe0f && second === 0x200d && is(PICTOGRAPH, before) && is(PICTOGRAPH, after);
  if (first === 0x200d) {
    return (
      (is(PICTOGRAPH, before) && is(PICTOGRAPH, after)) ||
      (is(JOINED_SCRIPT, before) && is(JOINED_SCRIPT, after))
    );
  }
  if (first === 0x200b || first === 0x200c) return is(JOINED_SCRIPT, before) && is(JOINED_SCRIPT, after);
  if (first === 0x200e || first === 0x200f || first === 0x061c)
    return is(RIGHT_TO_LEFT, before) || is(RIGHT_TO_LEFT, after);
  if (first === 0xfe0e || first === 0xfe0f)
    return is(KEYCAP, before) ? after === KEYCAP_END : is(EMOJI, before);
  if (first >= 0xfe00 && first <= 0xfe02) return is(IDEOGRAPH, before) || isMathematical(before);
  if (first >= 0xe0100 && first <= 0xe01ef) return is(IDEOGRAPH, before);
  if (first >= 0x180b && first <= 0x180f) return is(JOINED_SCRIPT, before);
  return first === 0xfeff && before === undefined; // a byte order mark
}

function isMathematical(code: number | undefined): boolean {
  return code !== undefined && code >= 0x2200 && code <= 0x2aff;
}

function is(pattern: RegExp, code: number | undefined): boolean {
  return code !== undefined && pattern.test(String.fromCodePoint(code));
}

/** Returns the code point that ends before an offset; undefined at the start of the text. */
export function codeBefore(text: string, offset: number): number | undefined {
  if (offset === 0) return undefined;
  const unit = text.charCodeAt(offset - 1);
  const low = unit >= 0xdc00 && unit <= 0xdfff;
  return low && offset > 1 ? text.codePointAt(offset - 2) : unit;
}

/** A character that a person can see. */
const SEEN = /[^\p{Default_Ignorable_Code_Point}\p{Mark}\p{Separator}\s\u2800]/u;

/** Returns true for a text with at least one character that a person can see. */
export function isVisible(text: string): boolean {
  return SEEN.test(text);
}
