import { mistakesIn } from "../../config/mistakes.ts";
import { readProjectItems, readUserItems } from "../../guard/trust/review/find-items.ts";
import type { CheckedFile, FilesToCheck } from "../../session/commands/settings-check.ts";
import { parseAliases } from "./aliases.ts";
import { ALIAS_FILES } from "./trust-files.ts";

/** Reads the aliases of the user and of the project, with their mistakes. A session starts without them, too. */
export async function checkAliasFiles({
  world: { files },
  paths,
  root,
}: Pick<FilesToCheck, "world" | "paths" | "root">): Promise<readonly CheckedFile[]> {
  const userItems = await readUserItems(files, paths.config, ALIAS_FILES);
  const projects = await readProjectItems(files, root, ALIAS_FILES);
  const checked: CheckedFile[] = [];
  for (const { path, scope, files: read } of [...userItems.items, ...projects.items]) {
    const bytes = read[0]?.bytes ?? new Uint8Array();
    const { mistakes } = await mistakesIn((following) => parseAliases({ path, bytes }, following));
    checked.push({ path, scope, mistakes: mistakes.map((each) => ({ ...each, weight: "warning" })) });
  }
  return checked;
}
