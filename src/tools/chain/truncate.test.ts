import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { ToolRig } from "../../../test/support/tool-rig.ts";
import { openToolRig } from "../../../test/support/tool-rig.ts";
import { probe } from "../../../test/support/tools.ts";
import type { ResultContent } from "../../protocol/content.ts";
import { readTool } from "../files/read.ts";
import type { ToolOutput } from "../tool.ts";
import { BLOCK_BYTES_MAX, MEDIA_BYTES_MAX, RESULT_BYTES_MAX, truncateAndSpill } from "./truncate.ts";

function texts(...all: readonly string[]): ToolOutput {
  return { content: all.map((text) => ({ type: "text", text })) };
}

function capped(rig: ToolRig, output: ToolOutput): Promise<ToolOutput> {
  return rig.run(probe({ run: () => output }), {}, [truncateAndSpill()]);
}

function textOf(block: ResultContent | undefined): string {
  return block?.type === "text" ? block.text : `<${block?.type}>`;
}

const bytesOf = (text: string) => new TextEncoder().encode(text).length;
const MARKER =
  /\n\[… ([\d,]+) of ([\d,]+) bytes are left out here\. The whole is in (\S+): Read it with offset and limit, or Grep it\. …\]\n/;

test("[ENG-16] a result within the caps is left as it is, and no file is made", async () => {
  await using rig = openToolRig();
  const output: ToolOutput = { ...texts("é".repeat(BLOCK_BYTES_MAX / 2), ""), isError: true };
  expect(await capped(rig, output)).toEqual(output);
  expect(await Bun.file(rig.workspace.scratch).exists()).toBe(false);
});

test("[ENG-16] a longer text keeps both ends, and the model can page through the whole", async () => {
  await using rig = openToolRig();
  const whole = Array.from({ length: 20_000 }, (_, i) => `line ${i + 1}`).join("\n");
  const text = textOf((await capped(rig, texts(whole))).content[0]);
  expect(bytesOf(text)).toBeLessThanOrEqual(BLOCK_BYTES_MAX);
  const [marker = "", missing, total, path = ""] = MARKER.exec(text) ?? [];
  const [first = "", last = ""] = text.split(marker);
  expect(whole.startsWith(first) && whole.endsWith(last)).toBe(true);
  const number = (grouped: string | undefined) => Number(grouped?.replaceAll(",", ""));
  expect([number(total), number(missing)]).toEqual([bytesOf(whole), bytesOf(whole) - bytesOf(first + last)]);
  expect(readFileSync(path, "utf8")).toBe(whole);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(rig.workspace.scratch).mode & 0o777).toBe(0o700);
  expect(await rig.text(readTool, { file_path: path, offset: 9_999, limit: 1 })).toStartWith(
    "9999\tline 9999",
  );
});

test("[ENG-16] each call keeps its whole in a file of its own", async () => {
  await using rig = openToolRig();
  const long = "x".repeat(BLOCK_BYTES_MAX + 1);
  await capped(rig, texts(long, long));
  await capped(rig, texts(long));
  expect(readdirSync(rig.workspace.scratch).length).toBe(3);
});

test("[ENG-16 R05] wherever a text is cut, what is sent is well-formed and no character is lost from its ends", async () => {
  await using rig = openToolRig();
  const unit = fc.constantFrom("a", "é", "€", "😀", "👩‍👩‍👧", "e\u0301", "\uFEFF", "\ud83d", "\ude00");
  const property = fc.asyncProperty(
    fc.string({ unit, minLength: 1, maxLength: 12 }),
    fc.integer({ min: 0, max: 3 }),
    async (stretch, shift) => {
      const whole = "-".repeat(shift) + stretch.repeat(Math.ceil((BLOCK_BYTES_MAX * 1.1) / bytesOf(stretch)));
      fc.pre(bytesOf(whole) > BLOCK_BYTES_MAX); // lone halves of a stretch can meet and make shorter characters
      const text = textOf((await capped(rig, texts(whole))).content[0]);
      const [first = "", last = ""] = text.split(MARKER.exec(text)?.[0] ?? "");
      const sent = whole.toWellFormed();
      expect([text.isWellFormed(), sent.startsWith(first), sent.endsWith(last)]).toEqual([true, true, true]);
      expect(bytesOf(text)).toBeLessThanOrEqual(BLOCK_BYTES_MAX);
      expect(bytesOf(text)).toBeGreaterThan(BLOCK_BYTES_MAX - 16);
    },
  );
  await fc.assert(property, { numRuns: 60 });
});

test("[ENG-16] many blocks share one cap, and those that do not fit are kept in one file", async () => {
  await using rig = openToolRig();
  const block = "y".repeat(BLOCK_BYTES_MAX);
  const { content } = await capped(rig, texts(block, block, block, block, block, "end"));
  expect(content.map((each) => textOf(each).length)).toEqual([
    65_536,
    65_536,
    65_536,
    65_536,
    expect.any(Number),
  ]);
  expect(textOf(content[4])).toMatch(/^\[… 2 more blocks, 65,540 bytes, left out\. The whole is in /);
  const tiny = await capped(rig, {
    content: Array.from({ length: 400 }, () => ({ type: "text", text: "t" })),
  });
  expect(tiny.content.length).toBe(257);
  const long = texts(...Array.from({ length: 9 }, () => "z".repeat(100_000)));
  const sizes = (await capped(rig, long)).content.map((each) => bytesOf(textOf(each)));
  expect(sizes.slice(0, -1).reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(RESULT_BYTES_MAX);
  expect(sizes.length).toBe(5);
});

test("[ENG-16] where the whole cannot be kept, the result says so and is still given", async () => {
  const full = Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
  await using rig = openToolRig({ writeAtomic: () => Promise.reject(full) });
  const text = textOf((await capped(rig, texts("z".repeat(100_000)))).content[0]);
  expect(text).toContain("The whole could not be kept: ENOSPC: no space left on device.");
});

test("[TOOL-12 ENG-16] an image or sound over its cap is refused with a message, a small one passes", async () => {
  await using rig = openToolRig();
  const media = (type: "image" | "audio", bytes: number) => ({
    type,
    source: {
      type: "base64" as const,
      media_type: type === "image" ? "image/png" : "audio/flac",
      data: `${type === "image" ? "iVBORw0KGgoA" : "ZkxhQwAAAAAA"}${"A".repeat(Math.ceil((bytes * 4) / 3) - 12)}`,
    },
  });
  const small = media("image", 3_000);
  const odd = { type: "image" as const, source: { ...small.source, media_type: "image/tiff" } };
  const { content } = await capped(rig, {
    content: [media("image", MEDIA_BYTES_MAX + 1), small, media("audio", MEDIA_BYTES_MAX + 1), odd],
  });
  expect(content).toEqual([
    { type: "text", text: "[An image of 5,242,881 bytes is left out: 5,242,880 are let through here.]" },
    small,
    { type: "text", text: "[A sound of 5,242,881 bytes is left out: 5,242,880 are let through here.]" },
    {
      type: "text",
      text: "[Left out: an image is of type image/tiff, and models take PNG, JPEG, GIF or WebP only.]",
    },
  ]);
});

test("[ENG-16] a page of Read is never cut again", async () => {
  await using rig = openToolRig();
  writeFileSync(join(rig.root, "wide.txt"), `${"€".repeat(1_999)}\n`.repeat(500));
  const output = await rig.run(readTool, { file_path: "wide.txt" }, [truncateAndSpill()]);
  expect(textOf(output.content[0])).not.toContain("left out");
});
