import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { costMs } from "../../../test/support/cost.ts";
import { holds } from "../../../test/support/property.ts";
import { findMentions, MENTIONS_MAX } from "./mentions.ts";

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
