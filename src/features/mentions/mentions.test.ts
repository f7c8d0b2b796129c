import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { costMs } from "../../../test/support/cost.ts";
import { holds } from "../../../test/support/property.ts";
import { mentionAt } from "../../view/slash/mention-at-cursor.ts";
import { findMentions, MENTIONS_MAX, writeMention } from "./mentions.ts";

const paths = (text: string) => findMentions(text).map(({ path }) => path);

test("[CTX-03] paths are named with an at sign, in quotes where they have blanks, each once", () => {
  expect(paths("Look at @src/a.ts and @docs/, then (@./b.ts) and @src/a.ts.")).toEqual([
    "src/a.ts",
    "docs/",
    "./b.ts",
  ]);
  expect(findMentions('Compare @"my notes.txt" with @../x.')).toEqual([
    { path: "my notes.txt", written: '@"my notes.txt"' },
    { path: "../x", written: "@../x" },
  ]);
  expect(paths("@a.ts: what is it? @b.ts, @c.ts; @d.ts?!")).toEqual(["a.ts", "b.ts", "c.ts", "d.ts"]);
});

test("[CTX-03] addresses and the like name no path", () => {
  expect(paths("mail a@b.example, x.@y, foo@bar, @, @@twice, path/@scope")).toEqual([]);
  expect(paths(Array.from({ length: 99 }, (_, at) => `@f${at}`).join(" "))).toHaveLength(MENTIONS_MAX);
});

test("[CTX-03 REL-06] a word without end, and many that end in dots, are read in time that grows with them", async () => {
  expect(await costMs(() => findMentions(`@a${".!".repeat(40_000)}x`), 200)).toBeLessThan(200);
  expect(await costMs(() => findMentions(` @a${".!".repeat(500)}x`.repeat(300)), 200)).toBeLessThan(200);
  expect(paths(`@${"a".repeat(3_000)}`)).toEqual([]);
});

test("[CTX-03 REL-06] any text is read, and what is found stands in it", async () => {
  const piece = fc.oneof(fc.constantFrom("@", '"', ".", "/", " ", "a"), fc.string());
  await holds(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join("");
      for (const { path, written } of findMentions(text)) {
        expect(path).not.toBe("");
        expect(text).toContain(written);
      }
    }),
  );
});

test("[CTX-03 CTL-19] a colon and lines behind a path name a part of the file", () => {
  expect(findMentions('@a.ts:10-20, @a.ts:7 and @"b c":1-2.')).toEqual([
    { path: "a.ts", written: "@a.ts:10-20", lines: { first: 10, last: 20 } },
    { path: "a.ts", written: "@a.ts:7", lines: { first: 7, last: 7 } },
    { path: "b c", written: '@"b c":1-2', lines: { first: 1, last: 2 } },
  ]);
  expect(findMentions("@a.ts:20-10 @b.ts:0 @c.ts:x").map(({ path, lines }) => [path, lines])).toEqual([
    ["a.ts", undefined],
    ["b.ts", undefined],
    ["c.ts", undefined],
  ]);
});

test("[CTL-19] a path that is written as a mention is found again", async () => {
  const path = fc.string({
    unit: fc.constantFrom("a", "/", ".", " ", "!", ",", ":", "@", "-"),
    minLength: 1,
  });
  await holds(
    fc.property(path, (named) => {
      const written = writeMention(named) ?? "";
      expect(findMentions(`see ${written} now`).map((mention) => mention.path)).toEqual([named]);
    }),
  );
  expect(writeMention('a"b')).toBeUndefined();
});

test("[CTL-19] the mention at a cursor is a range of the text with the cursor in it, whatever the text", async () => {
  const piece = fc.oneof(fc.constantFrom("@", '"', ".", "/", " ", "a", ":"), fc.string());
  await holds(
    fc.property(fc.array(piece), fc.nat(40), (pieces, at) => {
      const text = pieces.join("");
      const cursor = Math.min(at, text.length);
      const found = mentionAt(text, cursor);
      if (found === undefined) return;
      expect(text[found.from]).toBe("@");
      expect(found.from).toBeLessThan(cursor);
      expect(found.to).toBeGreaterThanOrEqual(cursor);
      expect(text.slice(found.from, cursor)).toEndWith(found.path);
    }),
  );
  expect(mentionAt(`@${"a".repeat(2_000)}`, 2_001)).toBeUndefined();
});

test("[CTL-19 REL-06] the mention at a cursor is found in time that the text before it does not set", async () => {
  const text = `${"@a!".repeat(20_000)},`;
  expect(await costMs(() => mentionAt(text, text.length), 200)).toBeLessThan(200);
});
