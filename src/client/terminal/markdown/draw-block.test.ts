import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../../test/support/property.ts";
import type { MarkdownBlock } from "../../../view/markdown/markdown-blocks.ts";
import { MarkdownBlocks } from "../../../view/markdown/markdown-blocks.ts";
import { displayWidth } from "../../../view/terminal/display-width.ts";
import type { DrawnRow, Span } from "../drawing/span.ts";
import { textOfRow } from "../drawing/span.ts";
import { drawBlock } from "./draw-block.ts";

function blocksOf(source: string): readonly MarkdownBlock[] {
  const reader = new MarkdownBlocks();
  return [...reader.push(source), ...reader.end()];
}

function rowsOf(source: string, columns = 60): readonly DrawnRow[] {
  return blocksOf(source).flatMap((block) => drawBlock(block, columns));
}

function textsOf(source: string, columns = 60): readonly string[] {
  return rowsOf(source, columns).map((row) => textOfRow(row).trimEnd());
}

function spansOf(source: string): readonly Span[] {
  return rowsOf(source).flatMap(({ spans }) => spans);
}

test("[TUI-01] every kind of block is drawn, and a list keeps its numbers", () => {
  const source = [
    "# Title *here*\n\nWords\nthat go on  \nhard\n\n",
    "- one\n- two\n  1. nested\n3. third\n7. seventh\n\n   more of it\n- [ ] open\n- [x] done\n\n",
    "> said\nlazily\n> - item\n\n***\n",
    "<div>\n<b>x</b>\n</div>\n\n",
    "    indented\n\n[a]: http://b.c\n",
  ].join("");
  expect(textsOf(source, 20)).toEqual([
    ...["Title here", "", "Words that go on", "hard", ""],
    ...[
      "• one",
      "• two",
      "  1. nested",
      "3. third",
      "7. seventh",
      "",
      "   more of it",
      "☐ open",
      "☑ done",
      "",
    ],
    ...["│ said lazily", "│ • item", "", "─".repeat(20)],
    ...["<div>", "<b>x</b>", "</div>", ""],
    ...["  indented", "", "[a]: http://b.c"],
  ]);
});

test("[TUI-01] text in a line is bold, italic, struck, code or a link, and `$` stays as it is", () => {
  const styles = spansOf("a **b *c*** ~~d~~ `e` [f](https://g.h) ![i](j.png) $k_1$ \\*l\\* &amp;").map(
    ({ text, style }) => [text, style],
  );
  expect(styles).toEqual([
    ["a ", {}],
    ["b ", { isBold: true }],
    ["c", { isBold: true, isItalic: true }],
    [" ", {}],
    ["d", { isStruck: true }],
    [" ", {}],
    ["e", { role: "code" }],
    [" ", {}],
    ["f", { role: "link", link: "https://g.h" }],
    [" (https://g.h)", { role: "dim" }],
    [" ", {}],
    ["[image: i] (j.png)", { role: "dim" }],
    [" $k_1$ *l* &", {}],
  ]);
  const links = spansOf("https://a.b www.c.d e@f.gh [x](#y) [z](./w) <https://a.b/>").flatMap(
    ({ text, style }) => (style.role === "link" ? [[text, style.link]] : []),
  );
  expect(links).toEqual([
    ["https://a.b", "https://a.b"],
    ["www.c.d", "https://www.c.d"],
    ["e@f.gh", "mailto:e@f.gh"],
    ["x", undefined],
    ["z", undefined],
    ["https://a.b/", "https://a.b/"],
  ]);
});

test("[TUI-01] a table has columns as wide as its contents, wrapped cells, or is a list where it is narrow", () => {
  const source =
    "| left | mid | right |\n|:--|:-:|--:|\n| 日本語 | b | 1 |\n| a long cell of words | x<br>y | **22** |\n";
  expect(textsOf(source)).toEqual([
    "left                 │ mid │ right",
    "─────────────────────┼─────┼──────",
    "日本語               │  b  │     1",
    "a long cell of words │  x  │    22",
    "                     │  y  │",
  ]);
  expect(textsOf(source, 30).slice(-3)).toEqual([
    "日本語           │  b  │     1",
    "a long cell of   │  x  │    22",
    "words            │  y  │",
  ]);
  expect(textsOf(source, 12)).toEqual([
    ...["left: 日本語", "mid: b", "right: 1", ""],
    ...["left: a long", "  cell of", "  words", "mid: x y", "right: 22"],
  ]);
});

