/** The words typed after a template's name. */
export interface TemplateWords {
  /** Split like a shell does. */
  readonly args: readonly string[];
  /** The words exactly as typed. */
  readonly text: string;
}

/** Characters of an expanded template. A repeated placeholder multiplies the words. */
export const EXPANDED_CHARACTERS_MAX = 1_000_000;

const PLACE = /\$(?:(ARGUMENTS|@)|\{?([1-9])\}?|(\$))/g;

/** Returns true if a text has a placeholder for single words, which then must be split. */
export function hasWordPlaceholder(text: string): boolean {
  return [...text.matchAll(PLACE)].some(([, , digit]) => digit !== undefined);
}

/**
 * Expands a template with some words. `$ARGUMENTS` (or `$@`) stands for all words as typed, `$1` to `$9` for one
 * each, `$$` for a dollar sign. Without a placeholder, the words follow the text.
 *
 * Nothing is executed, and placeholders within the words are not expanded. Returns undefined for a result
 * above `EXPANDED_CHARACTERS_MAX`.
 */
export function expandTemplate(text: string, { args, text: typed }: TemplateWords): string | undefined {
  let isPlaced = false;
  let remainingCharacters = EXPANDED_CHARACTERS_MAX - text.length;
  const expanded = text.replaceAll(PLACE, (_, all?: string, digit?: string) => {
    if (all === undefined && digit === undefined) return "$";
    isPlaced = true;
    const words = all === undefined ? (args[Number(digit) - 1] ?? "") : typed;
    remainingCharacters -= words.length;
    return remainingCharacters < 0 ? "" : words;
  });
  if (!isPlaced && typed !== "") remainingCharacters -= typed.length;
  if (remainingCharacters < 0) return undefined;
  return isPlaced || typed === "" ? expanded : `${expanded}\n\n${typed}`;
}
