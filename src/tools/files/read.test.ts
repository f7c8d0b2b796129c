import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { hasGrownLessThan } from "../../../test/support/resident.ts";
import type { ToolRig } from "../../../test/support/tool-rig.ts";
import { openToolRig } from "../../../test/support/tool-rig.ts";
import { readTool } from "./read.ts";

function put(rig: ToolRig, name: string, content: string | Uint8Array): string {
  const path = join(rig.root, name);
  writeFileSync(path, content);
  return path;
}

test("[TOOL-01] a file is shown as numbered lines, and long ones in pages", async () => {
  await using rig = openToolRig();
  put(rig, "five.txt", "one\ntwo\nthree\nfour\nfive\n");
  expect(await rig.text(readTool, { file_path: "five.txt" })).toBe(
    "1\tone\n2\ttwo\n3\tthree\n4\tfour\n5\tfive",
  );
  expect(await rig.text(readTool, { file_path: "five.txt", offset: 2, limit: 2 })).toBe(
    "2\ttwo\n3\tthree\n[lines 2-3 of 5; go on with offset 4]",
  );
  expect(await rig.text(readTool, { file_path: "five.txt", offset: 9 })).toBe(
    "error: five.txt has 5 lines: there is no line 9",
  );
});

test("[TOOL-01] without a limit 2000 lines are shown, and never more than a result block holds", async () => {
  await using rig = openToolRig();
  put(rig, "many.txt", Array.from({ length: 3_000 }, (_, i) => `line ${i + 1}\n`).join(""));
  const page = await rig.text(readTool, { file_path: "many.txt" });
  expect(page.split("\n").at(-1)).toBe("[lines 1-2000 of 3000; go on with offset 2001]");
  put(rig, "wide.txt", `${"é".repeat(1_000)}\n`.repeat(100));
  const wide = await rig.text(readTool, { file_path: "wide.txt" });
  expect(wide.split("\n").at(-1)).toBe("[lines 1-29 of 100; go on with offset 30]");
  expect(new TextEncoder().encode(wide).length).toBeLessThan(65_536);
});

test("[TOOL-01 R05] a long line is cut between characters and its length is reported", async () => {
  await using rig = openToolRig();
  put(rig, "long.txt", `${"x".repeat(1_999)}😀${"y".repeat(500)}\nshort\n`);
  const text = await rig.text(readTool, { file_path: "long.txt" });
  expect(text).toBe(`1\t${"x".repeat(1_999)}… [cut: the line has 2501 characters]\n2\tshort`);
  expect(text.isWellFormed()).toBe(true);
});

test("[TOOL-01] the pages of any file put together give its lines", async () => {
  await using rig = openToolRig();
  const line = fc.string({ unit: fc.constantFrom("a", "é", "😀", "\t", " ", "\u2028"), maxLength: 30 });
  const property = fc.asyncProperty(
    fc.array(line, { minLength: 1, maxLength: 60 }),
    fc.constantFrom("\n", "\r\n"),
    fc.boolean(),
    fc.integer({ min: 1, max: 9 }),
    async (lines, eol, ended, limit) => {
      const content = lines.join(eol) + (ended ? eol : "");
      fc.pre(content !== "" && (ended || lines.at(-1) !== ""));
      put(rig, "paged.txt", content);
      const shown: string[] = [];
      for (let offset = 1; offset <= lines.length; offset += limit) {
        const page = await rig.text(readTool, { file_path: "paged.txt", offset, limit });
        shown.push(...page.split("\n").filter((row) => /^\d+\t/.test(row)));
      }
      expect(shown).toEqual(lines.map((row, i) => `${i + 1}\t${row}`));
    },
  );
  await fc.assert(property, { numRuns: 60 });
});

test("[TOOL-01] what is in the file decides how it is shown, not its name", async () => {
  await using rig = openToolRig();
  put(rig, "empty.txt", "");
  put(rig, "data.txt", Uint8Array.from([1, 0, 2, 0, 3]));
  put(rig, "paper.txt", "%PDF-1.7 rest");
  put(rig, "bom.txt", "\uFEFFhello\n");
  put(rig, "utf16.txt", Uint8Array.from([0xff, 0xfe, 0x68, 0, 0x69, 0, 0x0a, 0, 0x3d, 0xd8, 0x00, 0xde]));
  put(rig, "latin1.txt", Buffer.from("Stra\xdfe und mehr Text\n", "latin1"));
  put(
    rig,
    "noise.txt",
    Uint8Array.from({ length: 100 }, (_, i) => 128 + (i % 100)),
  );
  const shown: Record<string, string> = {};
  for (const name of ["empty", "data", "paper", "bom", "utf16", "latin1", "noise"]) {
    shown[name] = await rig.text(readTool, { file_path: `${name}.txt` });
  }
  expect(shown).toEqual({
    empty: "empty.txt is empty.",
    data: "error: data.txt is binary data, 5 bytes: Read shows text and images only",
    paper: "error: paper.txt is a PDF document, 13 bytes: Read shows text and images only",
    bom: "1\thello",
    utf16: "1\thi\n2\t😀",
    latin1: "1\tStra�e und mehr Text\n[� stands for bytes that are no valid text]",
    noise: "error: noise.txt is binary data, 100 bytes: Read shows text and images only",
  });
});

