import { expect, test } from "bun:test";
import type { KeyInput } from "../screen/screen.ts";
import { guarded } from "./guarded.ts";

const SIZE = { columns: 60, rows: 3 };
const KEY: KeyInput = { kind: "key", key: "a", text: "a" };

test("[TUI-10 complaint 18] a picture that cannot be drawn is the last one with a sentence, and the next one is drawn", () => {
  let fails = false;
  const { draw } = guarded({
    draw() {
      if (fails) throw new Error("no \u001b[2J room");
      return { rows: ["one", "two", "three"], cursor: { row: 1, column: 0 } };
    },
    input: () => undefined,
    finished: () => [],
  });
  const before = draw(SIZE);
  fails = true;
  const { rows, cursor } = draw(SIZE);
  expect(rows.slice(0, 2)).toEqual(["one", "two"]);
  expect(rows[2]).toStartWith("cinch could not draw this: no ");
  expect(rows[2]).not.toContain("\u001b");
  expect(cursor).toEqual({ row: 1, column: 0 });
  fails = false;
  expect(draw(SIZE)).toEqual(before);
});

test("[TUI-10 complaint 18] a key that fails shows a sentence until the next key", () => {
  let fails = true;
  const { draw, input } = guarded({
    draw: () => ({ rows: ["one", "two", "three"] }),
    finished: () => [],
    input() {
      if (fails) throw new Error("broken");
    },
  });
  input(KEY);
  expect(draw(SIZE).rows).toEqual(["one", "two", "cinch could not do this: broken"]);
  fails = false;
  input(KEY);
  expect(draw(SIZE).rows).toEqual(["one", "two", "three"]);
});

test("[TUI-10] the sentence fits into one row", () => {
  const { draw } = guarded({
    draw: () => {
      throw new Error("x".repeat(500));
    },
    input: () => undefined,
    finished: () => [],
  });
  const { rows } = draw({ columns: 10, rows: 2 });
  expect(rows).toHaveLength(2);
  expect(Bun.stringWidth(rows[1] ?? "")).toBeLessThanOrEqual(10);
});
