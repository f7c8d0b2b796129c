import { expect, test } from "bun:test";
import { textOfRow } from "../drawing/span.ts";
import { answerRows } from "./dialog.ts";

const ANSWERS = [
  { keys: ["1"], label: "allow once", short: "once" },
  { keys: ["A"], label: "accept the rest, refuse it", short: "accept rest" },
  { keys: ["enter"], label: "send the hunks", short: "send hunks" },
];

test("[PERM-03] where answers share rows, no key stands in another row than its words", () => {
  const drawn = (columns: number) =>
    answerRows(ANSWERS, { columns, rowsMax: 2, isLive: true }).map(textOfRow);
  expect(drawn(80)).toEqual(["1 once   A accept rest   enter send hunks"]);
  expect(drawn(22)).toEqual(["1 once   A accept rest", "enter send hunks"]);
  expect(drawn(21)).toEqual(["1 once", "A accept rest", "enter send hunks"]);
  expect(drawn(10).every((text) => text.length <= 10)).toBe(true);
});
