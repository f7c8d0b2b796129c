/** What was typed behind the name of a template. */
export interface TemplateWords {
  /** Split as a shell does. */
  readonly args: readonly string[];
  /** As it was typed. */
  readonly text: string;
}

const PLACE = /\$(?:(ARGUMENTS|@)|\{?([1-9])\}?|(\$))/g;

/**
 * The prompt that a template makes of some words: `$ARGUMENTS` (or `$@`) is all of them as they were typed, `$1` to `$9`
 * one each, `$$` a dollar sign. Where the text has no place for words, they stand behind it. Nothing is executed, whatever
 * the text says, and what stands in the words is not looked at for places.
 */
export function expandTemplate(text: string, { args, text: typed }: TemplateWords): string {
  let isPlaced = false;
  const expanded = text.replaceAll(PLACE, (_, all?: string, digit?: string) => {
    if (all !== undefined) {
      isPlaced = true;
      return typed;
    }
    if (digit === undefined) return "$";
    isPlaced = true;
    return args[Number(digit) - 1] ?? "";
  });
  return isPlaced || typed === "" ? expanded : `${expanded}\n\n${typed}`;
}
