import { expect, test } from "bun:test";
import fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import { cutBeginning, cutEnd, displayWidth } from "./display-width.ts";
import { fittedTable } from "./table.ts";

test.each([
  ["", 0],
  ["abc", 3],
  ["é", 1],
  ["e\u0301", 1],
  ["漢字", 4],
  ["한글", 4],
  ["ｆｕｌｌ", 8],
  ["👍", 2],
  ["👩‍👩‍👧", 2],
  ["❤️", 2],
  ["🇩🇪", 2],
  ["→ …", 3],
  ["a\u200bb", 2],
])("[TUI-07] %p takes %d columns", (line, columns) => {
  expect(displayWidth(line)).toBe(columns);
});

test("[TUI-07] what a line takes is what the runtime's own table says, whatever stands in it", async () => {
  const blocks = ["abc ", "漢字仮名", "한글", "éüß", "👍🎉🚀", "кир", "ﾊﾝ", "Ａ１"].flatMap((text) => [
    ...text,
  ]);
  const lines = fc.array(fc.constantFrom(...blocks), { maxLength: 30 }).map((parts) => parts.join(""));
  await holds(fc.property(lines, (line) => displayWidth(line) === Bun.stringWidth(line)));
});

test("[TUI-07] a line is cut at either end to the columns that there are, between characters", async () => {
  expect([cutEnd("hello world", 8), cutEnd("hello world", 7), cutEnd("hello", 5)]).toEqual([
    "hello w…",
    "hello…",
    "hello",
  ]);
  expect([cutEnd("漢字漢字", 6), cutEnd("漢字", 1), cutEnd("漢字", 0)]).toEqual(["漢字…", "…", ""]);
  expect(cutBeginning("/a/漢字/project", 10)).toBe("…/project");
  const cases = fc.property(fc.string({ unit: "grapheme" }), fc.nat(40), (line, columns) => {
    for (const cut of [cutEnd(line, columns), cutBeginning(line, columns)])
      expect(displayWidth(cut)).toBeLessThanOrEqual(Math.max(columns, 0));
  });
  await holds(cases);
});

test("[TUI-07] a table leaves out its least needed columns first, then cuts the last one", () => {
  const table = [
    { name: "A", cells: ["one", "two"] },
    { name: "B", cells: ["123456", "1"], dropped: 1 },
    { name: "C", cells: ["abcdef", "a"], dropped: 2 },
    { name: "WORDS", cells: ["a long title", "漢字"] },
  ];
  expect(fittedTable(table, { columns: 60, lastMin: 8 })).toEqual([
    "A    B       C       WORDS",
    "one  123456  abcdef  a long title",
    "two  1       a       漢字",
  ]);
  expect(fittedTable(table, { columns: 22, lastMin: 8 })).toEqual([
    "A    B       WORDS",
    "one  123456  a long t…",
    "two  1       漢字",
  ]);
  expect(fittedTable(table, { columns: 12, lastMin: 8 })).toEqual([
    "A    WORDS",
    "one  a long…",
    "two  漢字",
  ]);
});

test("[TUI-11 complaint 22] for a screen reader each row is a line that names its cells, the last one first, and no empty ones", () => {
  const table = [
    { name: "STATUS", cells: ["running", "ended"], dropped: 1 },
    { name: "ATTACHED-BY", cells: ["-", "web"] },
    { name: "TITLE", cells: ["a title", ""] },
  ];
  expect(fittedTable(table, { columns: 10, lastMin: 5, isSpoken: true })).toEqual([
    "  title a title, status running",
    "  status ended, attached-by web",
  ]);
});
