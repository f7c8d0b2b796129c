import { expect, test } from "bun:test";
import type { Row } from "./report.ts";
import { judge, table } from "./report.ts";
import { quantile, sampled } from "./statistics.ts";

test("[PERF-01] an aim is met up to the figure it names, and missed above it", () => {
  const row: Row = {
    what: "start",
    unit: "ms",
    cinch: sampled([30, 29, 90]),
    bare: sampled([10, 10, 11]),
    comparison: "ratio",
    aim: 3,
  };
  expect(judge(row)).toMatchObject({ figure: 3, met: true });
  expect(judge({ ...row, aim: 2.9 })).toMatchObject({ figure: 3, met: false });
  expect(judge({ ...row, comparison: "difference", aim: 19 })).toMatchObject({ figure: 20, met: false });
  const { aim: _, ...told } = row;
  expect("met" in judge(told)).toBe(false);
});

test("[PERF-02] the table shows medians with the middle half of the samples, the figure, the aim and whether it is met", () => {
  const cinch = sampled([2, 1, 3]);
  const bare = sampled([0.5]);
  const lines = table([
    judge({ what: "a round", unit: "ms", cinch, bare, comparison: "difference", aim: 1 }),
    judge({ what: "tokens", unit: "", cinch: sampled([1050]), comparison: "alone", aim: 1300 }),
  ]).split("\n");
  expect(lines[2]?.split("|").map((cell) => cell.trim())).toEqual([
    "",
    "a round",
    "2 ms (1.50–2.50)",
    "0.50 ms",
    "+1.50 ms",
    "≤ +1 ms",
    "NO",
    "",
  ]);
  expect(lines[3]?.split("|").map((cell) => cell.trim())).toEqual([
    "",
    "tokens",
    "1,050",
    "",
    "",
    "≤ 1,300",
    "yes",
    "",
  ]);
});

test("[PERF-02] a quantile lies between its neighbours in proportion", () => {
  expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
  expect(quantile([10, 20], 0.95)).toBe(19.5);
  expect(() => quantile([], 0.5)).toThrow();
});
