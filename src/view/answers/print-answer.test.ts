import { expect, test } from "bun:test";
import type { Shows } from "../../protocol/commands/command-spec.ts";
import { printAnswer } from "./print-answer.ts";

const OPTIONS = { nowMs: 0, columns: 40 };

test("[CMD-01] an answer is drawn as its slash command describes it, and nothing in it drives the terminal", () => {
  const text: Shows = { as: "text", text: "{done|file} in {at.path}[, {left|file} left]", none: "none" };
  expect(printAnswer(text, { done: 0, at: { path: "/w\u001b[2J" } }, OPTIONS)).toBe("0 files in /w");
  expect(printAnswer(text, { done: 1, at: { path: "/w" }, left: 2 }, OPTIONS)).toBe(
    "1 file in /w, 2 files left",
  );
  expect(printAnswer(text, {}, OPTIONS)).toBe("none");
  const list: Shows = {
    as: "list",
    field: "items",
    line: "{name}: {tags}",
    words: { a: "A" },
    mark: { field: "current", key: "name" },
    notes: "notes",
    none: "nothing",
    after: "more",
  };
  const items = [{ name: "one", tags: ["a", "b"] }, { name: "two" }];
  expect(printAnswer(list, { items, current: "two", notes: ["note\n2"] }, OPTIONS)).toBe(
    "  one: A, b\n* two: \nnote␊2\nmore",
  );
  expect(printAnswer(list, { items: [] }, OPTIONS)).toBe("nothing");
  const columns = [
    { head: "NAME", cell: "{name}" },
    { head: "TAGS", cell: "{tags}" },
  ];
  const table: Shows = { as: "table", field: "items", columns, none: "nothing" };
  expect(printAnswer(table, { items }, OPTIONS)).toBe("NAME  TAGS\none   a, b\ntwo");
  expect(printAnswer(table, { items: "no list" }, OPTIONS)).toBe("nothing");
});
