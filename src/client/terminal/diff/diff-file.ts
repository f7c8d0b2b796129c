/** One line of a hunk, without its sign. */
export interface DiffLine {
  readonly kind: "context" | "added" | "removed" | "note";
  /** Text as in the diff; of a note, such as "\ No newline at end of file", the whole line. */
  readonly text: string;
}

/** One changed place of a file. Line numbers count from 1. */
export interface DiffHunk {
  readonly oldStart: number;
  readonly newStart: number;
  /** Words behind the second `@@`: the function around the change. Absent: none. */
  readonly heading?: string;
  readonly lines: readonly DiffLine[];
}

/** The change of one file. */
export interface DiffFile {
  /** Path before the change; absent for a new file, or if the diff names none. */
  readonly from?: string;
  /** Path after the change; absent for a deleted file, or if the diff names none. */
  readonly to?: string;
  /** Facts besides the lines: a new mode, a rename, a binary file. */
  readonly facts: readonly string[];
  readonly hunks: readonly DiffHunk[];
  /** True if the numbers of the lines are not known: the change is a part of a file. */
  readonly isPlaceUnknown?: true;
  /** True if lines are missing within hunks: only the first number of a hunk is known. */
  readonly hasGaps?: true;
}

/** Counts of changed lines. */
export interface DiffCounts {
  readonly added: number;
  readonly removed: number;
}

/** Returns the numbers of added and removed lines of some files. */
export function diffCounts(files: readonly DiffFile[]): DiffCounts {
  let [added, removed] = [0, 0];
  for (const { hunks } of files)
    for (const { lines } of hunks)
      for (const { kind } of lines) {
        if (kind === "added") added += 1;
        else if (kind === "removed") removed += 1;
      }
  return { added, removed };
}

/** Returns the lines of all hunks with their signs, and a head before each hunk if there are several. */
export function signedLines(files: readonly DiffFile[]): readonly string[] {
  const hunks = files.flatMap((file) => file.hunks);
  return hunks.flatMap(({ oldStart, newStart, lines }) => [
    ...(hunks.length < 2 ? [] : [`@@ -${oldStart} +${newStart} @@`]),
    ...lines.map(({ kind, text }) => `${SIGNS[kind]}${text}`),
  ]);
}

const SIGNS: Readonly<Record<DiffLine["kind"], string>> = {
  added: "+",
  removed: "-",
  context: " ",
  note: "",
};

/** Returns a line of a hunk from a line with its sign, as the protocol and a unified diff have them. */
export function diffLine(line: string): DiffLine {
  const text = line.slice(1);
  if (line.startsWith("+")) return { kind: "added", text };
  if (line.startsWith("-")) return { kind: "removed", text };
  return line.startsWith("\\") ? { kind: "note", text: line } : { kind: "context", text };
}
