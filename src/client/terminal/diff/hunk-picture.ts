import type { Role, Span } from "../drawing/span.ts";
import { highlight } from "../highlight/highlight.ts";
import type { CodeStyle } from "./code-rows.ts";
import { LINE_CHARACTERS_MAX, shownCode } from "./code-rows.ts";
import type { DiffHunk, DiffLine } from "./diff-file.ts";
import type { Marks } from "./word-marks.ts";

/** All that the rows of a hunk are drawn from. */
export interface HunkPicture {
  readonly hunk: DiffHunk;
  readonly columns: number;
  readonly marks: ReadonlyMap<number, Marks>;
  /** False if the numbers of the lines are not known. */
  readonly hasNumbers: boolean;
  /** Characters of a line that are drawn. Default: `LINE_CHARACTERS_MAX`. */
  readonly charactersMax?: number;
  /** Syntax colours by the index of the line. */
  readonly syntax?: ReadonlyMap<number, readonly Span[]>;
}

/** A line of a hunk with its numbers; absent on a side that does not have it. */
export interface NumberedLine {
  readonly line: DiffLine;
  readonly index: number;
  readonly old?: number;
  readonly new?: number;
}

const ROLES: Readonly<Record<DiffLine["kind"], Role>> = {
  added: "added",
  removed: "removed",
  context: "text",
  note: "dim",
};

export const SIGNS: Readonly<Record<DiffLine["kind"], string>> = {
  added: "+",
  removed: "-",
  context: " ",
  note: " ",
};

/** Returns the lines of a hunk with their numbers. */
export function numberedLines({ oldStart, newStart, lines }: DiffHunk): readonly NumberedLine[] {
  let [old, now] = [oldStart, newStart];
  return lines.map((line, index) => {
    const { kind } = line;
    const isOld = kind === "removed" || kind === "context";
    const isNew = kind === "added" || kind === "context";
    const numbered = { line, index, ...(isOld ? { old } : {}), ...(isNew ? { new: now } : {}) };
    if (isOld) old += 1;
    if (isNew) now += 1;
    return numbered;
  });
}

/** Returns how a line is drawn. */
export function styleOf(
  { line, index }: NumberedLine,
  { marks, syntax, charactersMax }: HunkPicture,
): CodeStyle {
  const changed = marks.get(index);
  const colours = syntax?.get(index);
  return {
    role: ROLES[line.kind],
    wordRole: line.kind === "added" ? "addedWord" : "removedWord",
    ...(changed === undefined ? {} : { marks: changed }),
    ...(colours === undefined ? {} : { syntax: colours }),
    ...(charactersMax === undefined ? {} : { charactersMax }),
  };
}

/** Returns the digits that the numbers of a hunk take. */
export function digitsOf({ oldStart, newStart, lines }: DiffHunk): number {
  return String(Math.max(oldStart, newStart) + lines.length).length;
}

/** Returns the syntax colours of lines, each side by itself, so that a removed line does not disturb the new code. */
export function syntaxOf(lines: readonly DiffLine[], language: string): ReadonlyMap<number, readonly Span[]> {
  const found = new Map<number, readonly Span[]>();
  for (const side of ["removed", "added"] as const) {
    const indices = lines.flatMap(({ kind }, at) => (kind === side || kind === "context" ? [at] : []));
    const code = indices.map((at) => shownCode((lines[at]?.text ?? "").slice(0, LINE_CHARACTERS_MAX)));
    const rows = highlight(code.join("\n"), language);
    for (const [at, index] of indices.entries()) {
      const spans = rows[at];
      if (spans !== undefined) found.set(index, spans);
    }
  }
  return found;
}
