import type { HarnessPaths } from "../../../base/files/harness-paths.ts";
import type { World } from "../../../base/world.ts";
import type { SessionWishes } from "../../../session/plan.ts";

/** Returns wishes with their added folders resolved. @throws HarnessError InvalidPath: see `addedFolders`. */
export async function withAddedFolders(
  wishes: SessionWishes,
  {
    world,
    paths,
    root,
  }: { readonly world: Pick<World, "files">; readonly paths: HarnessPaths; readonly root: string },
): Promise<SessionWishes> {
  const { addDirs: named, ...others } = wishes;
  if (named === undefined) return wishes;
  const { addedFolders } = await import("./added-folders.ts");
  const home = wishes.environment["HOME"];
  const addDirs = await addedFolders(named, { files: world.files, paths, root, home });
  return addDirs.length === 0 ? others : { ...others, addDirs };
}
