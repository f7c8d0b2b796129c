import { dirname, join } from "node:path";
import type { Files } from "../../base/world.ts";

/** A file that an entry of `context_sources` names. */
export interface SourceFile {
  readonly path: string;
  readonly source: string;
}

const RULE_FILES_MAX = 32;
/** Returns the folders from the root down to the working directory, both included. */
export function pathDown(root: string, workingDir: string): readonly string[] {
  const folders = [workingDir];
  for (let directory = workingDir; directory !== root && directory !== dirname(directory); ) {
    directory = dirname(directory);
    folders.unshift(directory);
  }
  return folders;
}

/** Returns true if a source names files below a folder: relative, without `..`, `*` only in the last part. */
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

/** Returns the files that a source may mean in one folder, in the order of their names. They need not exist. */
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
