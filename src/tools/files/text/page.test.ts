import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../../test/support/property.ts";
import { encode } from "../../../base/text/text.ts";
import type { OpenFile } from "../../../base/world.ts";
import { readPage } from "./page.ts";

/** A file that reports another size than it has, so that it is read in several pieces. */
function fileOf(text: string): OpenFile {
  const bytes = encode(text);
  return {
    info: { kind: "file", size: 0, modifiedMs: 0, mode: 0o644, identity: "1:1" },
    read: async (offset, length) => bytes.subarray(offset, offset + length),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

test("[TOOL-01 TOOL-12] a page has the lines of its place, the number of the next one, and that of all", async () => {
  const line = fc.constantFrom("", "short", "x".repeat(900), "with a return\r", "no end");
  const texts = fc.tuple(fc.array(line, { maxLength: 30 }), fc.constantFrom("", "\n", "\r\n"));
  await holds(
    fc.asyncProperty(
      texts,
      fc.integer({ min: 1, max: 32 }),
      fc.integer({ min: 1, max: 9 }),
      async (...given) => {
        const [[parts, ending], offset, limit] = given;
        const text = parts.join("\n") + ending;
        const { signal } = new AbortController();
        const page = await readPage(fileOf(text), { offset, limit, encoding: "utf-8", signal });
        const all = text.replaceAll("\r\n", "\n").replace(/\n$/, "").split("\n");
        const lines = text === "" ? [] : all;
        const next = offset + limit;
        expect(page.lines).toEqual(lines.slice(offset - 1, next - 1));
        expect([page.total, page.next]).toEqual([lines.length, next <= lines.length ? next : undefined]);
      },
    ),
    300,
  );
});
