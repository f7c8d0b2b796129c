import { expect } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { shell, write } from "../../../../test/support/checkpoint-rig.ts";
import { hostileFiles, writeHostile } from "../../../../test/support/hostile-repository.ts";
import { holds } from "../../../../test/support/property.ts";
import { requireProgram } from "../../../../test/support/requires.ts";
import { temporaryDirectory } from "../../../../test/support/world.ts";
import { hostFiles } from "../../../platform/files/files.ts";
import { hostTree } from "../../../platform/files/tree.ts";
import { parseIndex } from "./git-index.ts";
import { blobName, GitObjects } from "./git-objects.ts";
import { openGitRepository } from "./git-repository.ts";

const gitTest = requireProgram("git");

function atOnce(): Promise<void> {
  return Promise.resolve();
}

const { signal } = new AbortController();

async function opened(root: string, configFiles: readonly string[] = []) {
  return await openGitRepository({ files: hostFiles, tree: hostTree, root, configFiles, pause: atOnce });
}

/** Paths with the names of their objects, as git itself lists them. */
function listed(root: string): Map<string, string> {
  const text = shell(root, "git ls-files --stage -z");
  return new Map(
    text.split("\0").flatMap((line) => {
      const [, mode = "", object = "", path = ""] = /^(\d+) (\w+) 0\t(.*)$/s.exec(line) ?? [];
      return mode === "" || mode === "160000" ? [] : [[path, object] as const];
    }),
  );
}

gitTest("[SES-15] an index of each version lists the same files as git does, odd names too", async () => {
  await using directory = temporaryDirectory();
  const root = directory.path;
  shell(root, "git init -q . && mkdir -p a/b 'x y' && for i in $(seq 300); do echo $i >a/b/file-$i; done");
  shell(
    root,
    "echo 1 >$'n\\nl'; echo 2 >ü; ln -s ü link; chmod 755 ü; git add -A; echo new >later; git add -N later",
  );
  for (const version of [2, 3, 4]) {
    shell(root, `git update-index --index-version ${version} && git update-index --refresh -q || true`);
    const entries = await parseIndex(readFileSync(join(root, ".git", "index")), atOnce);
    const found = new Map([...(entries ?? [])].map(([path, { object }]) => [path, object]));
    expect(found).toEqual(listed(root));
  }
  shell(root, "git update-index --split-index");
  expect(await parseIndex(readFileSync(join(root, ".git", "index")), atOnce)).toBeUndefined();
});

gitTest(
  "[SES-15] any bytes instead of an index are entries or nothing, and never end in an error",
  async () => {
    await using directory = temporaryDirectory();
    const root = directory.path;
    shell(
      root,
      "git init -q . && mkdir d && echo 1 >d/a && echo 2 >d/b && git add -A && git update-index --index-version 4",
    );
    const whole = readFileSync(join(root, ".git", "index"));
    await holds(
      fc.asyncProperty(
        fc.nat(whole.length),
        fc.nat(whole.length - 1),
        fc.nat(255),
        async (length, at, byte) => {
          const bytes = Uint8Array.from(whole).subarray(0, length);
          if (at < bytes.length) bytes[at] = byte;
          // Each field too, which is read when it is asked for.
          for (const entry of (await parseIndex(bytes, atOnce))?.values() ?? []) {
            const { object, mode, size, modified, changed, inode } = entry;
            expect(object).toMatch(/^[0-9a-f]{40}$/);
            expect([mode, size, modified.seconds, changed.nanoseconds, inode].every(Number.isInteger)).toBe(
              true,
            );
          }
        },
      ),
      2_000,
    );
  },
);

gitTest(
  "[SES-15] an object is read as git stored it: loose, packed, as a difference to another; what is damaged is none",
  async () => {
    await using directory = temporaryDirectory();
    const root = directory.path;
    shell(root, "git init -q . && git config gc.auto 0");
    const long = Array.from({ length: 3_000 }, (_, line) => `line ${line} ${(line * 7919) % 977}`);
    const contents = [0, 1, 2, 3, 4].map((change) => long.with(change * 500, `changed ${change}`).join("\n"));
    for (const text of [...contents, "", "x"]) {
      writeFileSync(join(root, "f"), text);
      shell(root, "git add f && git commit -qm x");
    }
    const expectAll = async (from: string) => {
      const objects = new GitObjects(hostFiles, from);
      for (const text of [...contents, "", "x"]) {
        const bytes = new TextEncoder().encode(text);
        expect(new TextDecoder().decode(await objects.blob(blobName(bytes), signal))).toBe(text);
      }
      expect(await objects.blob("0".repeat(40), signal)).toBeUndefined();
    };
    const objects = join(root, ".git", "objects");
    await expectAll(objects);
    shell(root, "git repack -adq --depth=50 --window=50");
    expect(shell(root, "git verify-pack -v .git/objects/pack/*.idx")).toContain("chain length");
    await expectAll(objects);
    shell(root, "git -c pack.allowPackReuse=false repack -adqF --depth=5 && chmod -R u+w .git/objects");
    await expectAll(objects);
    const pack = readdirSync(join(objects, "pack")).find((name) => name.endsWith(".pack")) ?? "";
    const bytes = readFileSync(join(objects, "pack", pack));
    const names = contents.map((text) => blobName(new TextEncoder().encode(text)));
    for (let at = 12; at < bytes.length; at += Math.ceil(bytes.length / 60)) {
      const damaged = Buffer.from(bytes);
      damaged.writeUInt8((damaged.readUInt8(at) + 1) & 255, at);
      writeFileSync(join(objects, "pack", pack), damaged);
      const reading = new GitObjects(hostFiles, objects);
      for (const name of names) {
        const found = await reading.blob(name, signal);
        if (found !== undefined) expect(blobName(found)).toBe(name);
      }
    }
  },
);

