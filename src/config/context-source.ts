import { dirname, join } from "node:path";
import type { Files } from "../base/world.ts";

/** A file that a source names. */
export interface SourceFile {
  readonly path: string;
  readonly source: string;
}

const RULE_FILES_MAX = 32;
const ANCESTORS_MAX = 64;

/** The nearest folder upwards that holds `.git`, a directory or a worktree's file; undefined outside a repository. */
export async function repositoryRoot(files: Files, workingDir: string): Promise<string | undefined> {
  let directory = workingDir;
  for (let step = 0; step < ANCESTORS_MAX; step++) {
    if ((await files.lstat(join(directory, ".git"))) !== undefined) return directory;
    const parent = dirname(directory);
    if (parent === directory) return undefined;
    directory = parent;
  }
  return undefined;
}

/** The folders from the root down to the working directory, both included. */
export function pathDown(root: string, workingDir: string): readonly string[] {
  const folders = [workingDir];
  for (let directory = workingDir; directory !== root && directory !== dirname(directory); ) {
    directory = dirname(directory);
    folders.unshift(directory);
  }
  return folders;
}

/** Tells whether a source names files below a folder: relative, without `..`, `*` only in the last part. */
export function isSource(source: string): boolean {
  const parts = source.split("/");
  const folders = parts.slice(0, -1);
  return (
    source !== "" &&
    !source.startsWith("/") &&
    !parts.includes("..") &&
    !folders.some((part) => part.includes("*"))
  );
}

/** The files that a source may mean in one folder, in the order of their names. They need not exist. */
export async function filesOf(files: Files, folder: string, source: string): Promise<readonly SourceFile[]> {
  if (!source.includes("*")) return [{ path: join(folder, source), source }];
  const directory = join(folder, dirname(source));
  if ((await files.stat(directory))?.kind !== "directory") return [];
  const pattern = new Bun.Glob(source.slice(source.lastIndexOf("/") + 1));
  const names = (await files.list(directory)).map(({ name }) => name).filter((name) => pattern.match(name));
  return names
    .sort()
    .slice(0, RULE_FILES_MAX)
    .map((name) => ({ path: join(directory, name), source }));
}
