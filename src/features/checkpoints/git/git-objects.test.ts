import { expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import * as fc from "fast-check";
import { shell } from "../../../../test/support/checkpoint-rig.ts";
import type { PackedObject } from "../../../../test/support/git-packs.ts";
import { appending, FilesInMemory, objectName, packOf, varint } from "../../../../test/support/git-packs.ts";
import { holds } from "../../../../test/support/property.ts";
import { requireProgram } from "../../../../test/support/requires.ts";
import { temporaryDirectory } from "../../../../test/support/world.ts";
import { hostFiles } from "../../../platform/files/files.ts";
import { GitObjects } from "./git-objects.ts";

const gitTest = requireProgram("git");

const SEED = 20_261_205;
const FOLDER = "/repository/objects";
const { signal } = new AbortController();
/** More is read of no repository for one object, however it was made. */
const READ_BYTES_MAX = 600 * 1024 * 1024;

function bytes(text: string) {
  return Buffer.from(text);
}

function held(objects: readonly PackedObject[], onRead?: () => void): FilesInMemory {
  const { pack, index } = packOf(objects);
  const files = [
    [`${FOLDER}/pack/p.pack`, pack],
    [`${FOLDER}/pack/p.idx`, index],
  ] as const;
  return new FilesInMemory(new Map(files), onRead);
}

function reader(memory: FilesInMemory): GitObjects {
  return new GitObjects(memory.files, FOLDER);
}

/** A file, and so many differences on top of each other; the last is what is asked for. */
function chain(length: number, nameless: (number: number) => string): readonly PackedObject[] {
  let content = bytes("start");
  const objects: PackedObject[] = [{ name: nameless(0), type: 3, data: content }];
  for (let number = 1; number <= length; number += 1) {
    const data = appending(content.length, "+");
    content = bytes(`start${"+".repeat(number)}`);
    const name = number === length ? objectName(content) : nameless(number);
    objects.push({ name, type: 6, base: number - 1, data });
  }
  return objects;
}

function someName(number: number): string {
  return number.toString(16).padStart(40, "0");
}

test("[SES-15] a file is read through four thousand differences on top of each other, as git makes at the most", async () => {
  const content = bytes(`start${"+".repeat(4_000)}`);
  const found = await reader(held(chain(4_000, someName))).blob(objectName(content), signal);
  expect(Buffer.from(found ?? [])).toEqual(content);
});

test("[SES-15 REL-06] more differences than that, and differences in a circle, are no file", async () => {
  const long = chain(5_000, someName);
  expect(await reader(held(long)).blob(long.at(-1)?.name ?? "", signal)).toBeUndefined();
  const delta = appending(5, "+");
  const circle: readonly PackedObject[] = [
    { name: someName(1), type: 7, baseName: someName(2), data: delta },
    { name: someName(2), type: 7, baseName: someName(1), data: delta },
    { name: someName(3), type: 7, baseName: someName(3), data: delta },
    { name: someName(4), type: 6, base: 3, data: delta },
  ];
  for (const { name } of circle) expect(await reader(held(circle)).blob(name, signal)).toBeUndefined();
});

test("[SES-15 REL-06] a pack of some kilobytes that says it holds terabytes takes no more than a bounded amount of work", async () => {
  const claimed = 2 ** 40;
  const large = deflateSync(Buffer.alloc(8 * 1024 * 1024));
  const head = [varint(64 * 1024 * 1024), varint(64 * 1024 * 1024)];
  const bombs: readonly PackedObject[] = [
    { name: someName(1), type: 3, data: large, size: claimed },
    { name: someName(2), type: 3, data: Buffer.alloc(8 * 1024 * 1024), size: 10 },
    { name: someName(3), type: 3, data: bytes("x"), size: 60 * 1024 * 1024 },
    { name: someName(4), type: 7, baseName: someName(3), data: Buffer.concat(head) },
  ];
  for (const { name } of bombs) expect(await reader(held(bombs)).blob(name, signal)).toBeUndefined();
});

test("[SES-15 REL-06] differences that each make a whole large file again are read up to a bounded amount of work", async () => {
  const size = 32 * 1024 * 1024;
  const whole = Buffer.alloc(size);
  const copies = Array.from({ length: size / 0x10000 }, (_, at) => [0x8c, at & 255, at >> 8]);
  const again = Buffer.concat([varint(size), varint(size), Buffer.from(copies.flat())]);
  const objects: PackedObject[] = [{ name: someName(0), type: 3, data: whole }];
  for (let number = 1; number <= 20; number += 1)
    objects.push({ name: someName(number), type: 6, base: number - 1, data: again });
  const named = (asked: number) =>
    objects.map((object, number) => (number === asked ? { ...object, name: objectName(whole) } : object));
  expect((await reader(held(named(3))).blob(objectName(whole), signal))?.length).toBe(size);
  expect(await reader(held(named(20))).blob(objectName(whole), signal)).toBeUndefined();
});

test("[SES-15] a reading is cancelled at any moment, with the signal's reason", async () => {
  const objects = chain(50, someName);
  const last = objects.at(-1)?.name ?? "";
  for (const stopAt of [1, 2, 3, 10, 60, 100]) {
    const stop = new AbortController();
    let reads = 0;
    const memory = held(objects, () => {
      reads += 1;
      if (reads === stopAt) stop.abort(new Error("stopped"));
    });
    await expect(reader(memory).blob(last, stop.signal)).rejects.toThrow("stopped");
    expect(reads).toBeLessThanOrEqual(stopAt + 1);
  }
  await expect(reader(held(objects)).blob(last, AbortSignal.abort(new Error("before")))).rejects.toThrow(
    "before",
  );
});

const anyObject = fc.record({
  name: fc.nat(8).map(someName),
  type: fc.nat(7),
  data: fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.tuple(fc.nat(30), fc.string({ maxLength: 5 })).map(([length, text]) => appending(length, text)),
  ),
  size: fc.option(fc.oneof(fc.nat(50), fc.nat(), fc.constant(2 ** 45)), { nil: undefined }),
  base: fc.nat(8),
  baseName: fc.nat(8).map(someName),
});

