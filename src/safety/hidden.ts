/**
 * Makes characters visible that a person does not see and a model reads: Unicode tags, zero-width characters,
 * direction overrides, stacks of variation selectors, and in addresses letters that look like Latin ones (S62).
 *
 * Each run becomes `[hidden: U+E0041 …]`. Legitimate uses stay: joiners and selectors in emoji and in scripts that
 * need them, direction marks beside right-to-left text, the three subdivision flags.
 */
export function showHidden(text: string): string {
  if (!NOT_ASCII.test(text)) return text;
  const shown = text.includes(".") ? text.replaceAll(HOSTS, showLookAlikes) : text;
  if (!SUSPECT.test(shown)) return shown;
  return shown.replaceAll(RUNS, (run: string, offset: number) => {
    if (FLAG.test(run)) return run;
    const before = previous(shown, offset);
    const after = shown.codePointAt(offset + run.length);
    return belongs(run, before, after) ? run : `[hidden: ${named(run)}]`;
  });
}

/**
 * Marks an address with a name that mixes Latin letters with those of a look-alike script: no real name does, and a
 * reader takes it for another one.
 */
function showLookAlikes(address: string): string {
  const labels = address.split(/([./@:?#])/);
  return labels
    .map((label) =>
      /[a-z]/i.test(label) ? label.replaceAll(LOOK_ALIKE, (it) => `[look-alike: ${named(it)}]`) : label,
    )
    .join("");
}

/**
 * Makes control characters visible in the same form: escape sequences in both widths, lone carriage returns, form
 * feeds, Unicode line ends. Line feeds, tabs and CR LF stay.
 */
export function showControls(text: string): string {
  return text.replaceAll(CONTROLS, (run) => `[hidden: ${named(run)}]`);
}

/** Restores the characters that `showHidden` and `showControls` named; characters that they omitted stay omitted. */
export function restoreHidden(shown: string): string {
  return shown.replaceAll(/\[hidden: (U\+[0-9A-F]{4,6}(?: U\+[0-9A-F]{4,6})*)\]/g, (mark, names: string) => {
    const codes = names.split(" ").map((name) => Number.parseInt(name.slice(2), 16));
    return codes.some((code) => code > 0x10ffff) ? mark : String.fromCodePoint(...codes);
  });
}

/** Returns a text as one line for people, with control and hidden characters escaped. */
export function visibleLine(text: string): string {
  return showHidden(text).replaceAll(CONTROL, (control) => {
    const known = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\u001b": "\\e" }[control];
    return known ?? `\\u${(control.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
  });
}

const NAMED_MAX = 8;
const NOT_ASCII = /[^\x00-\x7f]/;
const HOSTS = /(?:\bhttps?:\/\/|\bwww\.)[^\s/?#"'<>()[\]`]{1,253}/giu;
const LOOK_ALIKE =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\u{ff21}-\u{ff5a}ɑɡıⅼ]+/gu;
const CONTROLS = /(?:[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029]|\r(?!\n))+/g;
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;
const HIDDEN =
  "\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f" +
  "\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff9-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}";
const SUSPECT = new RegExp(`[${HIDDEN}]`, "u");
// A black flag is part of the run after it, so that the three flags written with tags can be recognised.
const RUNS = new RegExp(`\\u{1f3f4}[\\u{e0020}-\\u{e007f}]+|[${HIDDEN}]+`, "gu");
const FLAG =
  /^\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}$/u;

const PICTOGRAPH = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}]$/u;
const JOINED_SCRIPT =
  /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Mongolian}\p{Script=Khmer}\p{Script=Thai}\p{Script=Lao}\p{Script=Myanmar}\p{M}]$/u;
const RIGHT_TO_LEFT = /^[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]$/u;
const IDEOGRAPH = /^\p{Script=Han}$/u;
const EMOJI = /^\p{Emoji}$/u;

/** Returns true if a run of hidden characters is legitimate between its neighbours. */
function belongs(run: string, before: number | undefined, after: number | undefined): boolean {
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
  if (first === 0xfe0e || first === 0xfe0f) return is(EMOJI, before);
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

function previous(text: string, offset: number): number | undefined {
  if (offset === 0) return undefined;
  const unit = text.charCodeAt(offset - 1);
  const low = unit >= 0xdc00 && unit <= 0xdfff;
  return low && offset > 1 ? text.codePointAt(offset - 2) : unit;
}

function named(run: string): string {
  const codes = [...run].map(
    (character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`,
  );
  const shown = codes.slice(0, NAMED_MAX).join(" ");
  return codes.length > NAMED_MAX ? `${shown} and ${codes.length - NAMED_MAX} more` : shown;
}
