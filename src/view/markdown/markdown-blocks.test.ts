import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import { readRecording, recordings } from "../../../test/support/recordings.ts";
import type { MarkdownBlock } from "./markdown-blocks.ts";
import { BLOCK_CHARACTERS_MAX, MARKDOWN_LINE_CHARACTERS_MAX, MarkdownBlocks } from "./markdown-blocks.ts";

function blocksOf(...pieces: readonly string[]): readonly MarkdownBlock[] {
  const reader = new MarkdownBlocks();
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
}

const EXAMPLE: readonly (readonly [string, string])[] = [
  ["heading", "# Title\n"],
  ["paragraph", "Some words\nthat go on.\n"],
  ["blank", "\n"],
  ["list", "- one\n\n  ```ts\n  code\n  ```\n- two\n  lazy\n\n"],
  ["quote", "> said\nlazily\n"],
  ["blank", "\n"],
  ["heading", "Under\n-----\n"],
  ["code", "```ts\n# no heading\n\n- no list\n```\n"],
  ["table", "| a | b |\n|---|---|\n| 1 | 2 |\n"],
  ["blank", "\n"],
  ["html", "<div>\n<b>x</b>\n"],
  ["blank", "\n"],
  ["rule", "***\n"],
  ["code", "    indented\n\n    code\n"],
  ["list", "1) first\n"],
  ["list", "1. another list\n"],
];

test("[TUI-01] a Markdown text is read as its blocks, and each is closed as soon as nothing can change it", () => {
  const reader = new MarkdownBlocks();
  const seen: MarkdownBlock[] = [];
  for (const character of EXAMPLE.map(([, source]) => source).join("")) seen.push(...reader.push(character));
  expect([...seen, ...reader.end()].map(({ kind, source }) => [kind, source])).toEqual(
    EXAMPLE.map(([kind, source]) => [kind, source]),
  );
  const open = new MarkdownBlocks();
  expect(open.push("# Title\nwords")).toEqual([{ kind: "heading", source: "# Title\n" }]);
  expect(open.push(" on\n")).toEqual([]);
  expect(open.isInCode).toBe(false);
  expect(open.push("```\ncode\n").map(({ source }) => source)).toEqual(["words on\n"]);
  expect(open.isInCode).toBe(true);
  open.push("```\n");
  expect(open.isInCode).toBe(false);
});

const BITS = [
  ..."ab|*_`\n\n\n".split(""),
  ...[
    "word ",
    "\n\n",
    "# ",
    "> ",
    ">",
    "- ",
    "* ",
    "1. ",
    "2) ",
    "  ",
    "   ",
    "    ",
    "\t",
    "```",
    "~~~",
    "````",
  ],
  ...[
    "---",
    "===",
    "***",
    "| a | b |",
    "|---|---|",
    "<div>",
    "</b>",
    "<!--",
    "-->",
    "<pre>",
    "[x](y)",
    "\r\n",
  ],
  ...["漢", "\u001b[2J", "\u0000", "\ud83d"],
];
const text = fc.array(fc.constantFrom(...BITS), { maxLength: 40 }).map((bits) => bits.join(""));

test("[TUI-01] blocks that are rendered one by one look like the whole text, whatever stands in it", async () => {
  const plain = text.map((each) => each.replaceAll(/[\r\0\u001b\ud83d]/gu, ""));
  const html = (source: string) => Bun.markdown.html(source, { tables: true });
  const lines = (rendered: string) => rendered.replaceAll(/\s*\n\s*/g, "\n").trim();
  const check = (source: string) => {
    const parts = blocksOf(source).map((block) => html(block.source));
    expect(lines(parts.join("\n"))).toBe(lines(html(source)));
  };
  // Neither is a table: the rule is indented like code, or has another number of columns than the head.
  for (const source of ["a|b\n    |---|---|\n*", "a|b\n-|---|---|\n*", "|\n|-|\n*"]) check(source);
  // An item that begins with a blank line and has a list or a quotation in it ends at no blank line behind that.
  for (const source of ["1. \n\t- \n\n   a", "- \n  > \n\n  a", "- \n  - \n\n  - a"]) check(source);
  // A list that does not end a paragraph begins behind a container that its line leaves.
  for (const source of ["* a\n2) \n</b>\n# ", "> a\n- \n\n- ", "> a\n2) b\n\nc", ">a\n*\nb"]) check(source);
  // The rule of a table is no lazy line.
  check("* | a | b |\n|---|---|\na");
  await holds(fc.property(plain, check), 3_000);
});

