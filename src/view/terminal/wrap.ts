import { displayWidth } from "./display-width.ts";

/** Narrower terminals break lines themselves. */
const COLUMNS_MIN = 20;
/** Deeper indents are cut, so that room for words remains. */
const INDENT_MAX = 8;
const HANGING = "  ";
const QUOTE_MARK = "| ";

export interface WrapOptions {
  /** Width of the terminal in columns; undefined leaves the text as it is. */
  readonly columns: number | undefined;
  /** Also wraps lines that start with the quote mark. Default: false, since a command is shown as it is. */
  readonly quotes?: boolean;
}

/**
 * Breaks each line that is wider than the terminal between two words. Continuation lines are indented by two more
 * columns than their line, and repeat its quote mark. A word that is wider than the terminal stays whole.
 */
export function wrapWords(text: string, { columns, quotes = false }: WrapOptions): string {
  if (columns === undefined || columns < COLUMNS_MIN) return text;
  return text
    .split("\n")
    .flatMap((line) => {
      const isQuote = line.startsWith(QUOTE_MARK);
      return isQuote && !quotes ? [line] : wrapLine(line, { columns, mark: isQuote ? QUOTE_MARK : "" });
    })
    .join("\n");
}

function wrapLine(
  line: string,
  { columns, mark }: { readonly columns: number; readonly mark: string },
): readonly string[] {
  if (displayWidth(line) <= columns) return [line];
  const [, indent = "", rest = ""] = /^( *)(.*)$/s.exec(line.slice(mark.length)) ?? [];
  const hanging = `${mark}${indent.slice(0, INDENT_MAX)}${mark === "" ? HANGING : ""}`;
  const lines: string[] = [];
  let [current, width] = [`${mark}${indent}`, mark.length + indent.length];
  let isFirst = true;
  // Spaces inside a line are kept; those at a break are dropped.
  for (const [, gap = "", word = ""] of rest.matchAll(/( *)([^ ]+)/g)) {
    const wordWidth = displayWidth(word);
    if (!isFirst && width + gap.length + wordWidth > columns) {
      lines.push(current);
      [current, width] = [`${hanging}${word}`, hanging.length + wordWidth];
    } else {
      current += `${gap}${word}`;
      width += gap.length + wordWidth;
    }
    isFirst = false;
  }
  return [...lines, current];
}
