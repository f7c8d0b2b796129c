import { expect, test } from "bun:test";
import { GrowingList } from "./growing-list.ts";

test("[TUI-10] a list that has grown leaves the shorter one as it was", () => {
  const one = GrowingList.of(["a"]);
  const two = one.with(["b", "c"]);
  const other = one.with(["x"]);
  expect([[...one], [...two], [...other]]).toEqual([["a"], ["a", "b", "c"], ["a", "x"]]);
  expect([two.at(-1), two.at(0), one.at(1), two.at(3), two.at(-4)]).toEqual([
    "c",
    "a",
    undefined,
    undefined,
    undefined,
  ]);
  expect(one.with([])).toBe(one);
});

test("[TUI-10] 100,000 entries are added one at a time without copies", () => {
  let list = GrowingList.of<number>();
  for (let entry = 0; entry < 100_000; entry += 1) list = list.with([entry]);
  expect([list.length, list.at(-1)]).toEqual([100_000, 99_999]);
});
