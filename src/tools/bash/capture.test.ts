import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { temporaryDirectory } from "../../../test/support/world.ts";
import { decode, encode } from "../../base/text/text.ts";
import { hostFiles } from "../../platform/files/files.ts";
import { MEMORY_BYTES_MAX, OUTPUT_HEAD_BYTES_MAX, OUTPUT_TAIL_BYTES_MAX, OutputCapture } from "./capture.ts";

const SHOWN_BYTES_MAX = OUTPUT_HEAD_BYTES_MAX + OUTPUT_TAIL_BYTES_MAX;

/** The parts of a text between byte positions, in order. */
function partsAt(text: string, cuts: readonly number[]): readonly Uint8Array[] {
  const bytes = encode(text);
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
}

const cuts = fc.array(fc.nat(), { maxLength: 6 });
const line = fc.string({ unit: fc.constantFrom("a", "é", "€", "😀"), minLength: 1, maxLength: 60 });

test("[TOOL-02] a short output is shown as it came, however it was cut into parts", async () => {
  await using place = temporaryDirectory();
  let number = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 50 }),
      fc.nat({ max: 5 }),
      cuts,
      async (lines, times, at) => {
        const text = `${lines.join("\n")}\n`.repeat(times);
        fc.pre(encode(text).length <= SHOWN_BYTES_MAX);
        const capture = new OutputCapture(hostFiles, join(place.path, `${number++}`));
        for (const part of partsAt(text, at)) await capture.write(part);
        expect(await capture.text()).toBe(text);
        expect(await hostFiles.stat(capture.path)).toBeUndefined();
      },
    ),
  );
});

test("[TOOL-02] a long output is shown the same however it was cut into parts, and is whole in its file", async () => {
  await using place = temporaryDirectory();
  let number = 0;
  await fc.assert(
    fc.asyncProperty(line, fc.constantFrom("\n", ""), cuts, async (each, ending, at) => {
      const text = `${each}${ending}`.repeat(Math.ceil((SHOWN_BYTES_MAX + 1) / encode(each).length));
      const path = join(place.path, `${number++}`);
      const capture = new OutputCapture(hostFiles, path);
      for (const part of partsAt(text, at)) await capture.write(part);
      const shown = await capture.text();
      expect(readFileSync(path, "utf8")).toBe(text);
      const [head = "", tail = ""] = shown.split(/\n\[… [\d,]+ of [\d,]+ bytes are left out here\. .* …\]\n/);
      expect(text).toStartWith(head);
      expect(text).toEndWith(tail);
      expect(encode(head + tail).length).toBeGreaterThan(SHOWN_BYTES_MAX - 2_100);
      expect(shown).not.toContain("\uFFFD");
    }),
    { numRuns: 40 },
  );
});

test("[TOOL-02] polls together return everything that was written, each part once", async () => {
  await using place = temporaryDirectory();
  let number = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 30 }), cuts, async (lines, at) => {
      const capture = new OutputCapture(hostFiles, join(place.path, `${number++}`));
      let polled = "";
      let next = 0;
      const poll = async () => {
        const part = await capture.since(next);
        polled += part.text;
        next = part.next;
      };
      const text = lines.map((each) => `${each}\n`).join("");
      for (const part of partsAt(text, at)) {
        await capture.write(part);
        await poll();
      }
      expect(polled).toBe(text);
    }),
    { numRuns: 40 },
  );
});

test("[TOOL-02 R21] nothing is written before there is more than memory may hold", async () => {
  await using place = temporaryDirectory();
  const capture = new OutputCapture(hostFiles, join(place.path, "file"));
  await capture.write(new Uint8Array(MEMORY_BYTES_MAX).fill(120));
  expect(await hostFiles.stat(capture.path)).toBeUndefined();
  await capture.write(encode("y"));
  expect((await hostFiles.stat(capture.path))?.size).toBe(MEMORY_BYTES_MAX + 1);
  expect(decode(await hostFiles.readRange(capture.path, MEMORY_BYTES_MAX, 2))).toBe("y");
});

const SECRET = `ghp_${"5iydacpid9zwx3c536l4"}${"bkcu9cu95xqoq0ks"}`;
const KEY_LINES = Array<string>(40).fill("MIIEpAIBAAKCAQEA7bq98765abcdefGHIJKLmnop").join("\n");
const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${KEY_LINES}\n-----END RSA PRIVATE KEY-----\n`;

test("[SES-05 TOOL-02] a secret is out before anything is kept, cut or shown, wherever it stands", async () => {
  await using place = temporaryDirectory();
  for (const before of [100, OUTPUT_HEAD_BYTES_MAX - 10, 20_000, 60_000 - 800]) {
    const text = `${`${"a".repeat(9)}\n`.repeat(before / 10)}${SECRET}\n${PEM}${`${"b".repeat(9)}\n`.repeat(4_000)}`;
    const path = join(place.path, `${before}`);
    const capture = new OutputCapture(hostFiles, path);
    const shown: string[] = [];
    for (const part of partsAt(text, [before + 7, before + 90, before + 900]))
      shown.push(decode(await capture.write(part)));
    const result = await capture.text();
    for (const told of [result, shown.join(""), readFileSync(path, "utf8")]) {
      expect(told).not.toContain(SECRET.slice(4, 30));
      expect(told).not.toContain("MIIEpAIBAAKCAQEA");
    }
    expect(readFileSync(path, "utf8")).toContain("«redacted:github-token»\n«redacted:private-key»\n");
  }
});
