import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../../test/support/property.ts";
import { hunksOf, unifiedHunks } from "../../../base/text/diff/hunks.ts";
import { displayWidth } from "../../../view/terminal/display-width.ts";
import type { DrawnRow } from "../drawing/span.ts";
import { textOfRow } from "../drawing/span.ts";
import { shownCode } from "./code-rows.ts";
import { diffCounts } from "./diff-file.ts";
import { diffRows } from "./diff-rows.ts";
import { parseDiff } from "./parse-diff.ts";
import { proposedDiff } from "./proposed-diff.ts";

const GIT = `diff --git a/src/a.ts b/src/a.ts
index 1..2 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,3 +1,3 @@ function a
 one
--- two three
+++ two four
 end
\\ No newline at end of file
diff --git a/run b/run
old mode 100644
new mode 100755
diff --git a/x b/y
similarity index 100%
rename from x
rename to y
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+hello
diff --git a/logo.png b/logo.png
Binary files a/logo.png and b/logo.png differ
diff --git a/old.txt b/old.txt
deleted file mode 100644
--- a/old.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
`;

function texts(rows: readonly DrawnRow[]): readonly string[] {
  return rows.map((each) => textOfRow(each).trimEnd());
}

function widest(rows: readonly DrawnRow[]): number {
  return rows.reduce((most, each) => Math.max(most, displayWidth(textOfRow(each))), 0);
}

/** Text of rows without their margins, continued rows joined. */
function copied(rows: readonly DrawnRow[]): readonly string[] {
  const lines: string[] = [];
  for (const each of rows) {
    // Each character of a margin takes one cell.
    const text = textOfRow(each).slice(each.margin ?? 0);
    if (each.joint === undefined) lines.push(text);
    else lines.push(`${lines.pop()}${each.joint}${text}`);
  }
  return lines;
}

test("[TUI-01 bar Diff] a diff of git is drawn unified, with modes, renames, new, deleted and binary files", () => {
  expect(texts(diffRows(parseDiff(GIT), { columns: 60 }))).toEqual([
    "src/a.ts  +1 -1",
    "@@ 1 → 1  function a",
    "1 1   one",
    "2   - -- two three",
    "  2 + ++ two four",
    "3 3   end",
    "      \\ No newline at end of file",
    "run  old mode 100644  new mode 100755",
    "x → y  similarity index 100%",
    "new.txt (new)  new file mode 100644  +1 -0",
    "  1 + hello",
    "logo.png  binary file",
    "old.txt (deleted)  deleted file mode 100644  +0 -1",
    "1   - bye",
  ]);
});

test("[TUI-01 bar Diff] the changed words of a line are marked, and lines with little in common are not", () => {
  const diff = "@@ -1,2 +1,2 @@\n-const size = 5;\n-abc def\n+const size = 12;\n+xyz 123";
  const words = diffRows(parseDiff(diff), { columns: 60 }).flatMap(({ spans }) =>
    spans.flatMap(({ text, style }) => (style.role?.endsWith("Word") === true ? [[style.role, text]] : [])),
  );
  expect(words).toEqual([
    ["removedWord", "5"],
    ["addedWord", "12"],
  ]);
});

test("[TUI-01 bar Diff] from 120 columns on the old lines stand at the left of the new ones", () => {
  const files = parseDiff("--- a/a\n+++ b/a\n@@ -7,2 +7,3 @@\n same\n-old\n+new\n+more");
  const rows = texts(diffRows(files, { columns: 120, hasNames: false }));
  const left = (text: string) => text.padEnd(59);
  expect(rows.slice(1)).toEqual([
    `${left(" 7   same")}│ 7   same`,
    `${left(" 8 - old")}│ 8 + new`,
    `${left("")}│ 9 + more`,
  ]);
  expect(texts(diffRows(files, { columns: 120, layout: "unified" }))).toContain(" 8    - old");
});

test("[TUI-01 bar Diff] a proposed change is drawn without line numbers, as its place is not known", () => {
  const files = proposedDiff([{ path: "a.ts", before: "x\ny", after: "x\nz", everywhere: false }]);
  const rows = texts(diffRows(files, { columns: 40 }));
  expect(rows[0]).toBe("a.ts  +1 -1");
  expect(rows).toContain("- y");
  expect(rows).toContain("+ z");
});

