import { unfence } from "../../../safety/fence.ts";

/** One exact replacement, as the model writes it. */
export interface Replacement {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}

/** A range of text in UTF-16 units, from `start` up to but not including `end`. */
export interface Region {
  readonly start: number;
  readonly end: number;
}

export type ReplaceResult =
  | { readonly kind: "replaced"; readonly text: string; readonly regions: readonly Region[] }
  | { readonly kind: "refused"; readonly why: string };

const MATCHES_COUNTED_MAX = 100;
const LINES_NAMED_MAX = 8;

/**
 * Replaces one exact text by another: the only match, or all of them (TOOL-01).
 *
 * A text with named characters (`[hidden: U+001B]`) matches the characters themselves. In a file whose lines all end
 * in CR LF, both texts are converted to such line ends, since Read hides them; a file with both kinds is first
 * matched as written. Matches are found from left to right and do not overlap, but a text with overlapping matches is
 * not unique.
 */
export function replaceExact(text: string, edit: Replacement): ReplaceResult {
  if (edit.old_string === "") return { kind: "refused", why: "old_string is empty" };
  if (!edit.new_string.isWellFormed()) return { kind: "refused", why: "new_string holds half a character" };
  const { old, fresh } = spelledFor(text, edit);
  if (old === fresh) return { kind: "refused", why: "old_string and new_string are the same" };
  const matches = edit.replace_all === true ? disjoint(text, old) : overlapping(text, old);
  if (matches.length === 0) return { kind: "refused", why: notFound(text, edit.old_string) };
  if (matches.length > 1 && edit.replace_all !== true)
    return { kind: "refused", why: ambiguous(text, matches) };

  const parts: string[] = [];
  const regions: Region[] = [];
  let from = 0;
  let length = 0;
  for (const at of matches) {
    parts.push(text.slice(from, at), fresh);
    length += at - from;
    regions.push({ start: length, end: length + fresh.length });
    length += fresh.length;
    from = at + old.length;
  }
  return { kind: "replaced", text: parts.join("") + text.slice(from), regions };
}

interface Spelled {
  readonly old: string;
  readonly fresh: string;
}

/** Returns the text as written or, if the file lacks it, as it was before Read made characters visible. */
function spelledFor(text: string, edit: Replacement): Spelled {
  const written = withLineEnds(text, edit);
  if (text.includes(written.old)) return written;
  const unfenced = withLineEnds(text, {
    old_string: unfence(edit.old_string),
    new_string: unfence(edit.new_string),
  });
  return text.includes(unfenced.old) ? unfenced : written;
}

function withLineEnds(text: string, edit: Pick<Replacement, "old_string" | "new_string">): Spelled {
  const asWritten = { old: edit.old_string, fresh: edit.new_string };
  if (!text.includes("\r\n")) return asWritten;
  const mixed = /(?<!\r)\n/.test(text);
  if (mixed && text.includes(edit.old_string)) return asWritten;
  return { old: withReturns(edit.old_string), fresh: withReturns(edit.new_string) };
}

function withReturns(text: string): string {
  return text.replaceAll(/\r?\n/g, "\r\n");
}

function disjoint(text: string, old: string): readonly number[] {
  const matches: number[] = [];
  for (let at = text.indexOf(old); at !== -1; at = text.indexOf(old, at + old.length)) matches.push(at);
  return matches;
}

function overlapping(text: string, old: string): readonly number[] {
  const matches: number[] = [];
  for (let at = text.indexOf(old); at !== -1; at = text.indexOf(old, at + 1)) {
    matches.push(at);
    if (matches.length > MATCHES_COUNTED_MAX) break;
  }
  return matches;
}

function ambiguous(text: string, matches: readonly number[]): string {
  const number =
    matches.length > MATCHES_COUNTED_MAX ? `more than ${MATCHES_COUNTED_MAX}` : `${matches.length}`;
  const lines = [...new Set(matches.slice(0, LINES_NAMED_MAX).map((at) => lineAt(text, at)))];
  const more = matches.length > LINES_NAMED_MAX ? ", …" : "";
  const where = `${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")}${more}`;
  return `old_string matches ${number} times (${where}): add text around it, or set replace_all`;
}

function notFound(text: string, old: string): string {
  const plain = old.replaceAll("\r\n", "\n");
  const unnumbered = plain.replaceAll(/^\d+\t/gm, "");
  if (unnumbered !== plain && unnumbered !== "" && text.replaceAll("\r\n", "\n").includes(unnumbered)) {
    return "old_string was not found; leave out the line numbers that Read shows";
  }
  const near = nearLine(text, plain);
  return near === undefined
    ? "old_string was not found"
    : `old_string was not found; with other spaces or line ends it stands at line ${near}`;
}

/** Returns the line of the text if white space at both ends of each line is ignored. */
function nearLine(text: string, old: string): number | undefined {
  const wanted = old
    .trim()
    .split("\n")
    .map((line) => line.trim());
  const lines = text.split("\n").map((line) => line.trim());
  if (wanted.join("") === "") return undefined;
  const found = lines.findIndex((_, i) => wanted.every((line, j) => lines[i + j] === line));
  return found === -1 ? undefined : found + 1;
}

/** Returns the number of the line, from 1, that contains an offset. */
export function lineAt(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < place; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}
