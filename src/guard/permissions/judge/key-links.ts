import type { Files } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";
import type { CallPlan } from "../../../tools/tool.ts";
import type { KeyFiles } from "../../sandbox/policy/key-files.ts";

/**
 * Returns the plan with the path of each key of which one of its files is another name: the gate judges both (S22).
 */
export async function withKeyNames(
  plan: CallPlan,
  files: Files,
  keys: KeyFiles | undefined,
): Promise<CallPlan> {
  const { target } = plan;
  if (target.kind !== "paths" || keys === undefined) return plan;
  // One name: the file is no other name of anything. Reading it checks that it is still this file.
  if (plan.info?.kind === "file" && plan.info.links === 1) return plan;
  const paths = await Promise.all(
    target.paths.map(async (use) => {
      const linked = await keyNameOf(use.path, files, keys);
      return linked === undefined ? use : { ...use, linked };
    }),
  );
  return paths.some(({ linked }) => linked !== undefined) ? { ...plan, target: { ...target, paths } } : plan;
}

/** Returns the path of the key of which a resolved path is another name. */
export async function keyNameOf(path: string, files: Files, keys: KeyFiles): Promise<string | undefined> {
  try {
    const info = await files.lstat(path);
    return info === undefined ? undefined : await keys.keyOf(path, info);
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return undefined; // a file that cannot be inspected cannot be read either
  }
}

/** Returns the other names of keys below the directories that a call reads: a search must not show them. */
export async function keyNamesBelow(
  { target, info }: CallPlan,
  files: Files,
  keys: KeyFiles | undefined,
): Promise<ReadonlyMap<string, string>> {
  if (target.kind !== "paths" || keys === undefined || info?.kind === "file") return new Map();
  const found = await Promise.all(
    target.paths.map(async ({ path }) => {
      const isFolder = (await files.lstat(path))?.kind === "directory";
      return isFolder ? await keys.linksBelow(path) : new Map<string, string>();
    }),
  );
  return new Map(found.flatMap((names) => [...names]));
}
