/** What was typed behind the name of a template. */
export interface TemplateWords {
  /** Split as a shell does. */
  readonly args: readonly string[];
  /** As it was typed. */
  readonly text: string;
}

/** Of what a template becomes: a place that stands often makes much of few words. */
export const EXPANDED_CHARACTERS_MAX = 1_000_000;

const PLACE = /\$(?:(ARGUMENTS|@)|\{?([1-9])\}?|(\$))/g;

/** Whether a text has a place for single words, which then must be told apart. */
export function hasPlaceForWord(text: string): boolean {
  return [...text.matchAll(PLACE)].some(([, , digit]) => digit !== undefined);
}

/**
 * The prompt that a template makes of some words: `$ARGUMENTS` (or `$@`) is all of them as they were typed, `$1` to `$9`
 * one each, `$$` a dollar sign. Where the text has no place for words, they stand behind it. Nothing is executed, whatever
 * the text says, and what stands in the words is not looked at for places. Undefined where that is more than
 * `EXPANDED_CHARACTERS_MAX`.
 */
export function expandTemplate(text: string, { args, text: typed }: TemplateWords): string | undefined {
  let isPlaced = false;
  let left = EXPANDED_CHARACTERS_MAX - text.length;
  const expanded = text.replaceAll(PLACE, (_, all?: string, digit?: string) => {
    if (all === undefined && digit === undefined) return "$";
    isPlaced = true;
    const words = all === undefined ? (args[Number(digit) - 1] ?? "") : typed;
    left -= words.length;
    return left < 0 ? "" : words;
  });
  if (!isPlaced && typed !== "") left -= typed.length;
  if (left < 0) return undefined;
  return isPlaced || typed === "" ? expanded : `${expanded}\n\n${typed}`;
}
