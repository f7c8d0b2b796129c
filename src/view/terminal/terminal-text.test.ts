import { expect, test } from "bun:test";
import fc from "fast-check";
import { neutralise, neutraliseLine, reveal, SEQUENCE_UNITS_MAX, TerminalText } from "./terminal-text.ts";

const UNSAFE = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** Text in which control sequences, whole, cut and malformed, are common. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "\x1b",
        "\x1b[",
        "\x9b",
        "\x1b]",
        "\x9d",
        "\x1bP",
        "\x90",
        "\x1b_",
        "\x9f",
        "\x1b^",
        "\x1bX",
        "\x07",
        "\x9c",
        "\x1b\\",
        "31m",
        "2J",
        "?1049h",
        "0;title",
        "8;;http://x",
        "\r",
        "\n",
        "\r\n",
        "\t",
        "\0",
        "\x7f",
        "\x85",
        "\x1bc",
        "\x1b(0",
        "\u202e",
        "\u2066",
        "\ud83d",
        "\udc00",
        "😀",
        " ",
      ),
      fc.string({ unit: "binary", maxLength: 8 }),
      fc.string({ maxLength: 8 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));

test("[TUI-07] nothing that drives a terminal survives, whatever the text and wherever it is cut", () => {
  fc.assert(
    fc.property(hostile, fc.array(fc.nat(60), { maxLength: 12 }), (text, sizes) => {
      const whole = neutralise(text);
      expect(UNSAFE.test(whole)).toBe(false);
      expect(whole.isWellFormed()).toBe(true);
      expect(inPieces(text, sizes)).toBe(whole);
      expect(UNSAFE.test(reveal(text))).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});

test("[TUI-07] text without control characters is printed as it is, at once", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      fc.pre(neutralise(text) === text);
      const stream = new TerminalText();
      expect(stream.push(text)).toBe(text);
    }),
  );
  const kept = "ab\tc\nd é 漢字 👩‍💻 می‌خواهم";
  expect(neutralise(kept)).toBe(kept);
});

test("[TUI-07] colours, titles, links and 8-bit sequences are left out; what is cut short is shown", () => {
  expect(
    neutralise("\x1b[31mred\x1b[0m \x9b2J\x1b]0;pwned\x07\x9d8;;http://x\x9clink\x1bP$q\x1b\\.\x1bc"),
  ).toBe("red link.");
  expect(neutralise("\x1b]0;rm -rf /")).toBe("␛]0;rm -rf /");
  expect(neutralise("\x1b]52;c;\nnext")).toBe("␛]52;c;\nnext");
  expect(neutralise("10%\r20%\r\nend\x08\x7f\x85")).toBe("10%\n20%\nend␈␡<U+0085>");
  expect(neutralise("a\u202eb\u2066c")).toBe("a<U+202E>b<U+2066>c");
  expect(neutraliseLine("a\nb\tc")).toBe("a␊b c");
});

test("[TUI-07] what a person is asked to allow is shown whole, sequences too", () => {
  expect(reveal("ls \x1b]0;rm -rf ~\x07\x1b[2K")).toBe("ls ␛]0;rm -rf ~␇␛[2K");
});

test("[TUI-07 PERM-06] characters that nobody sees are named where a person approves; joiners of emoji and scripts stay", () => {
  expect(reveal("const { a,\u3164 } = b\u00adc\u115f\uffa0\u034f")).toBe(
    "const { a,<U+3164> } = b<U+00AD>c<U+115F><U+FFA0><U+034F>",
  );
  expect(reveal("x\u200dy \ufe00\ufe01 z\u{e0100}")).toBe("x<U+200D>y <U+FE00><U+FE01> z<U+E0100>");
  expect(reveal("isAdmin1\ufe0f")).toBe("isAdmin1<U+FE0F>");
  expect(reveal("1\ufe0f\u20e3")).toBe("1\ufe0f\u20e3");
  for (const legitimate of ["👩\u200d💻", "❤\ufe0f", "क्\u200dष"]) expect(reveal(legitimate)).toBe(legitimate);
  expect(neutralise("a\u3164b\u00adc")).toBe("a<U+3164>b<U+00AD>c");
});

test("[TUI-07] an unfinished sequence holds back no more than its limit", () => {
  const stream = new TerminalText();
  const flood = `\x1b]${"x".repeat(SEQUENCE_UNITS_MAX + 10)}`;
  expect(stream.push(flood)).toBe(flood.replace("\x1b", "␛"));
  expect(stream.push("after")).toBe("after");
});

function inPieces(text: string, sizes: readonly number[]): string {
  const stream = new TerminalText();
  let shown = "";
  let at = 0;
  for (const size of sizes) {
    shown += stream.push(text.slice(at, at + size));
    at += size;
  }
  return shown + stream.push(text.slice(at)) + stream.end();
}