test("[TOOL-12] an image comes as an image, whatever it is called, and a huge one is refused", async () => {
  await using rig = openToolRig();
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
    "base64",
  );
  put(rig, "pixel.txt", png);
  expect(await rig.run(readTool, { file_path: "pixel.txt" })).toEqual({
    content: [
      { type: "image", source: { type: "base64", media_type: "image/png", data: png.toString("base64") } },
    ],
  });
  truncateSync(put(rig, "huge.png", png), 6 * 1024 * 1024);
  expect(await rig.text(readTool, { file_path: "huge.png" })).toBe(
    "error: huge.png is an image of 6.0 MB; up to 5 MB can be shown",
  );
});

test("[TOOL-01] a missing file is reported with the nearest names", async () => {
  await using rig = openToolRig();
  put(rig, "readme.md", "x");
  mkdirSync(join(rig.root, "src"));
  expect(await rig.text(readTool, { file_path: "README.md" })).toBe(
    "error: There is no file README.md. In the same folder: readme.md.",
  );
  expect(await rig.text(readTool, { file_path: "no/such.ts" })).toBe(
    "error: There is no file no/such.ts. Its folder does not exist either.",
  );
  expect(await rig.text(readTool, { file_path: "src" })).toBe("error: src is a directory: use Ls");
});

test("[TOOL-01 R22] pipes, devices, endless and huge files are answered at once, without being loaded", async () => {
  await using rig = openToolRig();
  Bun.spawnSync(["mkfifo", join(rig.root, "pipe")]);
  truncateSync(put(rig, "sparse.img", ""), 2 ** 40);
  truncateSync(put(rig, "headed.log", "first line\nsecond"), 2 ** 40);
  truncateSync(put(rig, "holes.txt", "text\n".repeat(4_000)), 2 ** 31);
  const before = process.memoryUsage.rss();
  const device = "is a device, pipe or socket, not a file";
  expect(await rig.text(readTool, { file_path: "pipe" })).toBe(`error: pipe ${device}`);
  expect(await rig.text(readTool, { file_path: "/dev/zero" })).toBe(`error: /dev/zero ${device}`);
  expect(await rig.text(readTool, { file_path: "sparse.img" })).toBe(
    "error: sparse.img is binary data, 1.0 TB: Read shows text and images only",
  );
  expect(await rig.text(readTool, { file_path: "headed.log" })).toBe(
    "error: headed.log is binary data, 1.0 TB: Read shows text and images only",
  );
  const page = await rig.text(readTool, { file_path: "holes.txt", offset: 3_999, limit: 1 });
  expect(page).toBe("3999\ttext\n[lines 3999-3999; go on with offset 4000]");
  const rest = await rig.text(readTool, { file_path: "holes.txt", offset: 4_000 });
  expect(rest).toBe("4000\ttext\n[the next line goes on without end: reading stops here]");
  // Files of 1 TB and 2 GiB were read; pages that the allocator has not given back yet are no file.
  expect(hasGrownLessThan(256 * 1024 * 1024, before)).toBe(true);
});

test("[TOOL-01] a file of /proc, which says it is empty, is read to its end", async () => {
  await using rig = openToolRig();
  if (process.platform !== "linux") return;
  expect(await rig.text(readTool, { file_path: "/proc/self/status" })).toContain("\tName:");
});

test("[TOOL-01] a page far into a file above 1 GiB is found, and no more of it held than the page", async () => {
  const line = Buffer.from(`${"x".repeat(1_023)}\n`);
  const chunk = Buffer.alloc(256 * 1024, line);
  const size = 2 ** 31;
  await using rig = openToolRig({
    async openResolved() {
      return {
        info: { kind: "file", size, modifiedMs: 0, mode: 0o644, identity: "big" },
        read: async (offset, length) => chunk.subarray(0, Math.max(0, Math.min(length, size - offset))),
        async [Symbol.asyncDispose]() {},
      };
    },
  });
  put(rig, "big.txt", "");
  const page = await rig.text(readTool, { file_path: "big.txt", offset: 1_100_000, limit: 1 });
  expect(page).toBe(`1100000\t${"x".repeat(1_023)}\n[lines 1100000-1100000; go on with offset 1100001]`);
});

test("[TOOL-01] a cancel ends a long read with the reason of the cancel", async () => {
  await using rig = openToolRig();
  put(rig, "a.txt", "a\n");
  const reason = new Error("enough");
  const call = { ...rig.callOf(readTool, { file_path: "a.txt" }) };
  const plan = await readTool.plan(call.input, rig.context);
  rig.cancel.abort(reason);
  expect(await readTool.run(plan, rig.context).catch((thrown: unknown) => thrown)).toBe(reason);
});

test("[PERM-09] the summary names the file that is read, on one line", async () => {
  await using rig = openToolRig();
  mkdirSync(join(rig.root, "src"));
  put(rig, "src/a.ts", "x");
  put(rig, "two\nlines", "x");
  symlinkSync("src/a.ts", join(rig.root, "link.ts"));
  const summaries = [];
  for (const file_path of [
    "src/a.ts",
    "./src/../src//a.ts",
    "link.ts",
    "/etc/hostname-not-there",
    "two\nlines",
  ]) {
    summaries.push((await readTool.plan({ file_path }, rig.context)).summary);
  }
  expect(summaries).toEqual([
    "Read:src/a.ts",
    "Read:src/a.ts",
    "Read:src/a.ts",
    "Read:/etc/hostname-not-there",
    "Read:two\\nlines",
  ]);
});
