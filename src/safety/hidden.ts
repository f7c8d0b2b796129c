import { belongs, codeBefore, HIDDEN } from "../base/text/hidden.ts";

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
    const before = codeBefore(shown, offset);
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
const SUSPECT = new RegExp(`[${HIDDEN}]`, "u");
// A black flag is part of the run after it, so that the three flags written with tags can be recognised.
const RUNS = new RegExp(`\\u{1f3f4}[\\u{e0020}-\\u{e007f}]+|[${HIDDEN}]+`, "gu");
const FLAG =
  /^\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}$/u;

function named(run: string): string {
  const codes = [...run].map(
    (character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`,
  );
  const shown = codes.slice(0, NAMED_MAX).join(" ");
  return codes.length > NAMED_MAX ? `${shown} and ${codes.length - NAMED_MAX} more` : shown;
}
