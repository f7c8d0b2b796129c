import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../../test/support/property.ts";
import { applyHunks, hunksOf, NO_NEWLINE, unifiedHunks } from "./hunks.ts";
import { SEARCHED_EDITS_MAX } from "./line-edits.ts";

/** Lines that often repeat, with every kind of line end. */
const LINE = fc.constantFrom(
  "a\n",
  "b\n",
  "c\r\n",
  "}\n",
  "\n",
  "é ü\n",
  "+x\n",
  "\\ No newline at end of file\n",
);
const TEXT = fc
  .tuple(fc.array(LINE, { maxLength: 40 }), fc.constantFrom("", "end", "a", "x\r"))
  .map(([lines, end]) => lines.join("") + end);
const CONTEXT = fc.integer({ min: 0, max: 4 });

test("[CTL-19] all hunks of two texts make the new text, none of them leaves the old one", async () => {
  await holds(
    fc.property(TEXT, TEXT, CONTEXT, (before, after, context) => {
      const hunks = hunksOf(before, after, context);
      const all = hunks.map(({ id }) => id);
      expect(applyHunks(before, hunks, all)).toEqual({ kind: "applied", text: after });
      expect(applyHunks(before, hunks, [])).toEqual({ kind: "applied", text: before });
      expect(new Set(all).size).toBe(all.length);
      expect(hunks.length === 0).toBe(before === after);
    }),
    500,
  );
});

test("[CTL-19] accepted hunks and then the others make the same text as all at once", async () => {
  await holds(
    fc.property(TEXT, TEXT, CONTEXT, fc.infiniteStream(fc.boolean()), (before, after, context, picks) => {
      const hunks = hunksOf(before, after, context);
      const accepted = hunks.filter(() => picks.next().value).map(({ id }) => id);
      const some = applyHunks(before, hunks, accepted);
      if (some.kind === "refused") throw new Error(some.why);
      const rest = hunksOf(some.text, after, context);
      const done = applyHunks(
        some.text,
        rest,
        rest.map(({ id }) => id),
      );
      expect(done).toEqual({ kind: "applied", text: after });
      expect(hunksOf(before, after, context)).toEqual(hunks);
    }),
    300,
  );
});

test("[CTL-19] a hunk counts its lines, and its parts lie in their texts where it says", async () => {
  await holds(
    fc.property(TEXT, TEXT, CONTEXT, (before, after, context) => {
      for (const hunk of hunksOf(before, after, context)) {
        const of = (marks: string) =>
          hunk.lines.filter((line) => line !== NO_NEWLINE && marks.includes(line[0] ?? ""));
        expect(of(" -")).toHaveLength(hunk.old_lines);
        expect(of(" +")).toHaveLength(hunk.new_lines);
        const olds = before.split("\n").slice(hunk.old_start - 1);
        if (hunk.old_lines > 0) expect(of(" -")[0]?.slice(1)).toBe(olds[0] ?? "");
      }
    }),
    300,
  );
});

test("[CTL-19] a small change of a text is a small hunk", () => {
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index}\n`);
  const after = lines.with(49, "other\n").toSpliced(80, 1).join("");
  expect(unifiedHunks(hunksOf(lines.join(""), after, 1))).toBe(
    ["@@ -49,3 +49,3 @@", " line 48", "-line 49", "+other", " line 50"]
      .concat(["@@ -80,3 +80,2 @@", " line 79", "-line 80", " line 81"])
      .join("\n"),
  );
  expect(unifiedHunks(hunksOf("", "a", 3))).toBe(`@@ -0,0 +1,1 @@\n+a\n${NO_NEWLINE}`);
  expect(unifiedHunks(hunksOf("a\nb\n", "b\n", 0))).toBe("@@ -1,1 +0,0 @@\n-a");
});

test("[CTL-19] an entry that comes behind another is shown with its own end, not with that of the other", () => {
  const lines = (...texts: string[]) => texts.map((text) => `${text}\n`).join("");
  const before = lines("Says it.", "{", " a: {", "  type", " }", "}");
  const after = lines("Says it again.", "{", " a: {", "  type", " },", " b: {", "  type", " }", "}");
  const shown = (one: string, other: string) => hunksOf(one, other, 0).at(-1)?.lines;
  expect(shown(before, after)).toEqual(["+ },", "+ b: {", "+  type"]);
  expect(shown(after, before)).toEqual(["- },", "- b: {", "-  type"]);
});

test("[CTL-19] an unknown hunk, and a hunk of another text, are refused", () => {
  const hunks = hunksOf("a\nb\n", "a\nc\n", 1);
  const id = hunks[0]?.id ?? "";
  expect(applyHunks("a\nb\n", hunks, ["h9-0"])).toEqual({ kind: "refused", why: "unknown id", id: "h9-0" });
  expect(applyHunks("a\nx\n", hunks, [id])).toEqual({ kind: "refused", why: "other text", id });
  expect(hunksOf("a\nb\n", "a\nc\n", 1)[0]?.id).toBe(id);
});

test("[CTL-19] texts that share no order are compared in bounded time, and exactly", () => {
  const size = 20_000;
  const before = Array.from({ length: size }, (_, index) => `${index % 7}\n`).join("");
  const after = Array.from({ length: size }, (_, index) => `${(index * index) % 11}\n`).join("");
  expect(size).toBeGreaterThan(SEARCHED_EDITS_MAX);
  const hunks = hunksOf(before, after, 3);
  expect(
    applyHunks(
      before,
      hunks,
      hunks.map(({ id }) => id),
    ),
  ).toEqual({ kind: "applied", text: after });
});