gitTest(
  "[SES-15] a file counts as clean where nothing about it changed since git looked, and no filter may have",
  async () => {
    await using directory = temporaryDirectory();
    const root = directory.path;
    shell(root, "git init -q . && echo one >a && echo two >b && git add -A && git commit -qm x");
    shell(root, "touch -d '+1 minute' .git/index");
    const isClean = async (path: string, configFiles: readonly string[] = []) => {
      const repository = await opened(root, configFiles);
      const entry = repository?.entry(path);
      const stat = hostTree.stat(root, path);
      return entry !== undefined && stat !== undefined && repository?.isClean(entry, stat) === true;
    };
    expect(await isClean("a")).toBe(true);
    shell(root, "touch -d '-1 minute' .git/index"); // as if b had been written after
    expect(await isClean("a")).toBe(false);
    shell(root, "touch -d '+1 minute' .git/index; echo TWO >b");
    expect(await isClean("b")).toBe(false);
    const config = join(root, "config");
    writeFileSync(config, "[core]\n\tautocrlf = true\n");
    expect(await isClean("a", [config])).toBe(false);
    writeFileSync(join(root, ".gitattributes"), "*.x filter=y\n");
    expect(await isClean("a")).toBe(false);
    writeFileSync(join(root, ".gitattributes"), "*.x -diff\n");
    expect(await isClean("a")).toBe(true);
    mkdirSync(join(root, ".git/objects/info"), { recursive: true });
    writeFileSync(join(root, ".git/objects/info/alternates"), "/elsewhere\n");
    expect(await opened(root)).toBeUndefined();
  },
);

gitTest(
  "[SES-15 S33 S34 S35] nothing that a hostile repository configures runs, and nothing outside of it is read",
  async () => {
    await using directory = temporaryDirectory();
    const root = join(directory.path, "work");
    mkdirSync(join(directory.path, "ran"));
    const bait = {
      command: (name: string) => `touch ${join(directory.path, "ran", name)}`,
      url: "http://127.0.0.1:1",
    };
    shell(directory.path, "git init -q work");
    write(root, "a", "a\n");
    shell(root, "git add -A && git commit -qm x");
    writeHostile(root, hostileFiles(bait));
    const { openCheckpointRig } = await import("../../../../test/support/checkpoint-rig.ts");
    await using rig = await openCheckpointRig({ root });
    const { start } = await rig.turn("printf X >a; rm -r .cursor sub");
    await rig.rewind(start);
    expect(readFileSync(join(root, "a"), "utf8")).toBe("a\n");
    expect(existsSync(join(root, "sub/deep/AGENTS.md"))).toBe(true);
    expect(readdirSync(join(directory.path, "ran"))).toEqual([]);
  },
);

gitTest(
  "[SES-15] contents that a repository lost are reported before, and the rest is restored",
  async () => {
    const { openCheckpointRig } = await import("../../../../test/support/checkpoint-rig.ts");
    await using rig = await openCheckpointRig({ git: true });
    const { root } = rig;
    shell(
      root,
      "printf one >a; printf two >b; git add -A; git commit -qm x; touch -d '+1 minute' .git/index",
    );
    const { start } = await rig.turn("printf 1 >a; printf 2 >b");
    const gone = blobName(new TextEncoder().encode("one"));
    shell(root, `mv .git/objects/${gone.slice(0, 2)}/${gone.slice(2)} ../pruned`);
    const { notRestorable, steps } = await rig.checkpoints.preview(start, 1, new AbortController().signal);
    const told = [{ path: "a", why: "the repository no longer has its content" }];
    expect({ notRestorable, steps: steps.map(({ path }) => path) }).toEqual({
      notRestorable: told,
      steps: ["b"],
    });
    expect(await rig.rewind(start)).toEqual({ restored: ["b"], kept: [], notRestorable: told });
    expect(shell(root, "cat a b")).toBe("1two");
  },
);
