import { expect, test } from "bun:test";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { openCheckpointRig, shell } from "../../../../test/support/checkpoint-rig.ts";
import { holds } from "../../../../test/support/property.ts";
import { requireProgram } from "../../../../test/support/requires.ts";
import { temporaryDirectory } from "../../../../test/support/world.ts";
import type { Tree } from "../../../base/files/tree.ts";
import { hostFiles } from "../../../platform/files/files.ts";
import { hostTree } from "../../../platform/files/tree.ts";
import { parseIndex } from "./git-index.ts";
import { gitIndexStamp, openGitRepository, RepositoryUnreadable } from "./git-repository.ts";

const SEED = 20_261_205;
/** Names of the files that are read of a repository; any other file that a link file or an index names is not read. */
const GITS_NAMES = /\/(?:\.git|commondir|config|config\.worktree|info\/attributes|\.gitattributes)$/;

function atOnce(): Promise<void> {
  return Promise.resolve();
}

/** The machine's tree, and what of it was read. */
function watched(): { readonly tree: Tree; readonly read: string[] } {
  const read: string[] = [];
  const tree: Tree = {
    ...hostTree,
    read(root, path, bytesMax) {
      const bytes = hostTree.read(root, path, bytesMax);
      read.push(root === "/" ? `/${path}` : `${root}/${path}`);
      return bytes;
    },
  };
  return { tree, read };
}

async function opened(root: string, tree: Tree = hostTree) {
  try {
    gitIndexStamp(tree, root);
    return await openGitRepository({ files: hostFiles, tree, root, configFiles: [], pause: atOnce });
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(RepositoryUnreadable);
    return undefined;
  }
}

const piece = fc.constantFrom(
  "..",
  ".",
  "",
  "outside",
  "loop",
  ".git",
  "secret",
  "a\0b",
  "x".repeat(300),
  "~",
);
const somePath = fc
  .array(piece, { maxLength: 30 })
  .chain((parts) => fc.constantFrom("", "/").map((first) => first + parts.join("/")));
const linkText = fc.oneof(
  fc.tuple(
    fc.constantFrom("gitdir: ", "gitdir:", "", "GITDIR: "),
    somePath,
    fc.constantFrom("", "\n", "\r\n x"),
  ),
  fc.tuple(fc.constant("gitdir: "), fc.constant("p/".repeat(5_000)), fc.constant("")),
  fc.tuple(fc.string(), fc.string(), fc.string()),
);
const bytesOrText = fc.oneof(
  linkText.map((parts) => Buffer.from(parts.join(""))),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
  fc.constant(Buffer.alloc(2 * 1024 * 1024, 65)),
);

test("[SES-15 S33 REL-06] whatever link files, attributes and alternates say, a repository is read or not, and nothing but git's own files", async () => {
  await using directory = temporaryDirectory();
  const [root, outside] = [join(directory.path, "work"), join(directory.path, "outside")];
  mkdirSync(outside);
  writeFileSync(join(outside, "secret"), "text");
  const scenario = fc.record({
    dotGit: fc.option(bytesOrText),
    files: fc.dictionary(
      fc.constantFrom("HEAD", "commondir", "config", "index", "info/attributes", "objects/info/alternates"),
      bytesOrText,
      { noNullPrototype: true },
    ),
    attributes: fc.option(bytesOrText),
    links: fc.subarray(["commondir", "config", "index", "HEAD", "objects", "info", ".gitattributes", ".git"]),
  });
  await holds(
    fc.asyncProperty(scenario, async ({ dotGit, files, attributes, links }) => {
      rmSync(root, { recursive: true, force: true });
      mkdirSync(root);
      symlinkSync("loop", join(root, "loop"));
      if (dotGit === null) {
        mkdirSync(join(root, ".git", "objects", "info"), { recursive: true });
        mkdirSync(join(root, ".git", "info"));
        for (const [name, content] of Object.entries(files)) writeFileSync(join(root, ".git", name), content);
      } else writeFileSync(join(root, ".git"), dotGit);
      if (attributes !== null) writeFileSync(join(root, ".gitattributes"), attributes);
      for (const name of links) {
        if (dotGit !== null && !name.startsWith(".git")) continue;
        const path = name.startsWith(".git") ? join(root, name) : join(root, ".git", name);
        if (links.includes(".git") && path !== join(root, ".gitattributes") && name !== ".git") continue;
        rmSync(path, { recursive: true, force: true });
        symlinkSync(join(outside, "secret"), path);
      }
      const { tree, read } = watched();
      await opened(root, tree);
      expect(read.filter((path) => !GITS_NAMES.test(path) || path.startsWith(`${outside}/`))).toEqual([]);
    }),
    300,
    SEED,
  );
});