test("[TUI-01] wherever a text is cut into pieces, its blocks are the same, and a closed one stays as it is", async () => {
  const cut = fc.tuple(text, fc.array(fc.nat(80), { maxLength: 6 }));
  const property = fc.property(cut, ([source, places]) => {
    const whole = blocksOf(source);
    expect(whole.map((block) => block.source).join("")).toBe(source);
    const at = places.map((place) => Math.min(place, source.length)).toSorted((a, b) => a - b);
    const reader = new MarkdownBlocks();
    const seen: MarkdownBlock[] = [];
    for (const [index, place] of [...at, source.length].entries()) {
      seen.push(...reader.push(source.slice(at[index - 1] ?? 0, place)));
      expect(seen).toEqual(whole.slice(0, seen.length) as MarkdownBlock[]);
    }
    expect([...seen, ...reader.end()]).toEqual([...whole]);
  });
  await holds(property, 2_000);
});

test("[TUI-01 PERF-03] a long block is closed in parts at the same places wherever its text is cut, and little of it is open", async () => {
  const lines = [
    "- item\n",
    "  - nested\n",
    "  ```ts\n",
    "  code\n",
    "> quote\n",
    "> - in it\n",
    ">\n",
    "    x\n",
  ];
  const more = ["code\n", "```\n", "| a | b |\n", "|---|---|\n", "| 1 | 2 |\n", "\n", "10. ten\n", "> ```\n"];
  const run = fc.tuple(fc.constantFrom(...lines, ...more), fc.constantFrom(1, 1, 1, 60, 130));
  const long = fc
    .array(run, { maxLength: 8 })
    .map((runs) => runs.map(([line, count]) => line.repeat(count)).join(""));
  const property = fc.property(long, fc.integer({ min: 1, max: 500 }), (source, step) => {
    const whole = blocksOf(source);
    expect(whole.map((block) => block.source).join("")).toBe(source);
    expect(whole.at(-1)?.isPart).toBeUndefined();
    for (const [index, { kind, isPart }] of whole.entries()) {
      const next = whole[index + 1];
      expect(next?.continues !== undefined).toBe(isPart === true);
      if (isPart === true) expect(next?.kind).toBe(kind);
    }
    const reader = new MarkdownBlocks();
    const seen: MarkdownBlock[] = [];
    for (let at = 0; at < source.length; at += step) {
      seen.push(...reader.push(source.slice(at, at + step)));
      const closed = seen.map((block) => block.source).join("");
      expect(closed + reader.openBlocks.map((block) => block.source).join("")).toBe(
        source.slice(0, at + step),
      );
    }
    expect([...seen, ...reader.end()]).toEqual([...whole]);
  });
  await holds(property, 300);
  for (const [first, line] of [
    ["```\n", "code\n"],
    ["| a |\n|---|\n", "| 1 |\n"],
    ["", "- item\n"],
    ["- item\n  ```\n", "  code\n"],
    ["", "> word\n>\n"],
  ] as const) {
    const reader = new MarkdownBlocks();
    reader.push(first);
    for (let count = 0; count < 1_000; count += 1) {
      reader.push(line);
      expect(reader.open.length).toBeLessThan(1_000);
    }
  }
});

test("[TUI-01 PROV-01] what real models wrote is read without loss, piece by piece as it came", () => {
  let count = 0;
  for (const recording of recordings()) {
    const pieces = readRecording(recording, [recording.bytes]).events.flatMap((event) =>
      event.kind === "text" ? [event.text] : [],
    );
    if (pieces.length === 0) continue;
    count += 1;
    const whole = blocksOf(pieces.join(""));
    expect(blocksOf(...pieces)).toEqual(whole);
    expect(whole.map(({ source }) => source).join("")).toBe(pieces.join(""));
  }
  expect(count).toBeGreaterThan(30);
});

test("[TUI-01 PERF-03] a block or a line without an end is closed in parts, and hostile text takes no longer than other text", () => {
  const hostile = [
    "```\n",
    "- ",
    "> ",
    "  - a\n",
    "|",
    "<a ",
    "*",
    "\t",
    "a\n",
    "-",
    "1. ",
    "<!-- ",
    "|-",
    " ",
  ];
  for (const bit of hostile) {
    const reader = new MarkdownBlocks();
    const source = bit.repeat(200_000 / bit.length);
    const started = performance.now();
    let length = 0;
    for (let at = 0; at < source.length; at += 1_000) {
      for (const block of reader.push(source.slice(at, at + 1_000))) {
        expect(block.source.length).toBeLessThanOrEqual(BLOCK_CHARACTERS_MAX);
        length += block.source.length;
      }
      // What is open is one part and one line at the most.
      expect(at + 1_000 - length).toBeLessThanOrEqual(
        BLOCK_CHARACTERS_MAX + MARKDOWN_LINE_CHARACTERS_MAX + 1_000,
      );
    }
    for (const { source: rest } of reader.end()) length += rest.length;
    expect(length).toBe(source.length);
    expect(performance.now() - started).toBeLessThan(30_000);
  }
  const [first] = blocksOf("x".repeat(BLOCK_CHARACTERS_MAX + 1));
  expect([first?.isPart, first?.source.length]).toEqual([true, BLOCK_CHARACTERS_MAX]);
});
