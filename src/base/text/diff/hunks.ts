import { lineEdits, linesWithEnds } from "./line-edits.ts";

/** Line after the last line of a text that does not end with a line feed, as in a unified diff. */
export const NO_NEWLINE = "\\ No newline at end of file";

/**
 * One changed place of a text, with lines around it.
 *
 * Starts count from 1. With no line on a side, the start is the number of the line before, as in a unified diff.
 */
export interface TextHunk {
  /** Number and place of the hunk: the same for the same two texts. It reveals nothing of them. */
  readonly id: string;
  readonly old_start: number;
  readonly old_lines: number;
  readonly new_start: number;
  readonly new_lines: number;
  /** Each begins with " ", "+" or "-"; `NO_NEWLINE` can follow the last line of a side. */
  readonly lines: readonly string[];
}

/** A text with some hunks applied, or the reason why none was. */
export type AppliedHunks =
  | { readonly kind: "applied"; readonly text: string }
  | { readonly kind: "refused"; readonly why: "unknown id" | "other text"; readonly id: string };

/**
 * Compares two texts by line. A carriage return belongs to its line.
 *
 * @param context unchanged lines around each change. Hunks whose context would touch are one.
 */
export function hunksOf(before: string, after: string, context: number): readonly TextHunk[] {
  const [a, b] = [linesWithEnds(before), linesWithEnds(after)];
  const hunks: TextHunk[] = [];
  for (const group of grouped(changesOf(a, b), context)) {
    const [first, last] = [group[0] as Change, group.at(-1) as Change];
    const lead = Math.min(context, first.a0, first.b0);
    const trail = Math.min(context, a.length - last.a1, b.length - last.b1);
    const range = {
      a0: first.a0 - lead,
      a1: last.a1 + trail,
      b0: first.b0 - lead,
      b1: last.b1 + trail,
    };
    hunks.push(hunk(range, { number: hunks.length + 1, lines: linesOf(range, group, { a, b }) }));
  }
  return hunks;
}

/**
 * Applies the accepted hunks of `hunksOf` to the old text, and leaves the others out.
 *
 * Refuses, without a text, if an id is unknown, or if the text is not the one that an accepted hunk was made of.
 */
export function applyHunks(
  before: string,
  hunks: readonly TextHunk[],
  accepted: Iterable<string>,
): AppliedHunks {
  const ids = new Set(accepted);
  const known = new Set(hunks.map(({ id }) => id));
  for (const id of ids) if (!known.has(id)) return { kind: "refused", why: "unknown id", id };
  const old = linesWithEnds(before);
  const parts: string[] = [];
  let at = 0;
  for (const each of hunks) {
    if (!ids.has(each.id)) continue;
    const { removed, added } = sidesOf(each);
    const from = each.old_lines === 0 ? each.old_start : each.old_start - 1;
    if (from < at || removed.some((line, index) => old[from + index] !== line)) {
      return { kind: "refused", why: "other text", id: each.id };
    }
    for (; at < from; at += 1) parts.push(old[at] as string);
    parts.push(...added);
    at = from + removed.length;
  }
  return { kind: "applied", text: parts.join("") + old.slice(at).join("") };
}

/** Renders hunks as a unified diff without names of files. */
export function unifiedHunks(hunks: readonly TextHunk[]): string {
  return hunks
    .flatMap(({ old_start, old_lines, new_start, new_lines, lines }) => [
      `@@ -${old_start},${old_lines} +${new_start},${new_lines} @@`,
      ...lines,
    ])
    .join("\n");
}

/** Replaced lines; ends are exclusive. */
interface Change {
  readonly a0: number;
  readonly a1: number;
  readonly b0: number;
  readonly b1: number;
}

function changesOf(a: readonly string[], b: readonly string[]): readonly Change[] {
  const { removed, added } = lineEdits(a, b);
  const changes: Change[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [a0, b0] = [i, j];
    while (removed[i] === 1) i += 1;
    while (added[j] === 1) j += 1;
    if (i > a0 || j > b0) changes.push({ a0, a1: i, b0, b1: j });
    i += 1;
    j += 1;
  }
  return changes.map((change, at) => slidDown(change, { a, b }, changes[at + 1]));
}

/**
 * Moves lines that are only added, or only removed, down past lines that equal their beginning, as git does: a new
 * function then ends with its own bracket and not with that of the one before it.
 */
function slidDown(change: Change, { a, b }: Sides, next: Change | undefined): Change {
  const isAdded = change.a0 === change.a1;
  if (!isAdded && change.b0 !== change.b1) return change;
  const [lines, from, end] = isAdded ? [b, change.b0, change.b1] : [a, change.a0, change.a1];
  // One line at least stays between this change and the next.
  const endMax = next === undefined ? lines.length : (isAdded ? next.b0 : next.a0) - 1;
  let by = 0;
  while (end + by < endMax && lines[from + by] === lines[end + by]) by += 1;
  return { a0: change.a0 + by, a1: change.a1 + by, b0: change.b0 + by, b1: change.b1 + by };
}

function grouped(changes: readonly Change[], context: number): readonly (readonly Change[])[] {
  const groups: Change[][] = [];
  for (const change of changes) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group !== undefined && last !== undefined && change.a0 - last.a1 <= 2 * context) group.push(change);
    else groups.push([change]);
  }
  return groups;
}

interface Sides {
  readonly a: readonly string[];
  readonly b: readonly string[];
}

function linesOf(range: Change, group: readonly Change[], { a, b }: Sides): readonly string[] {
  const lines: string[] = [];
  let at = range.a0;
  for (const { a0, a1, b0, b1 } of group) {
    for (const line of a.slice(at, a0)) push(lines, " ", line);
    for (const line of a.slice(a0, a1)) push(lines, "-", line);
    for (const line of b.slice(b0, b1)) push(lines, "+", line);
    at = a1;
  }
  for (const line of a.slice(at, range.a1)) push(lines, " ", line);
  return lines;
}

function push(lines: string[], mark: string, line: string): void {
  if (line.endsWith("\n")) lines.push(mark + line.slice(0, -1));
  else lines.push(mark + line, NO_NEWLINE);
}

function hunk(
  { a0, a1, b0, b1 }: Change,
  { number, lines }: { readonly number: number; readonly lines: readonly string[] },
): TextHunk {
  const [old_lines, new_lines] = [a1 - a0, b1 - b0];
  const old_start = old_lines === 0 ? a0 : a0 + 1;
  const new_start = new_lines === 0 ? b0 : b0 + 1;
  const id = `h${number}-${old_start}-${old_lines}-${new_start}-${new_lines}`;
  return { id, old_start, old_lines, new_start, new_lines, lines };
}

function sidesOf({ lines }: TextHunk): {
  readonly removed: readonly string[];
  readonly added: readonly string[];
} {
  const [removed, added]: [string[], string[]] = [[], []];
  for (const [index, line] of lines.entries()) {
    if (line === NO_NEWLINE) continue;
    const text = line.slice(1) + (lines[index + 1] === NO_NEWLINE ? "" : "\n");
    if (line[0] !== "+") removed.push(text);
    if (line[0] !== "-") added.push(text);
  }
  return { removed, added };
}
