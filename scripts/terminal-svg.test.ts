import { expect, test } from "bun:test";
import { COLUMNS, terminalSvg, textOfSvg } from "./terminal-svg.ts";

test("a screen becomes a picture: text in its cells, colours, nothing that could be markup or a control", () => {
  const svg = terminalSvg(
    '\x1b[1mbold\x1b[0m  <a & "b">\n\n\x1b[32m  green\x1b[39m \x1b[2mdim\x1b[0m\x07\x1b[2K\n\n',
    { title: "$ run" },
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
  expect(terminalSvg("x".repeat(COLUMNS + 5), { title: "t" })).toContain(`>${"x".repeat(COLUMNS)}</text>`);
});

test("backgrounds, reverse video and colours of 8 and 24 bits are drawn, and neighbours of one background are one", () => {
  const svg = terminalSvg(
    "\x1b[48;2;0;0;255m\x1b[38;5;231mab\x1b[1mcd\x1b[0m\x1b[7mr\x1b[27m\x1b[4;9mu\x1b[0m\x1b[41m \x1b[m",
    { title: "t", rows: 3, background: "#101010", foreground: "#efefef", cursor: { row: 1, column: 2 } },
  );
  expect(svg).toContain('viewBox="0 0 738 120"');
  const rects = [
    ...svg.matchAll(/<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="18" fill="(\S+)"/g),
  ];
  expect(rects.map(([, x, y, width, fill]) => [x, y, width, fill])).toEqual([
    ["16.0", "36.5", "33.6", "#0000ff"],
    ["49.6", "36.5", "8.4", "#efefef"],
    ["66.4", "36.5", "8.4", "#e06c75"],
    ["32.8", "54.5", "8.4", "#efefef"],
  ]);
  expect(svg).toContain('fill="#ffffff" textLength="16.8">ab</text>');
  expect(svg).toContain('fill="#101010" textLength="8.4">r</text>');
  expect(svg).toContain('text-decoration="underline line-through"');
});

test("the text of a picture is read back in its cells, wide characters too, and links leave nothing", () => {
  const screen =
    "a  \x1b[31m日本 <b>\x1b[0m  c\n\n\x1b]8;;https://x.example\x1b\\  link\x1b]8;;\x1b\\ end\n\n";
  expect(textOfSvg(terminalSvg(screen, { title: "t" }))).toBe("a  日本 <b>  c\n\n  link end");
});
