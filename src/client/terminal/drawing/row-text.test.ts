import { expect, test } from "bun:test";
import { markedRow } from "./marked-row.ts";
import { joinedText, rangesOf } from "./row-text.ts";
import { row, span, textOfRow } from "./span.ts";
import { wrapSpans } from "./wrap-spans.ts";

test("[TUI-01 complaint 14] rows joined again are the line that was wrapped, without its bar", () => {
  const line = "the quick brown fox jumps over 日本語の文章 and an_unbroken_word_that_is_long";
  for (const columns of [12, 20, 47]) {
    const rows = wrapSpans([span(line)], { columns, first: [span("│ ")] });
    expect(rows.length).toBeGreaterThan(1);
    expect(joinedText(rows).text).toBe(line);
  }
});

test("[TUI-01 bar Search] a part of the joined text is found again in the rows that it covers", () => {
  const rows = wrapSpans([span("one two three")], { columns: 9, first: [span("> ")] });
  expect(rows.map(textOfRow)).toEqual(["> one two", "> three"]);
  const joined = joinedText(rows);
  const from = joined.text.indexOf("two");
  expect(rangesOf(joined, from, from + "two three".length)).toEqual([
    { row: 0, from: 6, to: 10 },
    { row: 1, from: 2, to: 7 },
  ]);
  expect(rangesOf(joined, 8, 9)).toEqual([{ row: 1, from: 2, to: 3 }]);
});

test("[TUI-01 bar Search] a mark changes the role of a part, and neither its text nor its other styles", () => {
  const marked = markedRow(row([span("abc", { isBold: true }), span("def")]), [
    { from: 1, to: 4, role: "match" },
    { from: 2, to: 3, role: "selected" },
  ]);
  expect(marked.spans.map(({ text, style }) => [text, style.role, style.isBold])).toEqual([
    ["a", undefined, true],
    ["b", "match", true],
    ["c", "selected", true],
    ["d", "match", undefined],
    ["ef", undefined, undefined],
  ]);
});