test("[SES-15 REL-06] of any objects in a pack, differences to themselves and to each other too, a file is what its name says or nothing", async () => {
  await holds(
    fc.asyncProperty(fc.array(anyObject, { minLength: 1, maxLength: 8 }), async (objects) => {
      const packed = objects.map(({ size, ...object }) =>
        size === undefined ? object : { ...object, size },
      );
      const memory = held(packed);
      const objectsRead = reader(memory);
      for (const { name, data } of packed) {
        expect(await objectsRead.blob(name, signal)).toBeUndefined();
        const found = await objectsRead.blob(objectName(data), signal);
        if (found !== undefined) expect(objectName(found)).toBe(objectName(data));
      }
      expect(memory.bytesRead).toBeLessThan(READ_BYTES_MAX);
    }),
    200,
    SEED,
  );
});

gitTest(
  "[SES-15 REL-06] whatever was changed in the files of a repository, a file is what its name says or nothing",
  async () => {
    await using directory = temporaryDirectory();
    const root = directory.path;
    shell(root, "git init -q . && git config gc.auto 0");
    const texts = [0, 1, 2, 3].map((change) => `${"a line\n".repeat(200)}${change}\n${"more\n".repeat(100)}`);
    for (const text of texts) {
      writeFileSync(join(root, "f"), text);
      shell(root, "git add f && git commit -qm x");
    }
    shell(
      root,
      "git repack -adq --depth=50 --window=50; echo loose >g; git add g; chmod -R u+w .git/objects",
    );
    const from = join(root, ".git", "objects");
    const whole = new Map(
      readdirSync(from, { recursive: true, withFileTypes: true }).flatMap((entry) => {
        const path = join(entry.parentPath, entry.name);
        return entry.isFile() ? [[path, readFileSync(path)] as const] : [];
      }),
    );
    const paths = [...whole.keys()];
    const names = [...texts, "loose\n"].map((text) => objectName(bytes(text)));
    const undamaged = new GitObjects(new FilesInMemory(whole).files, from);
    for (const name of names)
      expect(objectName((await undamaged.blob(name, signal)) ?? new Uint8Array())).toBe(name);
    const damage = fc.record({
      file: fc.nat(paths.length - 1),
      at: fc.nat(2_000),
      with: fc.oneof(
        fc.uint8Array({ minLength: 1, maxLength: 30 }),
        fc.constant(new Uint8Array(8).fill(255)),
      ),
      cut: fc.option(fc.nat(2_000), { nil: undefined }),
    });
    await holds(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 4 }), async (damages) => {
        const damaged = new Map<string, Uint8Array>(whole);
        for (const { file, at, with: put, cut } of damages) {
          const path = paths[file] ?? "";
          const changed = Uint8Array.from(damaged.get(path) ?? []);
          if (changed.length > 0)
            changed.set(put.subarray(0, changed.length - (at % changed.length)), at % changed.length);
          damaged.set(path, cut === undefined ? changed : changed.subarray(0, cut));
        }
        const memory = new FilesInMemory(damaged);
        const objects = new GitObjects(memory.files, from);
        for (const name of names) {
          const found = await objects.blob(name, signal);
          if (found !== undefined) expect(objectName(found)).toBe(name);
        }
        expect(memory.bytesRead).toBeLessThan(READ_BYTES_MAX);
      }),
      500,
      SEED,
    );
  },
);

gitTest("[SES-15] objects that git packed after the first lookup are found in their new pack", async () => {
  await using directory = temporaryDirectory();
  const root = directory.path;
  shell(root, "git init -q . && echo one >a && git add a && git commit -qm x && git repack -adq");
  const objects = new GitObjects(hostFiles, join(root, ".git", "objects"));
  const name = objectName(bytes("one\n"));
  expect(await objects.blob(name, signal)).toEqual(new Uint8Array(bytes("one\n")));
  shell(root, "echo two >b && git add b && git commit -qm y && git repack -adq");
  expect(await objects.blob(name, signal)).toEqual(new Uint8Array(bytes("one\n")));
});