requireProgram("git")(
  "[SES-15 S33] attributes are read where git reads them, never through a link, and no path of an index leads elsewhere",
  async () => {
    await using directory = temporaryDirectory();
    const root = join(directory.path, "work");
    mkdirSync(join(directory.path, "outside"));
    writeFileSync(join(directory.path, "outside", ".gitattributes"), "* filter=x\n");
    shell(directory.path, "git init -q work && mkdir -p work/xx/outside");
    shell(
      root,
      "echo '*.x -diff' >xx/outside/.gitattributes; echo 1 >a; git add -A; touch -d '+1 minute' .git/index",
    );
    const isClean = async () => {
      const { tree, read } = watched();
      const repository = await opened(root, tree);
      const [entry, stat] = [repository?.entry("a"), hostTree.stat(root, "a")];
      expect(read.filter((path) => !path.startsWith(`${root}/`))).toEqual([]);
      return entry !== undefined && stat !== undefined && repository?.isClean(entry, stat);
    };
    expect(await isClean()).toBe(true);
    const elsewhere = "LC_ALL=C sed -i 's#xx/outside/.gitattributes#../outside/.gitattributes#' .git/index";
    shell(root, `${elsewhere}; touch -d '+1 minute' .git/index`);
    expect(await isClean()).toBe(true);
    // In doubt a file is not clean: it is copied.
    symlinkSync(join(directory.path, "outside", ".gitattributes"), join(root, ".gitattributes"));
    expect(await isClean()).toBe(false);
  },
);

test("[SES-15 REL-06] an index of some megabytes that spells gigabytes of paths, or paths of many thousand folders, is none", async () => {
  const entry = (name: Buffer, dropped: readonly number[]) =>
    Buffer.concat([
      Buffer.alloc(24),
      Buffer.from([0, 0, 0x81, 0xa4]),
      Buffer.alloc(32),
      Buffer.from([0x0f, 0xff]),
      Buffer.from(dropped),
      name,
      Buffer.from([0]),
    ]);
  const indexOf = (version: number, entries: readonly Buffer[]) => {
    const head = Buffer.from([...Buffer.from("DIRC"), 0, 0, 0, version, 0, 0, 0, 0]);
    head.writeUInt32BE(entries.length, 8);
    return Buffer.concat([head, ...entries, Buffer.alloc(20)]);
  };
  const long = entry(Buffer.from("p/".repeat(2_000)), [0]);
  const repeating = [long, ...Array.from({ length: 90_000 }, () => entry(Buffer.from("x"), [1]))];
  expect((await parseIndex(indexOf(4, repeating.slice(0, 100)), atOnce))?.size).toBeGreaterThan(0);
  expect(await parseIndex(indexOf(4, repeating), atOnce)).toBeUndefined();
  expect(await parseIndex(indexOf(4, [entry(Buffer.from("p/".repeat(3_000)), [0])]), atOnce)).toBeUndefined();
});

test("[SES-15 S33] calls run, and files are kept, where the repository around them is no repository that can be read", async () => {
  for (const make of [
    "head -c 3000000 /dev/zero | tr '\\0' a >.git",
    "printf 'gitdir: a\\0b' >.git",
    `printf 'gitdir: ${"x".repeat(5_000)}' >.git`,
    "ln -s .git .git",
    "mkdir -p .git/objects; echo x >.git/HEAD; ln -s loop .git/commondir; ln -s loop .git/config; echo x >.git/index",
    "mkdir -p .git/objects; echo x >.git/HEAD; mkfifo .git/commondir .git/config .gitattributes; echo x >.git/index",
  ]) {
    await using rig = await openCheckpointRig();
    const { root } = rig;
    shell(root, `printf 1 >a; ${make}`);
    const { start } = await rig.turn("printf 2 >a");
    await rig.rewind(start);
    expect(shell(root, "cat a")).toBe("1");
  }
});
