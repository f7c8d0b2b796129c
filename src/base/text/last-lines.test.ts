import { expect, test } from "bun:test";
import { lastLines } from "./last-lines.ts";

test("[CTL-19] the end of a text has at most so many lines and bytes, and no half character", () => {
  const end = (text: string, linesMax = 3, bytesMax = 100) => lastLines(text, { linesMax, bytesMax });
  expect(end("")).toBe("");
  expect(end("a\nb\nc")).toBe("a\nb\nc");
  expect(end("0\na\nb\nc")).toBe("a\nb\nc");
  expect(end("0\na\nb\nc\n")).toBe("a\nb\nc\n");
  expect(end("\n\n\n\n")).toBe("\n\n\n");
  expect(end("\n")).toBe("\n");
  expect(end("abcdef", 3, 4)).toBe("cdef");
  expect(end("aéé", 3, 4)).toBe("éé");
  expect(end("aéé", 3, 3)).toBe("é");
  expect(end("x😀", 3, 3)).toBe("");
  expect(end("😀😀", 3, 5)).toBe("😀");
});