test("[TUI-01] a block of code has its language, its tokens, and a margin that is not copied", () => {
  const rows = rowsOf("```ts x\n\tconst a = 1; // b\n\nlast\n```\n", 20);
  expect(rows.map((row) => [textOfRow(row), row.margin, row.joint])).toEqual([
    ["  ts", 20, undefined],
    ["      const a = 1; /", 2, undefined],
    ["  / b", 2, ""],
    ["  ", 2, undefined],
    ["  last", 2, undefined],
  ]);
  expect(rows.flatMap(({ spans }) => spans.map(({ style }) => style.role))).toContain("keyword");
  // What is still open is drawn too, and a part of a long block as the rest of it.
  expect(textsOf("```\na\n~~~")).toEqual(["  a", "  ~~~"]);
  expect(textsOf(`~~~py\n${"a\n".repeat(250)}~~~\nb`)).toEqual(["  py", ...Array(250).fill("  a"), "b"]);
  const [, second] = blocksOf(`\`\`\`py\n${"# a\n".repeat(150)}\`\`\`\n`);
  const drawn = drawBlock(second as MarkdownBlock, 20);
  expect([drawn.length, drawn[0]?.spans.at(-1)?.style.role]).toEqual([51, "comment"]);
});

test("[TUI-01 PERF-03] a long list and a long table are drawn in parts that look like one", () => {
  const list = Array.from({ length: 200 }, (_, index) => `${index + 5}. item`);
  expect(blocksOf(`${list.join("\n")}\n`).length).toBe(4);
  expect(textsOf(list.join("\n"))).toEqual(list);
  const cells = Array.from({ length: 200 }, (_, index) => `| ${index} | ${"x".repeat(index % 7)} |\n`).join(
    "",
  );
  const rows = textsOf(`| number | text |\n|--:|---|\n${cells}`);
  expect(rows.length).toBe(202);
  expect(new Set(rows.slice(2).map((text) => text.indexOf("│")))).toEqual(new Set([7]));
  const longest = Math.max(
    ...blocksOf(`| number | text |\n|--:|---|\n${cells}`).map(({ source }) => source.length),
  );
  expect(longest).toBeLessThan(1_000);
});

test("[TUI-01 PERF-03] long code inside lists and quotations is drawn in parts that look like one", () => {
  const code = Array.from({ length: 250 }, (_, index) => `x${index}`);
  const around: readonly (readonly [first: string, rest: string])[] = [
    ["- ", "  "],
    ["   10.  ", "        "],
    ["> ", "> "],
    ["> 1. - ", ">      "],
    ["- > ", "  > "],
  ];
  for (const fence of ["```ts", "~~~~"])
    for (const [first, rest] of around) {
      const lines = [fence, ...code, fence.slice(0, fence === "~~~~" ? 4 : 3), "behind"];
      const source = `${first}before\n${lines.map((line) => `${rest}${line}\n`).join("")}`;
      const blocks = blocksOf(source);
      expect(blocks.map((block) => block.source).join("")).toBe(source);
      expect(blocks.length).toBeGreaterThanOrEqual(3);
      const rows = blocks.flatMap((block) => drawBlock(block, 40));
      const [before, ...others] = rows.map(textOfRow);
      expect(before).toContain("before");
      const indent = (others.at(-1) ?? "").slice(0, -"behind".length);
      const label = fence === "~~~~" ? [] : [`${indent}  ts`];
      expect(others).toEqual([...label, ...code.map((line) => `${indent}  ${line}`), `${indent}behind`]);
      expect(rows.slice(2, -1).every(({ margin }) => margin === indent.length + 2)).toBe(true);
    }
  const items = `- a\n${"  ```\n  b\n  ```\n".repeat(40)}- c\n`.repeat(3);
  expect(textsOf(items).filter((each) => each !== "    b")).toEqual([
    "• a",
    "• c",
    "• a",
    "• c",
    "• a",
    "• c",
  ]);
  const quote = "> word\n>\n".repeat(100);
  expect(blocksOf(quote).length).toBe(4);
  expect(textsOf(quote)).toEqual(Array(100).fill(["│ word", "│"]).flat());
});

