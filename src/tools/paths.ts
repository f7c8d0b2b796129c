import { basename, dirname, join, relative, resolve } from "node:path";
import { fileCause } from "../base/files/file-cause.ts";
import type { FileInfo, Files } from "../base/world.ts";
import { codeOf, PathMoved } from "../base/world.ts";
import { isInside, isInWorkspace } from "./containment.ts";
import type { CallPlan, PathUse, ToolContext } from "./tool.ts";
import { ToolFailure } from "./tool.ts";

/** A path of a call, resolved to its real target. */
export interface ResolvedPath {
  /** Absolute, every symlink resolved; for a new file, that of its nearest existing parent. */
  readonly path: string;
  /** Absolute path as the call spelled it, `.` and `..` removed. */
  readonly spelled: string;
  /** For people and the model: relative to the root if it is inside, else absolute. */
  readonly shown: string;
  /** True if it is in the workspace. */
  readonly inside: boolean;
  /** Information about the file; undefined if it does not exist. */
  readonly info: FileInfo | undefined;
}

/**
 * Resolves a path of the model, relative to Bash's current directory.
 *
 * A path outside the workspace is resolved like any other: the permission gate decides whether it may be used. A path
 * that cannot be resolved with certainty is refused, never passed on as written (S22, S23).
 * @throws ToolFailure
 */
export async function resolvePath(input: string, context: ToolContext): Promise<ResolvedPath> {
  const { workspace, world } = context;
  const problem = problemOf(input);
  if (problem !== undefined)
    throw new ToolFailure(`${JSON.stringify(input.slice(0, 200).toWellFormed())}: ${problem}`);
  const spelled = resolve(workspace.cwd, input);
  try {
    // Both at once: most paths are spelled as they resolve.
    const [path, before] = await Promise.all([followed(spelled, world.files), world.files.lstat(spelled)]);
    const info = path === spelled ? before : await world.files.lstat(path);
    if (info?.kind === "symlink") throw new PathMoved(path);
    const shown = isInside(workspace.root, path) ? relative(workspace.root, path) || "." : path;
    return { path, spelled, shown, inside: isInWorkspace(workspace, path), info };
  } catch (thrown) {
    throw fileFailure(thrown, input);
  }
}

function problemOf(input: string): string | undefined {
  if (input === "") return "the path is empty";
  if (input.includes("\0")) return "a path cannot hold a NUL character";
  if (!input.isWellFormed()) return "the path holds half a character (a lone surrogate)";
  if (input === "~" || input.startsWith("~/")) return "~ is not expanded here: give an absolute path, or ./~";
  return undefined;
}

async function followed(path: string, files: Files): Promise<string> {
  try {
    return await files.realpath(path);
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT" || dirname(path) === path) throw thrown;
  }
  if ((await files.lstat(path)) !== undefined) {
    throw new ToolFailure(`${path} is a symbolic link to something that does not exist`);
  }
  return join(await followed(dirname(path), files), basename(path));
}

/**
 * Builds the plan of a call on one path for the permission gate (PERM-09): `Tool:path`, the accesses, and the level.
 * A change outside the workspace needs DangerFullAccess.
 */
export function pathPlan(
  tool: string,
  target: ResolvedPath,
  accesses: readonly PathUse["access"][],
): CallPlan {
  const spelled = target.spelled === target.path ? {} : { spelled: target.spelled };
  const paths = accesses.map((access) => ({ path: target.path, access, ...spelled }));
  const escapes = !target.inside && accesses.includes("write");
  return {
    summary: `${tool}:${escapeControls(target.shown)}`,
    target: { kind: "paths", paths },
    ...(target.info === undefined ? {} : { info: target.info }),
    ...(escapes ? { level: "DangerFullAccess" } : {}),
  };
}

/** Escapes control characters, so that a name fits one line of output. */
export function escapeControls(name: string): string {
  return name.replaceAll(/[\p{Cc}\u2028\u2029]/gu, (unit) => JSON.stringify(unit).slice(1, -1));
}

/** Converts a file system error to a text that the model can use. Other errors are returned unchanged. */
export function fileFailure(thrown: unknown, shown: string): unknown {
  if (thrown instanceof PathMoved) return new ToolFailure(`${shown}: ${thrown.message}`, { cause: thrown });
  if (codeOf(thrown) === undefined) return thrown;
  return new ToolFailure(`${shown}: ${fileCause(thrown)}`, { cause: thrown });
}