test("[TUI-10 bar Diff] a hunk of 10,000 lines folds, and a line of 10 MB is cut with a note", () => {
  const hunk = `@@ -0,0 +1,10000 @@\n${"+x\n".repeat(10_000)}`;
  expect(texts(diffRows(parseDiff(hunk), { columns: 60, linesMax: 12 })).slice(-2)).toEqual([
    "   12 + x",
    "… 9988 more lines",
  ]);
  const long = parseDiff(`@@ -0,0 +1 @@\n+${"y".repeat(10_000_000)}`);
  const rows = diffRows(long, { columns: 100 });
  expect(rows.length).toBeLessThan(40);
  expect(copied(rows).at(-1)).toEndWith(" … 9998000 more characters");
});

test("[TUI-07] hostile bytes in a diff stay visible and drive nothing", () => {
  const text = diffRows(parseDiff("@@ -0,0 +1 @@\n+a\u001b[2Jb\u0007\u202ec"), { columns: 60 })
    .map(textOfRow)
    .join("");
  expect(text).toContain("a\u241b[2Jb\u2407");
  expect([...text].filter((each) => each < " " || each === "\u202e")).toEqual([]);
});

const line = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom("\t", "漢字漢字漢字", "const a = 1;", "--- x", "+++ y", "@@ -1 +1 @@", "  ", ""),
);
const text = fc
  .array(line, { maxLength: 12 })
  .map((lines) => lines.map((each) => each.replaceAll("\n", "")).join("\n"));

test("[TUI-01 bar Diff] the texts of unified rows are the lines of the diff, and no row is too wide", async () => {
  const property = fc.property(text, text, fc.integer({ min: 2, max: 200 }), (before, after, columns) => {
    const hunks = hunksOf(before, after, 3);
    const lines = hunks.flatMap((hunk) => hunk.lines);
    const files = parseDiff(unifiedHunks(hunks));
    expect(diffCounts(files)).toEqual({
      added: lines.filter((each) => each.startsWith("+")).length,
      removed: lines.filter((each) => each.startsWith("-")).length,
    });
    expect(widest(diffRows(files, { columns, layout: "side" }))).toBeLessThanOrEqual(columns);
    const rows = diffRows(files, { columns, layout: "unified" });
    expect(widest(rows)).toBeLessThanOrEqual(columns);
    if (columns < 6) return;
    const isChange = ({ fill, joint }: DrawnRow, at: number) =>
      fill !== undefined || (joint !== undefined && rows[at - 1]?.fill !== undefined);
    const changed = lines.filter((each) => /^[+-]/.test(each)).map((each) => shownCode(each.slice(1)));
    expect(copied(rows.filter(isChange))).toEqual(changed);
  });
  await holds(property, 300);
});

test("[TUI-07] any text is read as a diff without an error", async () => {
  const property = fc.property(text, fc.integer({ min: 2, max: 130 }), (diff, columns) => {
    expect(widest(diffRows(parseDiff(diff), { columns }))).toBeLessThanOrEqual(columns);
  });
  await holds(property, 300);
});

test("[TUI-05 bar Diff] a part of a file that is replaced has no note about its end; a whole file without a newline has", () => {
  const notes = (before: string | undefined) =>
    proposedDiff([
      { path: "a.ts", ...(before === undefined ? {} : { before }), after: "two", everywhere: false },
    ])
      .flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines))
      .filter(({ text }) => text.includes("No newline"));
  expect(notes("one")).toEqual([]);
  expect(notes(undefined)).toHaveLength(1);
});

test("[TUI-01 bar Diff] a new or deleted file has one column at any width: its other side would be empty", () => {
  for (const names of [
    "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+hello",
    "--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-hello",
  ]) {
    const files = parseDiff(`${names}\n`);
    expect(texts(diffRows(files, { columns: 160 }))).toEqual(
      texts(diffRows(files, { columns: 160, layout: "unified" })),
    );
  }
});
