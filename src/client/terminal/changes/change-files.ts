import { defined } from "../../../base/defined.ts";
import type { ResultOf } from "../../../protocol/queries/queries.ts";
import type { DiffFile } from "../diff/diff-file.ts";
import { diffLine } from "../diff/diff-file.ts";
import type { ListCell, ListColumn } from "../panels/list-entry.ts";

/** A changed file as the engine knows it from its checkpoints. */
export type ChangedFile = ResultOf<"GetChanges">["files"][number];

/** Columns of a list of changed files, in the order of `changeCells`. */
export const CHANGE_COLUMNS: readonly ListColumn[] = [{ name: "added" }, { name: "removed" }];

const SIGNS: Readonly<Record<ChangedFile["kind"], ListCell>> = {
  added: { text: "A", role: "success" },
  changed: { text: "M", role: "warning" },
  removed: { text: "D", role: "failure" },
  renamed: { text: "R", role: "accent" },
};
const AUTHORS: Readonly<Record<ChangedFile["by"], string>> = {
  calls: "",
  both: "changed by somebody else too",
  unknown: "changed in a turn that was cut off",
};

/** Returns the letter of a kind of change, as git has it. */
export function changeSign({ kind }: ChangedFile): ListCell {
  return SIGNS[kind];
}

/** Returns the counts of changed lines. */
export function changeCells({ added, removed, binary, hunks }: ChangedFile): readonly ListCell[] {
  if (binary === true) return [{ text: "binary" }, { text: "" }];
  if (hunks === undefined && added + removed === 0) return [{ text: "" }, { text: "" }];
  return [
    { text: `+${added}`, role: added === 0 ? "dim" : "added" },
    { text: `-${removed}`, role: removed === 0 ? "dim" : "removed" },
  ];
}

/** Returns facts about a change besides its lines. */
export function changeFacts(file: ChangedFile): readonly string[] {
  return [...(file.from === undefined ? [] : [`from ${file.from}`]), ...otherFacts(file)];
}

/** Returns facts besides its lines and its names. */
function otherFacts({ old_mode, mode, by, missing, cut, binary, kind }: ChangedFile): readonly string[] {
  const isModeChanged =
    kind === "changed" && old_mode !== undefined && mode !== undefined && old_mode !== mode;
  return [
    ...(isModeChanged ? [`mode ${old_mode} → ${mode}`] : []),
    ...(binary === true ? ["binary file"] : []),
    ...(AUTHORS[by] === "" ? [] : [AUTHORS[by]]),
    ...(missing === undefined ? [] : [missing]),
    ...(cut === true ? ["not all of it is shown"] : []),
  ];
}

/** Returns a change as a diff that can be drawn. */
export function changeDiff(file: ChangedFile): DiffFile {
  const { kind, path, from = path, hunks = [] } = file;
  return {
    ...defined({ from: kind === "added" ? undefined : from, to: kind === "removed" ? undefined : path }),
    facts: otherFacts(file),
    hunks: hunks.map(({ old_start, new_start, lines }) => ({
      oldStart: old_start,
      newStart: new_start,
      lines: lines.map(diffLine),
    })),
  };
}
