import { basename, dirname, join, relative, resolve } from "node:path";
import { causeOf } from "../base/files/file-cause.ts";
import type { FileInfo, Files } from "../base/world.ts";
import { codeOf, PathMoved } from "../base/world.ts";
import { isInside } from "./containment.ts";
import type { CallPlan, PathUse, ToolContext } from "./tool.ts";
import { ToolFailure } from "./tool.ts";

/** A path of a call, followed to where it really leads. */
export interface ResolvedPath {
  /** Absolute, every symlink resolved; for a new file, of its nearest existing parent. */
  readonly path: string;
  /** As the call spelled it, absolute, `.` and `..` taken out. */
  readonly spelled: string;
  /** For people and the model: relative to the root where it is inside, else absolute. */
  readonly shown: string;
  readonly inside: boolean;
  /** Of the file itself; undefined where nothing is yet. */
  readonly info: FileInfo | undefined;
}

/**
 * Follows a path of the model to the file it means, relative to where Bash is now.
 *
 * A path outside the workspace is resolved like any other: whether it may be used is for the permission gate to say.
 * Whatever cannot be resolved for sure is refused, never passed on as it was written (S22, S23).
 * @throws ToolFailure
 */
export async function resolvePath(input: string, context: ToolContext): Promise<ResolvedPath> {
  const { workspace, world } = context;
  const problem = problemOf(input);
  if (problem !== undefined)
    throw new ToolFailure(`${JSON.stringify(input.slice(0, 200).toWellFormed())}: ${problem}`);
  const spelled = resolve(workspace.cwd, input);
  try {
    const path = await followed(spelled, world.files);
    const info = await world.files.lstat(path);
    if (info?.kind === "symlink") throw new PathMoved(path);
    const inside = isInside(workspace.root, path);
    return { path, spelled, shown: inside ? relative(workspace.root, path) || "." : path, inside, info };
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
 * What the permission gate is told of a call on one path (PERM-09): `Tool:path`, what it does there, and the level.
 * Changing something outside the workspace needs DangerFullAccess.
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
    summary: `${tool}:${oneLine(target.shown)}`,
    target: { kind: "paths", paths },
    ...(escapes ? { level: "DangerFullAccess" } : {}),
  };
}

/** A name as it may stand in a line of output: control characters show as escapes. */
export function oneLine(name: string): string {
  return name.replaceAll(/[\p{Cc}\u2028\u2029]/gu, (unit) => JSON.stringify(unit).slice(1, -1));
}

/** What went wrong with a file, in words the model can use. What is no failure of the disk is returned as it is. */
export function fileFailure(thrown: unknown, shown: string): unknown {
  if (thrown instanceof PathMoved) return new ToolFailure(`${shown}: ${thrown.message}`, { cause: thrown });
  if (codeOf(thrown) === undefined) return thrown;
  return new ToolFailure(`${shown}: ${causeOf(thrown)}`, { cause: thrown });
}
