import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../../../test/support/property.ts";
import { SmallScreen } from "../../../../../test/support/small-screen.ts";
import { paint } from "../../drawing/paint.ts";
import { row, span } from "../../drawing/span.ts";
import { NO_COLOURS } from "../../themes/none.ts";
import { sixteenColours } from "../../themes/sixteen.ts";
import { FrameWriter } from "./frame-writer.ts";

const SIZE = { columns: 24, rows: 10 };

const words = fc.oneof(
  fc.constantFrom(
    "",
    "a",
    "one two",
    "日本語",
    "🚀 up",
    "e\u0301a",
    "ab\u200dc",
    "שלום",
    "same text here",
    "x".repeat(24),
  ),
  fc.string({ maxLength: 12 }),
);
const piece = fc
  .tuple(words, fc.constantFrom(undefined, "accent", "failure", "link" as const), fc.boolean())
  .map(([text, role, isLink]) =>
    span(text, {
      ...(role === undefined ? {} : { role: role as "accent" }),
      ...(isLink ? { link: "http://a/" } : {}),
    }),
  );
const painted = fc
  .tuple(fc.array(piece, { maxLength: 3 }), fc.boolean(), fc.constantFrom(sixteenColours("dark"), NO_COLOURS))
  .map(([spans, isFilled, theme]) =>
    paint(row(spans, isFilled ? { fill: "prompt" } : {}), theme, SIZE.columns),
  );
const cursor = fc.option(fc.record({ row: fc.nat(9), column: fc.nat(23) }), { nil: undefined });
const picture = fc.record({ rows: fc.array(painted, { maxLength: SIZE.rows }), cursor });

test("[TUI-08 TUI-11 complaint 1] whatever the pictures are, the screen shows the last one", async () => {
  const property = fc.property(
    fc.array(picture, { minLength: 2, maxLength: 6 }),
    fc.nat(9),
    (pictures, by) => {
      const [screen, writer] = [new SmallScreen(24, 10), new FrameWriter()];
      const last = pictures.at(-1);
      const before = pictures.at(-2);
      if (last === undefined || before === undefined) return;
      // One more picture whose rows are those of another one, moved.
      const more = { rows: [...last.rows.slice(by), ...before.rows], cursor: undefined };
      for (const { rows, cursor: at } of [...pictures, more, last])
        screen.write(writer.update(at === undefined ? { rows } : { rows, cursor: at }, SIZE));
      const alone = new SmallScreen(24, 10);
      const whole =
        last.cursor === undefined ? { rows: last.rows } : { rows: last.rows, cursor: last.cursor };
      alone.write(new FrameWriter().update(whole, SIZE));
      expect(screen.rows(true)).toEqual(alone.rows(true));
      expect(screen.isCursorShown).toBe(last.cursor !== undefined);
      if (last.cursor !== undefined) expect(screen.cursor).toEqual([last.cursor.row, last.cursor.column]);
    },
  );
  await holds(property, 500);
});

test("[TUI-08 complaint 1] one more word costs that word, text that moves up costs the new row, and no change nothing", () => {
  const writer = new FrameWriter();
  const rows = Array.from({ length: 10 }, (_, at) => `row number ${at}`);
  writer.update({ rows }, SIZE);
  expect(writer.update({ rows }, SIZE)).toBe("");
  const longer = rows.with(9, "row number 9 more");
  expect(writer.update({ rows: longer }, SIZE)).toBe(frame("\u001b[10;13H more"));
  const up = [...longer.slice(1), "the next"];
  expect(writer.update({ rows: up }, SIZE)).toBe(
    frame("\u001b[1;10r\u001b[1;1H\u001b[1M\u001b[r\u001b[10;1Hthe next"),
  );
  expect(writer.update({ rows: up.with(9, "the") }, SIZE)).toBe(frame("\u001b[10;4H\u001b[K"));
});

test("[TUI-08 complaint 1] a row that keeps its text is not cleared, also with a row of it that grows", () => {
  const screen = new SmallScreen(24, 10);
  const writer = new FrameWriter();
  const rows = Array.from({ length: 10 }, (_, at) => `row number ${at}`);
  screen.write(writer.update({ rows }, SIZE));
  screen.cleared.clear();
  screen.write(writer.update({ rows: rows.with(4, "row number 4 and more") }, SIZE));
  screen.write(writer.update({ rows: rows.with(4, "row number 5 and more") }, SIZE));
  expect([...screen.cleared]).toEqual([]);
});

test("[TUI-08 complaint 1] text is not moved over a row that stays where it is", () => {
  const writer = new FrameWriter();
  const rows = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "same"];
  writer.update({ rows }, SIZE);
  const next = ["2", "3", "4", "5", "6", "7", "8", "new", "9 grows", "same"];
  const moved = writer.update({ rows: next }, SIZE);
  expect(moved).toContain("\u001b[1M");
  const again = writer.update({ rows: ["3", "4", "5", "6", "7", "8", "new", "new", "10", "same"] }, SIZE);
  expect(again).not.toContain("M");
});

test("[TUI-08 TUI-11] a mark that joins the character before it is neither joined twice nor left there", () => {
  const screen = new SmallScreen(24, 1);
  const size = { columns: 24, rows: 1 };
  const writer = new FrameWriter();
  for (const text of ["\u0301a", "\u0301ab", "ab"]) {
    const rows = [`\u001b[31m> \u001b[0m${text}`];
    screen.write(writer.update({ rows }, size));
    const fresh = new SmallScreen(24, 1);
    fresh.write(new FrameWriter().update({ rows }, size));
    expect(screen.rows(true)).toEqual(fresh.rows(true));
  }
});

function frame(changes: string): string {
  return `\u001b[?2026h\u001b[?25l${changes}\u001b[?25l\u001b[?2026l`;
}
