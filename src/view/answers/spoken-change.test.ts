import { expect, test } from "bun:test";
import { spokenChange } from "./spoken-change.ts";

test("[TUI-11 complaint 22] a change is read with words in place of its signs", () => {
  const lines = [
    "| @@ -3,2 +4,2 @@",
    "|  kept",
    "| -old",
    "| +new",
    "| +",
    "| @@ once @@",
    "| … 3 more lines",
  ];
  expect(spokenChange(lines)).toEqual([
    "| at line 4:",
    "| same: kept",
    "| removed: old",
    "| added: new",
    "| added: ",
    "| once:",
    "| … 3 more lines",
  ]);
  expect(spokenChange(["| @@ -7,1 +0,0 @@"])).toEqual(["| at line 7:"]);
});
