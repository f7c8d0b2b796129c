/** A line, or the rest of it behind the marks of the blocks around it. */
export interface Rest {
  readonly text: string;
  /** Column at which it begins, counted from 0; a tab reaches to the next multiple of 4. */
  readonly column: number;
}

const TAB_COLUMNS = 4;
/** Indentation that makes code. */
export const CODE_COLUMNS = 4;

/** Returns the columns of white space at the beginning; a blank rest has `Infinity`. */
export function indentOf({ text, column }: Rest): number {
  let at = column;
  for (const character of text) {
    if (character === " ") at += 1;
    else if (character === "\t") at += TAB_COLUMNS - (at % TAB_COLUMNS);
    else return at - column;
  }
  return Number.POSITIVE_INFINITY;
}

export function isBlankRest({ text }: Rest): boolean {
  return text.trim() === "";
}

/** Skips white space up to so many columns. What a tab reaches further stays as spaces. */
export function skipColumns({ text, column }: Rest, columns: number): Rest {
  const end = column + columns;
  let [at, index] = [column, 0];
  while (at < end && index < text.length) {
    if (text[index] === " ") at += 1;
    else if (text[index] === "\t") at += TAB_COLUMNS - (at % TAB_COLUMNS);
    else break;
    index += 1;
  }
  return { text: `${" ".repeat(Math.max(0, at - end))}${text.slice(index)}`, column: Math.min(at, end) };
}

/** Skips the mark of a quotation; undefined if there is none. */
export function skipQuoteMark(rest: Rest): Rest | undefined {
  const indent = indentOf(rest);
  if (indent >= CODE_COLUMNS) return undefined;
  const { text, column } = skipColumns(rest, indent);
  if (!text.startsWith(">")) return undefined;
  const behind = { text: text.slice(1), column: column + 1 };
  return /^[ \t]/.test(behind.text) ? skipColumns(behind, 1) : behind;
}

export interface Fence {
  readonly mark: "`" | "~";
  readonly length: number;
  /** Language of the code; empty: it has none. */
  readonly language: string;
}

const LANGUAGE_CHARACTERS_MAX = 40;

/** Reads the line that opens a block of code. */
export function openingFence({ text }: Rest): Fence | undefined {
  const [all = "", run] = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(text) ?? [];
  if (run === undefined) return undefined;
  const [language = ""] = text
    .slice(all.length)
    .trim()
    .split(/[\s{,]/, 1);
  return {
    mark: run[0] as Fence["mark"],
    length: run.length,
    language: language.slice(0, LANGUAGE_CHARACTERS_MAX),
  };
}

export function closesFence({ text }: Rest, { mark, length }: Omit<Fence, "language">): boolean {
  const [, run = ""] = /^ {0,3}(`+|~+)[ \t]*$/.exec(text) ?? [];
  return run.startsWith(mark) && run.length >= length;
}

export interface ListMark {
  /** The same for all items of one list: a bullet, or the character behind the number. */
  readonly kind: string;
  /** Characters of the mark. */
  readonly length: number;
  /** Columns of the mark with the space behind it: the indent of the item's lines. */
  readonly columns: number;
  readonly rest: Rest;
  /** A list that has another first number, or an empty item, does not end a paragraph. */
  readonly endsParagraph: boolean;
}

export function listMark(rest: Rest): ListMark | undefined {
  const indent = indentOf(rest);
  if (indent >= CODE_COLUMNS) return undefined;
  const { text, column } = skipColumns(rest, indent);
  const [mark, bullet, number, behind] = /^(?:([-+*])|(\d{1,9})([.)]))(?=[ \t]|$)/.exec(text) ?? [];
  if (mark === undefined) return undefined;
  const after = { text: text.slice(mark.length), column: column + mark.length };
  const space = indentOf(after);
  const isEmpty = isBlankRest(after);
  // More than four columns are a mark, one space, and code.
  const padding = isEmpty || space > CODE_COLUMNS ? 1 : space;
  return {
    kind: bullet ?? behind ?? "",
    length: mark.length,
    columns: indent + mark.length + padding,
    rest: skipColumns(after, isEmpty ? 0 : padding),
    endsParagraph: !isEmpty && (bullet !== undefined || number === "1"),
  };
}

export function isHeading({ text }: Rest): boolean {
  return /^ {0,3}#{1,6}(?:[ \t]|$)/.test(text);
}

/** Returns true for the line under a paragraph that makes it a heading. */
export function isUnderline({ text }: Rest): boolean {
  return /^ {0,3}(?:=+|-+)[ \t]*$/.test(text);
}

export function isRule({ text }: Rest): boolean {
  return /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/.test(text);
}

/** Returns true for the second line of a table: it has as many columns as the first one, `head`. */
export function isTableRule(rest: Rest, head: string): boolean {
  const { text } = rest;
  return (
    indentOf(rest) < CODE_COLUMNS &&
    text.includes("|") &&
    /^[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)*[ \t]*:?-*:?[ \t]*$/.test(text) &&
    text.includes("-") &&
    cellsIn(text) === cellsIn(head)
  );
}

/** Counts the cells of a table's row; 0 for a lone bar. */
function cellsIn(row: string): number {
  const text = row.trim();
  if (text === "|") return 0;
  return text
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "")
    .split(/(?<!\\)\|/).length;
}

const HTML: readonly (readonly [start: RegExp, end: RegExp | undefined])[] = [
  [/^ {0,3}<(?:script|pre|style|textarea)(?:\s|>|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^ {0,3}<!--/, /-->/],
  [/^ {0,3}<\?/, /\?>/],
  [/^ {0,3}<![a-z]/i, />/],
  [/^ {0,3}<!\[CDATA\[/, /\]\]>/],
  [
    /^ {0,3}<\/?(?:address|article|aside|blockquote|body|center|details|dialog|dd|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|iframe|li|link|main|menu|nav|ol|option|p|section|summary|table|tbody|td|tfoot|th|thead|title|tr|ul)(?:\s|\/?>|$)/i,
    undefined,
  ],
];

/** One whole tag and nothing else. Unlike the others it does not end a paragraph. */
const LONE_TAG =
  /^ {0,3}<(?:\/[a-z][a-z\d-]*\s*|[a-z][a-z\d-]*(?:\s+[a-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?)>[ \t]*$/i;

/** Start of a block of HTML. The block ends in the line that has `end`, or before a blank line. */
export interface HtmlStart {
  readonly end: RegExp | undefined;
}

/** Reads the line that opens a block of HTML. */
export function htmlStart({ text }: Rest, inParagraph: boolean): HtmlStart | undefined {
  const found = HTML.find(([start]) => start.test(text));
  if (found !== undefined) return { end: found[1] };
  return !inParagraph && LONE_TAG.test(text) ? { end: undefined } : undefined;
}
