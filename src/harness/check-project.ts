import { dirname, join } from "node:path";
import type { Files } from "../base/world.ts";
import { parseAliases } from "../profile/aliases.ts";
import { acknowledgedHooks } from "../profile/hooks.ts";
import { acknowledgedServers } from "../profile/mcp.ts";
import type { Mistake } from "../profile/mistakes.ts";
import { mistakesIn } from "../profile/mistakes.ts";
import type { Profile } from "../profile/profile.ts";
import { projectConfig, projectPermissions } from "../profile/project.ts";
import type { Following } from "../profile/table.ts";
import type { TrustItem } from "../trust/ledger/item.ts";
import { projectFiles } from "../trust/ledger/project-files.ts";
import { projectRoot } from "./project-profile.ts";

/** What the rules and hooks of one file are about. */
type Said = Pick<Profile, "permissions" | "hooks">;

/** What of a project steers a session there, and what is wrong with it. */
export interface ProjectLook {
  /** Its profiles, by their paths. */
  readonly profiles: readonly string[];
  /** What else was looked through. */
  readonly files: readonly FileLook[];
}

interface FileLook {
  readonly path: string;
  readonly said: Said;
  readonly mistakes: readonly Mistake[];
}

const NOTHING: Said = { permissions: { rules: [] }, hooks: [] };
const KINDS = ["config", "permission-preset", "hook", "mcp", "alias-file", "profile"] as const;

/** Looks through the settings, hooks, servers and aliases of the project of a folder, be they acknowledged or not. */
export async function lookThroughProject(files: Files, workingDir: string): Promise<ProjectLook> {
  const root = await projectRoot(files, workingDir);
  const { items } = await projectFiles(files, root, KINDS);
  const profiles = items.filter(({ kind }) => kind === "profile").map(({ path }) => path);
  const looked: FileLook[] = [];
  for (const item of items) {
    const read = readerOf(item, root);
    if (read === undefined) continue;
    const { value: said = NOTHING, mistakes } = await mistakesIn(read);
    // Without its servers or aliases a session begins all the same.
    const weight = item.kind === "mcp" || item.kind === "alias-file" ? "warning" : "error";
    looked.push({ path: item.path, said, mistakes: mistakes.map((each) => ({ ...each, weight })) });
  }
  return { profiles, files: looked };
}

/** How a file is read as a session would; undefined for scripts, and for presets, which profiles are read with. */
function readerOf(
  { kind, path, files: [file] }: TrustItem,
  root: string,
): ((following: Following) => Promise<Said>) | undefined {
  if (file === undefined || !/\.(?:toml|json)$/.test(path)) return undefined;
  const { bytes } = file;
  switch (kind) {
    case "config":
      return async (following) => ({ ...NOTHING, ...(await projectConfig({ path, bytes }, following)) });
    case "permission-preset":
      if (dirname(path) !== join(root, ".cinch")) return undefined;
      return async (following) => ({ ...NOTHING, ...(await projectPermissions({ path, bytes }, following)) });
    case "hook":
      if (!path.endsWith(".toml")) return undefined;
      return async (following) => ({
        ...NOTHING,
        hooks: await acknowledgedHooks({ path, bytes }, following),
      });
    case "mcp":
      return async (following) => {
        await acknowledgedServers({ path, bytes }, following);
        return NOTHING;
      };
    case "alias-file":
      return async (following) => {
        await parseAliases({ path, bytes }, following);
        return NOTHING;
      };
    default:
      return undefined;
  }
}
