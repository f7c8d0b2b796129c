/** A Markdown file split into head and body, its head not parsed. */
export type FrontMatter =
  | {
      readonly kind: "parts";
      /** The lines between those of `---`: the first of them is line 2 of the file. */
      readonly head: readonly string[];
      /** The text after the head, without surrounding blanks. */
      readonly body: string;
      /** The line after the head's last, counted from 1. */
      readonly bodyLine: number;
    }
  /** It does not begin with a line of `---`. */
  | { readonly kind: "headless"; readonly body: string }
  /** Its head has no end. */
  | { readonly kind: "open" };

export const NOT_CLOSED = "the head that begins here is not closed by a line of ---";
const MARK = /^---[ \t]*$/;

/**
 * Splits the head between lines of `---` from the Markdown after it. Accepts a byte order mark and line ends of
 * any kind.
 */
export function splitFrontMatter(text: string): FrontMatter {
  const lines = text
    .replace(/^\ufeff/, "")
    .replaceAll(/\r\n?/g, "\n")
    .split("\n");
  if (!MARK.test(lines[0] ?? "")) return { kind: "headless", body: lines.join("\n").trim() };
  const end = lines.findIndex((line, at) => at > 0 && MARK.test(line));
  if (end === -1) return { kind: "open" };
  const body = lines
    .slice(end + 1)
    .join("\n")
    .trim();
  return { kind: "parts", head: lines.slice(1, end), body, bodyLine: end + 2 };
}
