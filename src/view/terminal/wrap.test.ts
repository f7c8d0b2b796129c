import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import { displayWidth } from "./display-width.ts";
import { wrapWords } from "./wrap.ts";

test("[TUI-07] lines wider than the terminal break between words, and continue below with an indent", () => {
  const text =
    "note: the sandbox keeps this command from the network, so it runs without\n  1  allow once, outside";
  expect(wrapWords(text, { columns: 24 }).split("\n")).toEqual([
    "note: the sandbox keeps",
    "  this command from the",
    "  network, so it runs",
    "  without",
    "  1  allow once, outside",
  ]);
  expect(wrapWords(text, { columns: undefined })).toBe(text);
});

test("[TUI-07] what will run is shown as it stands; a question's quote repeats its mark on each line", () => {
  const quoted = "| may the server linear be used in this folder";
  expect(wrapWords(quoted, { columns: 20 })).toBe(quoted);
  expect(wrapWords(quoted, { columns: 20, quotes: true })).toBe(
    "| may the server\n| linear be used in\n| this folder",
  );
});

test("[TUI-07] no line is wider than the terminal unless one word is, wide characters count as two, and nothing is lost", async () => {
  const word = fc.constantFrom("a", "network", "宽字", "📦", "/a/very/long/path/of/somebody", "it", "runs,");
  const words = fc.array(word, { minLength: 1, maxLength: 40 });
  const property = fc.property(
    words,
    fc.nat(3),
    fc.integer({ min: 20, max: 60 }),
    (each, indent, columns) => {
      const text = `${" ".repeat(indent)}${each.join(" ")}`;
      const lines = wrapWords(text, { columns }).split("\n");
      expect(lines.map((line) => line.trim()).join(" ")).toBe(text.trim());
      return lines.every((line) => displayWidth(line) <= columns || !line.trim().includes(" "));
    },
  );
  await holds(property);
});
