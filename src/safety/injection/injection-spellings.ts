const DECODED_UNITS_MAX = 65_536;

/**
 * Returns a text in the other spellings that a model reads as easily: with escapes resolved, digits for letters,
 * letter by letter, backwards. Empty if nothing is encoded. `compact`: blanks were lost.
 */
export function otherSpellings(
  text: string,
): readonly { readonly text: string; readonly compact: boolean }[] {
  const cut = text.slice(0, DECODED_UNITS_MAX);
  return [
    ...changed(cut, unescaped(cut)),
    ...changed(cut, withoutDigits(cut)),
    ...spelledOut(cut),
    { text: backwards(cut), compact: false },
  ];
}

function changed(text: string, other: string) {
  return other === text ? [] : [{ text: other, compact: false }];
}

/**
 * Decodes `%69`, `&#105;`, `&#x69;`, `\\u0069`, `\\x69` to the letters they stand for; control characters stay encoded.
 */
function unescaped(text: string): string {
  return text.replaceAll(
    /%([2-7][0-9a-f])|&#(\d{2,3});|&#x([0-9a-f]{2});|\\u00([2-7][0-9a-f])|\\x([2-7][0-9a-f])/gi,
    (whole, percent, decimal, entity, unicode, byte) => {
      const hex = percent ?? entity ?? unicode ?? byte;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code >= 32 && code < 127 ? String.fromCharCode(code) : whole;
    },
  );
}

const LETTERS: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
};

/** Replaces digits by similar letters in words that mix both. */
function withoutDigits(text: string): string {
  return text.replaceAll(/\b(?=[a-z]{0,24}[013457])(?=\d{0,24}[a-z])[a-z013457]{3,24}\b/gi, (word) =>
    word.replaceAll(/[013457]/g, (digit) => LETTERS[digit] ?? digit),
  );
}

/** Joins spelled-out words such as `i g n o r e`, `i.g.n.o.r.e`, `I-G-N-O-R-E`, with the words around them. */
function spelledOut(text: string) {
  const found = text.replaceAll(/(?<![a-z])(?:[a-z][ ._-]){4,120}[a-z](?![a-z])/gi, (run) =>
    run.replaceAll(/[ ._-]/g, ""),
  );
  return found === text ? [] : [{ text: found, compact: true }];
}

function backwards(text: string): string {
  return [...text].reverse().join("");
}