const BITS = [
  ..."ab|*_`[]()<>~\n\n\n\\&$".split(""),
  ...["word ", "\n\n", "# ", "> ", "- ", "* ", "1. ", "27) ", "  ", "    ", "\t", "```", "~~~", "- [x] "],
  ...[
    "---",
    "===",
    "***",
    "| a | b |\n",
    "|---|:-:|\n",
    "<div>",
    "</b>",
    "<!--",
    "<br>",
    "[x](https://y.z)",
    "\r\n",
  ],
  ...[
    "漢字",
    "日",
    "👩‍👩‍👧",
    "🇩🇪",
    "e\u0301",
    "\u0301\u0301",
    "שלום",
    "مرحبا",
    "\u200d",
    "\ufe0f",
    "x".repeat(40),
  ],
  ...[
    "\u001b[2J",
    "\u001b]52;c;eA==\u0007",
    "\u0000",
    "\ud83d",
    "\u009b",
    "\u202e",
    "&#27;",
    "```ts\n",
    '"',
    "'",
    "//",
  ],
];
const text = fc.array(fc.constantFrom(...BITS), { maxLength: 40 }).map((bits) => bits.join(""));

test("[TUI-01 TUI-07 TUI-11] no row is wider than the screen or has a control character, whatever the text is", async () => {
  const property = fc.property(text, fc.integer({ min: 10, max: 200 }), (source, columns) => {
    for (const row of rowsOf(source, columns)) {
      expect(displayWidth(textOfRow(row))).toBeLessThanOrEqual(columns);
      expect(row.margin ?? 0).toBeLessThanOrEqual(columns);
      expect(textOfRow(row)).not.toMatch(/[\0-\x1f\x7f-\x9f\u202e\p{Surrogate}]/u);
    }
  });
  await holds(property, 3_000);
});

test("[TUI-01 complaint 2] what is drawn of a closed block never changes while more text comes", async () => {
  const cut = fc.tuple(text, fc.nat(100));
  const property = fc.property(cut, ([source, at]) => {
    const reader = new MarkdownBlocks();
    const before = reader.push(source.slice(0, at)).map((block) => drawBlock(block, 40));
    const after = blocksOf(source).map((block) => drawBlock(block, 40));
    expect(after.slice(0, before.length)).toEqual([...before]);
    for (const block of reader.openBlocks) drawBlock(block, 40);
  });
  await holds(property, 1_500);
});

test("[TUI-01 PERF-03] hostile text is drawn in a time that follows its length", () => {
  const nested = `${"*a **b ".repeat(2_000)}${"b** a* ".repeat(2_000)}`;
  const bits = [
    "> ",
    "- ",
    "1. ",
    "*",
    "**a ",
    "[",
    "[a](",
    "`",
    "<",
    "|",
    "```\n",
    "\u001b[",
    "&",
    "漢",
    "e\u0301",
    "'",
    '"',
  ];
  const sources = [
    nested,
    ...bits.flatMap((bit) => [bit.repeat(200_000 / bit.length), `\`\`\`ts\n${bit.repeat(60_000)}`]),
  ];
  for (const language of ["ts", "yaml", "css", "html", "py", "rust", "json", "ruby", "sh", "toml"])
    for (const bit of ["-", "a", "a:", '"', "'", "/*", " ", "=", "\\", "${", "1e", "<a ", "\t"])
      sources.push(`\`\`\`${language}\n${bit.repeat(30_000)}`);
  for (const source of sources) {
    const before = process.cpuUsage(); // other work of the machine does not count
    rowsOf(source, 100);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000, source.slice(0, 20)).toBeLessThan(3_000);
  }
});
