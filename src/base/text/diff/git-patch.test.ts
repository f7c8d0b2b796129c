import { expect } from "bun:test";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { holds } from "../../../../test/support/property.ts";
import { requireProgram } from "../../../../test/support/requires.ts";
import { gitPatch, isOtherType } from "./git-patch.ts";
import { hunksOf } from "./hunks.ts";

interface Node {
  /** Mode in git. */
  readonly mode: "100644" | "100755" | "120000";
  readonly text: string;
}
type FileTree = Readonly<Record<string, Node>>;

/** Names without a folder that is a file elsewhere. */
const NAME = fc.constantFrom(
  ...["a", "b.txt", "dir/a", "dir/deep/b c", "é/ü.md", "with space", "tab\tname", 'quo"te', "back\\slash"],
  ...["-dash", "日本", "a b/x y", "new\nline"],
);
const LINE = fc.constantFrom("a\n", "b\n", "c\r\n", "}\n", "\n", "é\n", "-- x\n", "++ y\n", "@@ -1 +1 @@\n");
const TEXT = fc
  .tuple(fc.array(LINE, { maxLength: 12 }), fc.constantFrom("", "", "end", "x\r"))
  .map(([lines, end]) => lines.join("") + end);
const FILE = fc.record({ mode: fc.constantFrom("100644" as const, "100755" as const), text: TEXT });
const LINK = fc.record({ mode: fc.constant("120000" as const), text: fc.constantFrom("a", "no/where") });

requireProgram("git")("[CTL-19] git applies the patches of random trees exactly", async () => {
  const node = fc.oneof({ weight: 6, arbitrary: FILE }, { weight: 1, arbitrary: LINK });
  await holds(
    fc.property(fc.dictionary(NAME, node), fc.dictionary(NAME, node), fc.nat(4), (before, after, context) => {
      expect(applied("git", { before, after, context })).toEqual(after);
    }),
    60,
  );
});

requireProgram("patch")("[CTL-19] patch applies the patches of random trees exactly", async () => {
  // `patch` refuses names with a line feed, writes no empty file, and skips a file that is a link. It finds no name
  // with a space in a patch without hunks: of such a file the mode alone never changes.
  const name = NAME.filter((text) => !text.includes("\n"));
  const isOfMode = (before: FileTree, after: FileTree) =>
    Object.entries(after).some(
      ([path, { mode, text }]) =>
        path.includes(" ") && before[path]?.text === text && before[path].mode !== mode,
    );
  const file = FILE.filter(({ text }) => text !== "");
  await holds(
    fc.property(fc.dictionary(name, file), fc.dictionary(name, file), fc.nat(4), (before, after, context) => {
      fc.pre(!isOfMode(before, after));
      expect(applied("patch", { before, after, context })).toEqual(after);
    }),
    60,
  );
});

requireProgram("git")("[CTL-19] git applies a rename with a change of text and mode", () => {
  const text = "1\n2\n3\n4\n5\n6\n";
  const patch = gitPatch({
    old: { path: "old name", mode: "100644" },
    new: { path: "ü/new", mode: "100755" },
    hunks: hunksOf(text, text.replace("3", "three"), 1),
    similar: 83,
  });
  const before: FileTree = { "old name": { mode: "100644", text }, empty: { mode: "100644", text: "" } };
  const moved = gitPatch({
    old: { path: "empty", mode: "100644" },
    new: { path: "dir/empty", mode: "100644" },
    hunks: [],
  });
  expect(appliedBy("git", before, patch + moved)).toEqual({
    "ü/new": { mode: "100755", text: text.replace("3", "three") },
    "dir/empty": { mode: "100644", text: "" },
  });
});

interface TwoTrees {
  readonly before: FileTree;
  readonly after: FileTree;
  readonly context: number;
}

function applied(program: "git" | "patch", { before, after, context }: TwoTrees): FileTree {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const patches = names.flatMap((path) => {
    const [a, b] = [before[path], after[path]];
    if (a?.mode === b?.mode && a?.text === b?.text) return [];
    const sides = {
      ...(a === undefined ? {} : { old: { path, mode: a.mode } }),
      ...(b === undefined ? {} : { new: { path, mode: b.mode } }),
    };
    if (!isOtherType(sides))
      return [gitPatch({ ...sides, hunks: hunksOf(a?.text ?? "", b?.text ?? "", context) })];
    return [
      gitPatch({ old: { path, mode: a?.mode ?? "" }, hunks: hunksOf(a?.text ?? "", "", context) }),
      gitPatch({ new: { path, mode: b?.mode ?? "" }, hunks: hunksOf("", b?.text ?? "", context) }),
    ];
  });
  return appliedBy(program, before, patches.join(""));
}

function appliedBy(program: "git" | "patch", before: FileTree, patch: string): FileTree {
  const root = mkdtempSync(join(tmpdir(), "cinch-patch-"));
  try {
    write(root, before);
    const args =
      program === "git"
        ? ["apply", "--unidiff-zero", "--whitespace=nowarn", "-"]
        : ["--binary", "--force", "--silent", "--no-backup-if-mismatch", "-p1"];
    const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: root, GIT_CEILING_DIRECTORIES: dirname(root) };
    if (patch !== "") execFileSync(program, args, { cwd: root, input: patch, env, stdio: "pipe" });
    return read(root, "");
  } finally {
    rmSync(root, { recursive: true });
  }
}

function write(root: string, tree: FileTree): void {
  for (const [path, { mode, text }] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    if (mode === "120000") symlinkSync(text, join(root, path));
    else writeFileSync(join(root, path), text);
    if (mode === "100755") chmodSync(join(root, path), 0o755);
  }
}

function read(root: string, folder: string): FileTree {
  return Object.fromEntries(
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry): [string, Node][] => {
      const path = join(folder, entry.name);
      const at = join(root, path);
      if (entry.isDirectory()) return Object.entries(read(root, path));
      if (entry.isSymbolicLink()) return [[path, { mode: "120000", text: readlinkSync(at) }]];
      const mode = (lstatSync(at).mode & 0o100) === 0 ? "100644" : "100755";
      return [[path, { mode, text: readFileSync(at, "utf8") }]];
    }),
  );
}
