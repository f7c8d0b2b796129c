import { count } from "../../base/text/text.ts";
import type { ResultOf } from "../../protocol/queries/queries.ts";
import { neutraliseLine, reveal } from "../terminal/terminal-text.ts";
import { spokenChange } from "./spoken-change.ts";

type ChangesAnswer = ResultOf<"GetChanges">;
type ChangedFile = ChangesAnswer["files"][number];

/** Lines of changes that are printed; a path as argument shows one file whole. */
const LINES_MAX = 400;
const MARKS = { added: "A", changed: "M", removed: "D", renamed: "R" } as const;

/**
 * Renders changed files: a line for each, and its changed lines below it, up to 400 in all.
 * @param isSpoken true for a screen reader: words in place of signs. Default: false.
 */
export function changesText(
  { files, complete, missing, left_out }: ChangesAnswer,
  { isSpoken = false }: { readonly isSpoken?: boolean } = {},
): string {
  if (files.length === 0) return missing === undefined ? "No file was changed." : sentenceOf(missing);
  const lines: string[] = [];
  let hidden = 0;
  for (const file of files) {
    const hunks = hunkLines(file);
    const changed = isSpoken ? spokenChange(hunks) : hunks;
    const room = Math.max(0, LINES_MAX - lines.length);
    hidden += Math.max(0, changed.length - room);
    lines.push(isSpoken ? spokenHead(file) : headOf(file), ...changed.slice(0, room));
  }
  const more = [
    ...(hidden === 0 ? [] : [`… ${count(hidden, "more line")}; /diff PATH shows one file`]),
    ...(left_out === undefined ? [] : [`… and ${count(left_out, "more file")}`]),
    ...(missing === undefined ? [] : [sentenceOf(missing)]),
    ...(complete || missing !== undefined || left_out !== undefined ? [] : ["Some changes are not shown."]),
  ];
  return [...lines, ...more].join("\n");
}

function spokenHead({ kind, path, binary, added, removed }: ChangedFile): string {
  const size = binary === true ? "binary" : `${added} added, ${removed} removed`;
  return `${neutraliseLine(path)}, ${kind}: ${size}`;
}

function headOf({ kind, path, from, added, removed, binary, missing, cut }: ChangedFile): string {
  const name =
    from === undefined ? neutraliseLine(path) : `${neutraliseLine(from)} → ${neutraliseLine(path)}`;
  const what = binary === true ? "binary" : `+${added} -${removed}`;
  const note = missing ?? (cut === true ? "not all of it is shown" : undefined);
  return `${MARKS[kind]} ${name}  ${what}${note === undefined ? "" : `  (${neutraliseLine(note)})`}`;
}

/** Returns the changed lines of a file as quoted lines. */
export function hunkLines({ hunks = [] }: Pick<ChangedFile, "hunks">): readonly string[] {
  return hunks.flatMap(({ old_start, old_lines, new_start, new_lines, lines }) => [
    `| @@ -${old_start},${old_lines} +${new_start},${new_lines} @@`,
    ...lines.map((line) => `| ${reveal(line)}`),
  ]);
}

function sentenceOf(text: string): string {
  const line = neutraliseLine(text);
  return `${line.charAt(0).toUpperCase()}${line.slice(1)}${/[.!?]$/.test(line) ? "" : "."}`;
}
