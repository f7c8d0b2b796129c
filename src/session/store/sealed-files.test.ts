import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import { temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import { hostFiles } from "../../platform/files/files.ts";
import { SealBroken } from "./seal.ts";
import { PIECE_BYTES_MAX } from "./sealed-file.ts";
import { sealedFiles } from "./sealed-files.ts";

// In a copy in which `sealedFiles` gave the files as they are, the cases about what lies on the disk and about changed
// pieces went red. The property did not: what is read is what was written, sealed or not.

const world = testWorld();
const KEY = new Uint8Array(32).fill(3);
const CANARY = "canary-33ab0e";

function open(directory: string, key = KEY) {
  return sealedFiles(hostFiles, { directories: [directory], key, random: world.random });
}

test("[SES-04 ENG-16] what is kept in the folder is sealed on the disk, and read as it was written", async () => {
  await using place = temporaryDirectory();
  const [inside, outside] = [join(place.path, "scratch"), join(place.path, "other.txt")];
  const files = open(inside);
  await files.makeDirectory(inside);
  const path = join(inside, "output.txt");
  await files.append(path, `one ${CANARY}\n`, 0o600);
  await files.append(path, `two ${CANARY}\n`);
  await files.writeAtomic(outside, CANARY);
  expect(readFileSync(path).includes(CANARY)).toBe(false);
  expect(readFileSync(outside, "utf8")).toBe(CANARY);
  const whole = `one ${CANARY}\ntwo ${CANARY}\n`;
  for (const reader of [files, open(inside)]) {
    expect(new TextDecoder().decode(await reader.read(path, 1_000))).toBe(whole);
    expect((await reader.stat(path))?.size).toBe(whole.length);
    await using file = await reader.openResolved(path);
    expect(file.info.size).toBe(whole.length);
    expect(new TextDecoder().decode(await file.read(4, CANARY.length))).toBe(CANARY);
  }
  expect(open(inside).read(path, 3)).rejects.toThrow("more than the 3");
});

test("[SES-04] property: however it was appended, every part of it is what was written there", async () => {
  await using place = temporaryDirectory();
  let number = 0;
  const sizes = fc.array(
    fc.oneof(fc.nat(50), fc.integer({ min: PIECE_BYTES_MAX - 2, max: PIECE_BYTES_MAX + 2 })),
    {
      maxLength: 5,
    },
  );
  await holds(
    fc.asyncProperty(sizes, fc.nat(200_000), fc.nat(70_000), async (parts, offset, length) => {
      const path = join(place.path, `${number++}`);
      const all = Buffer.concat(parts.map((size, at) => new Uint8Array(size).fill(at + 1)));
      const files = open(place.path);
      for (const [at, size] of parts.entries()) {
        const writer = at % 2 === 0 ? files : open(place.path); // one that has not seen the file before
        await writer.append(path, new Uint8Array(size).fill(at + 1));
      }
      if (all.length === 0) return;
      const read = await open(place.path).readRange(path, offset, length);
      expect(Buffer.compare(Buffer.from(read), all.subarray(offset, offset + length))).toBe(0);
    }),
    30,
  );
});

test("[SES-04] pieces that were changed, moved or sealed under another key are not read", async () => {
  await using place = temporaryDirectory();
  const path = join(place.path, "file");
  await open(place.path).append(path, `one ${CANARY}`);
  await open(place.path).append(path, `two ${CANARY}`);
  const sealed = readFileSync(path);
  const broken = async () => await open(place.path).read(path, 1_000);
  for (const at of [40, sealed.length - 1]) {
    writeFileSync(path, sealed.with(at, (sealed[at] ?? 0) ^ 1));
    expect(broken()).rejects.toBeInstanceOf(SealBroken);
  }
  const half = (sealed.length - 31) / 2;
  const [header, first, second] = [
    sealed.subarray(0, 31),
    sealed.subarray(31, 31 + half),
    sealed.subarray(31 + half),
  ];
  writeFileSync(path, Buffer.concat([header, second, first]));
  expect(broken()).rejects.toBeInstanceOf(SealBroken);
  writeFileSync(path, sealed);
  expect(open(place.path, new Uint8Array(32).fill(4)).read(path, 1_000)).rejects.toBeInstanceOf(SealBroken);
  writeFileSync(path, "what a shell wrote");
  expect(new TextDecoder().decode(await broken())).toBe("what a shell wrote");
});
