import { expect, test } from "bun:test";
import { linesOf } from "../../../../test/support/terminal-parts.ts";
import { diffRows } from "../diff/diff-rows.ts";
import type { ChangedFile } from "./change-files.ts";
import { changeCells, changeDiff, changeFacts } from "./change-files.ts";

const FILE: ChangedFile = { path: "a.ts", kind: "changed", by: "calls", added: 1, removed: 1, bytes: 9 };
const HUNK = { id: "h1", old_start: 1, old_lines: 1, new_start: 1, new_lines: 1, lines: ["-one", "+two"] };

test("[TUI-05 CTL-19] a changed file is drawn with its names, counts and facts, whichever kind of change it is", () => {
  const draw = (file: ChangedFile) => linesOf(diffRows([changeDiff(file)], { columns: 60 })).split("\n")[0];
  expect(draw({ ...FILE, hunks: [HUNK] })).toBe("a.ts  +1 -1");
  expect(draw({ ...FILE, kind: "added", hunks: [HUNK] })).toBe("a.ts (new)  +1 -1");
  expect(draw({ ...FILE, kind: "removed", hunks: [HUNK] })).toBe("a.ts (deleted)  +1 -1");
  expect(draw({ ...FILE, kind: "renamed", from: "b.ts", hunks: [HUNK] })).toBe("b.ts → a.ts  +1 -1");
  expect(draw({ ...FILE, binary: true })).toBe("a.ts  binary file");
  expect(changeCells({ ...FILE, binary: true })).toEqual([{ text: "binary" }, { text: "" }]);
  expect(changeCells({ ...FILE, hunks: [HUNK] }).map(({ text }) => text)).toEqual(["+1", "-1"]);
  expect(changeFacts({ ...FILE, by: "both", old_mode: "100644", mode: "100755", cut: true })).toEqual([
    "mode 100644 → 100755",
    "changed by somebody else too",
    "not all of it is shown",
  ]);
});
