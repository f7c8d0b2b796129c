import { join } from "node:path";
import { HarnessError } from "../base/errors.ts";
import type { Files, World } from "../base/world.ts";
import { repositoryRoot } from "../context/context-source.ts";
import { assertProjectsServers } from "../profile/mcp.ts";
import type { Profile } from "../profile/profile.ts";
import { loadProfile } from "../profile/profile.ts";
import { EMBEDDED, isProfilePath } from "../profile/profile-files.ts";
import { NOT_A_PROJECTS, USERS_OWN } from "../profile/project.ts";
import { Table } from "../profile/table.ts";
import { invalid, parseToml } from "../profile/toml.ts";
import type { TrustItem } from "../trust/ledger/item.ts";
import { projectFiles } from "../trust/ledger/project-files.ts";
import type { RunDefaults } from "./run-parts.ts";
import { isFileWithin } from "./run-profile.ts";

/**
 * Loads the profile of a session. One that lies in a repository's own folders is that repository's: it counts only as
 * it was acknowledged, its presets too, and can only restrict (TOFU-01, PROF-03).
 */
export async function openProfile(
  name: string,
  workingDir: string,
  defaults: Pick<RunDefaults, "world" | "paths" | "lockfile">,
): Promise<Profile> {
  const { world, paths } = defaults;
  const profiles = join(paths.config, "profiles");
  const root = isProfilePath(name) ? await projectOf(world, name, workingDir) : undefined;
  if (root === undefined) {
    const profile = await loadProfile(world, name, profiles);
    if (await isFileWithin(workingDir, name, defaults)) assertRunsNothing(profile);
    return profile;
  }
  const path = await world.files.realpath(name);
  const { items } = await projectFiles(world.files, root);
  const wanted = items.filter(({ kind }) => kind === "profile" || kind === "permission-preset");
  const { judgeItems } = await import("./trust-gate.ts");
  const { pending } = await judgeItems(defaults, wanted, { root, promoteProse: false });
  const refused = new Set(pending.map(({ item }) => item));
  const trusted = wanted.filter((item) => !refused.has(item));
  const file = trusted.find((item) => item.path === path)?.files[0];
  if (file === undefined) throw new HarnessError("TrustRefused", { paths: name });
  const table = new Table(await parseToml(path, file.bytes));
  const users = table.keys().find((key) => isUsers(key) && !isHarmless(key, table));
  if (users !== undefined) throw table.problem(users, NOT_A_PROJECTS);
  return restricting(await loadProfile({ files: held(world.files, root, trusted) }, path, profiles), table);
}

/** Of what only the user may set elsewhere, the keys that a repository's profile may hold. */
const PROJECTS_KEYS: readonly string[] = [
  "default_model",
  "context_sources",
  "skill_packs",
  "tool_packs",
  "tool_execution",
  "mcp_servers",
];

/** A repository hides files from its sandbox in its config.toml; in a profile the table could let commands out. */
function isUsers(key: string): boolean {
  return key === "sandbox" || (USERS_OWN.includes(key) && !PROJECTS_KEYS.includes(key));
}

/** To say no to what is not allowed anyway. */
function isHarmless(key: string, table: Table): boolean {
  return key === "allow_project_hooks" && table.boolean(key) === false;
}

/** The project in whose own folders a file lies, whatever links lead there. */
async function projectOf({ files }: World, name: string, workingDir: string): Promise<string | undefined> {
  if ((await files.stat(name)) === undefined) return undefined; // loading it tells that
  const path = await files.realpath(name);
  const here = await files.realpath(workingDir);
  const root = (await repositoryRoot(files, here)) ?? here;
  return [".cinch", ".agents"].some((folder) => path.startsWith(`${join(root, folder)}/`)) ? root : undefined;
}

/** The file system with the bytes that were acknowledged in place of the project's files, and no others of it. */
function held(files: Files, root: string, items: readonly TrustItem[]): Files {
  const bytes = new Map(items.map(({ path, files: [file] }) => [path, file?.bytes ?? new Uint8Array()]));
  const isOurs = (path: string) => path.startsWith(`${root}/`);
  return {
    ...files,
    async stat(path) {
      if (!isOurs(path)) return await files.stat(path);
      const size = bytes.get(path)?.length;
      if (size === undefined) return undefined;
      return { kind: "file", size, modifiedMs: 0, mode: 0o600, identity: path };
    },
    async read(path, bytesMax) {
      return bytes.get(path) ?? (await files.read(path, bytesMax));
    },
  };
}

/**
 * Who names a file of a repository by its path takes its word for everything but programs: a clone brings both (MCP-04,
 * HOOK-02).
 * @throws HarnessError ConfigInvalid.
 */
function assertRunsNothing({ path: file, mcpServers, hooks, allowProjectHooks, diagnostics }: Profile): void {
  assertProjectsServers(mcpServers);
  const [hook] = hooks;
  if (hook !== undefined) throw invalid(hook.where.path, hook.where.line, "hooks", NO_HOOKS);
  if (allowProjectHooks) throw invalid(file, 1, "allow_project_hooks", NO_LEAVE_FOR_HOOKS);
  const unconfined = diagnostics.find((source) => source.unconfined);
  if (unconfined !== undefined)
    throw invalid(file, 1, "diagnostics", `${unconfined.name}: ${NOT_UNCONFINED}`);
}

const NO_HOOKS =
  "a profile that lies in the repository may run no hooks: put it among your own profiles, or the hooks into .cinch/hooks, where they are acknowledged";
const NO_LEAVE_FOR_HOOKS =
  "a profile that lies in the repository may not say this: put it among your own profiles, or write --allow-project-hooks";
const NOT_UNCONFINED =
  "a profile that lies in the repository may run nothing without a sandbox: take unconfined out, or put the profile among your own";

function restricting(profile: Profile, table: Table): Profile {
  const { permissions, mcpServers } = profile;
  const allows = permissions.rules.some(
    ({ effect, where }) => effect === "allow" && !where.path.startsWith(EMBEDDED),
  );
  if (permissions.level === "DangerFullAccess")
    throw table.problem("permissions", "a repository can only lower the level");
  if (allows) throw table.problem("permissions", "a repository's rules can only ask or deny");
  assertProjectsServers(mcpServers);
  return profile;
}
