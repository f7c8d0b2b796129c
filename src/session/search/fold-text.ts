/** Texts that need no folding but that of `toLowerCase`. */
const ASCII = /^[\0-\x7f]*$/;
/** Characters that folding may change. */
const CASED = /\p{Changes_When_Casefolded}/gu;
/** Cherokee folds to its capital letters. */
const CHEROKEE_SMALL = /[\u13f8-\u13fd\uab70-\uabbf]/u;

const folded = new Map<string, string>();

/** Returns a text in the form in which hits are shown: NFC. */
export function shownText(text: string): string {
  return ASCII.test(text) ? text : text.normalize("NFC");
}

/**
 * Returns a shown text with simple case folding (Unicode), so that equal texts match whatever their case. It has as
 * many units as before: a position in one is a position in the other.
 */
export function foldText(shown: string): string {
  return ASCII.test(shown) ? shown.toLowerCase() : shown.replace(CASED, foldCharacter);
}

/** Returns the words of a text that a person searches for, folded, each once. */
export function foldedWords(text: string): readonly string[] {
  const words = foldText(shownText(text)).split(/\s+/);
  return [...new Set(words.filter((word) => word !== ""))];
}

function foldCharacter(character: string): string {
  const known = folded.get(character);
  if (known !== undefined) return known;
  const upper = single(character.toUpperCase(), character);
  const result = CHEROKEE_SMALL.test(character) ? upper : single(upper.toLowerCase(), character);
  folded.set(character, result);
  return result;
}

/** Returns the other character if it is a single one of the same length: a full mapping may have several. */
function single(other: string, character: string): string {
  return other.length === character.length ? other : character;
}
