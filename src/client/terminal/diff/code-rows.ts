import { head } from "../../../base/text/text.ts";
import { displayWidth, fittingHead } from "../../../view/terminal/display-width.ts";
import { reveal } from "../../../view/terminal/terminal-text.ts";
import type { Role, Span } from "../drawing/span.ts";
import { likeSpan, span } from "../drawing/span.ts";
import type { Marks } from "./word-marks.ts";

/** Characters of one line that are drawn. */
export const LINE_CHARACTERS_MAX = 2_000;
const TAB = "    ";

/** Returns a line of code as it is shown: nothing is left out, and tabs are four blanks. */
export function shownCode(text: string): string {
  return text
    .split("\t")
    .map((part) => reveal(part))
    .join(TAB);
}

/** Style of one line of code. */
export interface CodeStyle {
  readonly role: Role;
  /** Role of the changed words. */
  readonly wordRole: Role;
  readonly marks?: Marks;
  /** Characters that are drawn. Default: `LINE_CHARACTERS_MAX`. */
  readonly charactersMax?: number;
  /** Syntax colours of the shown line. Ignored if their text is another one. */
  readonly syntax?: readonly Span[];
}

/** Returns the spans of a line. A line that is too long is cut, with a note that counts what is missing. */
export function codeSpans(
  text: string,
  { role, wordRole, marks = [], syntax, charactersMax = LINE_CHARACTERS_MAX }: CodeStyle,
): readonly Span[] {
  const drawnText = head(text, charactersMax);
  const note =
    drawnText.length === text.length
      ? []
      : [span(` … ${text.length - drawnText.length} more characters`, { role: "dim" })];
  const shown = shownCode(drawnText);
  const isKnown = syntax !== undefined && syntax.map((each) => each.text).join("") === shown;
  if (marks.length === 0) return [...(isKnown ? coloured(syntax, role) : [span(shown, { role })]), ...note];
  const spans: Span[] = [];
  let at = 0;
  for (const [from, to] of marks) {
    if (from > at) spans.push(span(shownCode(drawnText.slice(at, from)), { role }));
    spans.push(span(shownCode(drawnText.slice(from, to)), { role: wordRole }));
    at = to;
  }
  if (at < drawnText.length) spans.push(span(shownCode(drawnText.slice(at)), { role }));
  return [...spans, ...note];
}

function coloured(syntax: readonly Span[], role: Role): readonly Span[] {
  return syntax.map((each) =>
    each.style.role === undefined || each.style.role === "code" || each.style.role === "text"
      ? likeSpan(each, { style: { ...each.style, role } })
      : each,
  );
}

/** Cuts spans into rows of at most `columns`, wherever a word is. Blanks are kept. At least one row. */
export function cutSpans(spans: readonly Span[], columns: number): readonly (readonly Span[])[] {
  const rows: Span[][] = [[]];
  let width = 0;
  for (const each of spans) {
    let left = each.text;
    while (left !== "") {
      const fitting = fittingHead(left, columns - width);
      if (fitting === "" && width > 0) {
        rows.push([]);
        width = 0;
        continue;
      }
      // A character that is wider than a row stands alone.
      const taken = fitting === "" ? String.fromCodePoint(left.codePointAt(0) ?? 0) : fitting;
      rows.at(-1)?.push(likeSpan(each, { text: taken }));
      width += displayWidth(taken);
      left = left.slice(taken.length);
    }
  }
  return rows;
}
