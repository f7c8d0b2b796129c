import { expect, test } from "bun:test";
import { COLUMNS, terminalSvg } from "./terminal-svg.ts";

test("a screen becomes a picture: text in its cells, colours, nothing that could be markup or a control", () => {
  const svg = terminalSvg(
    '\x1b[1mbold\x1b[0m  <a & "b">\n\n\x1b[32m  green\x1b[39m \x1b[2mdim\x1b[0m\x07\x1b[2K\n\n',
    "$ run",
  );
  const texts = [...svg.matchAll(/<text x="([\d.]+)" y="(\d+)" fill="(\S+)"([^>]*)>([^<]*)<\/text>/g)];
  expect(texts.map(([, x, y, colour, rest = "", text]) => [x, y, colour, rest.trim(), text])).toEqual([
    ["369", "23", "#7f848e", 'text-anchor="middle"', "$ run"],
    ["16.0", "50", "#d6d6d6", 'font-weight="bold" textLength="33.6"', "bold"],
    ["66.4", "50", "#d6d6d6", 'textLength="75.6"', "&lt;a &amp; &quot;b&quot;&gt;"],
    ["32.8", "86", "#98c379", 'textLength="42.0"', "green"],
    ["83.2", "86", "#d6d6d6", 'opacity="0.65" textLength="25.2"', "dim"],
  ]);
  expect(svg).not.toMatch(/[\x00-\x09\x0b-\x1f]|href|script/);
});

test("a line that is longer than the terminal is cut", () => {
  expect(terminalSvg("x".repeat(COLUMNS + 5), "t")).toContain(`>${"x".repeat(COLUMNS)}</text>`);
});
