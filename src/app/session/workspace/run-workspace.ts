import { isAbsolute, join } from "node:path";
import { defined } from "../../../base/defined.ts";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import type { HarnessPaths } from "../../../base/files/harness-paths.ts";
import { scratchFolder } from "../../../base/files/harness-paths.ts";
import { realPathIfThere } from "../../../base/files/real-path.ts";
import type { LogId } from "../../../base/ids.ts";
import type { World } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";
import { settingsOf } from "../../../config/settings/settings.ts";
import { sandboxSection } from "../../../guard/sandbox/config.ts";
import { expandHome } from "../../../guard/sandbox/policy/credential-paths.ts";
import type { Redactor } from "../../../safety/redact.ts";
import { redactor } from "../../../safety/redact.ts";
import type { LivePrints } from "../../../safety/secrets/known-prints.ts";
import type { SecretPrint } from "../../../safety/secrets/known-secret.ts";
import type { WritableFolders } from "../../../session/guard/writable-folders.ts";
import type { SessionWishes } from "../../../session/plan.ts";
import type { Config, Profile } from "../../../session/settings/settings.ts";
import type { Workspace } from "../../../tools/tool.ts";
import type { Providers } from "../../models/providers.ts";
import type { SessionEnvironment } from "../../plan/session-environment.ts";
import { sessionEnvironment } from "../../plan/session-environment.ts";

const SCRATCH_MODE = 0o700;

/** Session whose workspace is opened. */
export interface WorkspaceSources {
  readonly world: Pick<World, "files">;
  readonly paths: HarnessPaths;
  readonly providers: Pick<Providers, "secretVariables">;
  readonly logId: LogId;
  /** Working directory, absolute and resolved. */
  readonly root: string;
  readonly config: Config;
  readonly profile: Profile;
  /** Its added folders are resolved. */
  readonly wishes: Pick<SessionWishes, "environment" | "addDirs">;
  /** Folders that agents of the engine may write: gets those of the session. */
  readonly writable: WritableFolders;
  /** Fingerprints of the keys that are redacted. */
  readonly prints: readonly SecretPrint[] | LivePrints;
}

/** The workspace of a session, with its environment and what is redacted in it. */
export interface OpenedWorkspace {
  readonly environment: SessionEnvironment;
  readonly secrets: Redactor;
  readonly workspace: Workspace;
}

/** Opens the workspace of a session. Writes nothing. */
export async function openWorkspace(sources: WorkspaceSources): Promise<OpenedWorkspace> {
  const { world, paths, providers, logId, root, config, profile, wishes, prints, writable } = sources;
  const environment = await sessionEnvironment(wishes.environment, {
    ...{ files: world.files, root },
    keyVariables: providers.secretVariables,
    passEnv: settingsOf(sandboxSection, { config, profile }).passEnv,
  });
  const secrets = redactor(prints, environment.secrets);
  writable.add([root, ...(wishes.addDirs ?? []), ...(await listedFolders(sources))]);
  const { env, withheld } = environment;
  const workspace: Workspace = {
    ...{ root, cwd: root, env, withheld },
    scratch: join(scratchFolder(paths), logId),
    writable,
    seen: new Map(),
    readable: new Set(),
    ...defined({ added: wishes.addDirs }),
    redacting: () => secrets.stream(),
  };
  return { environment, secrets, workspace };
}

/** Returns the folders that the settings let commands write, as they are named and resolved. */
async function listedFolders({
  world,
  config,
  profile,
  wishes,
}: WorkspaceSources): Promise<readonly string[]> {
  const { writable = [] } = settingsOf(sandboxSection, { config, profile });
  const named = writable.map((each) => expandHome(each, wishes.environment["HOME"])).filter(isAbsolute);
  const resolved = await Promise.all(named.map((each) => realPathIfThere(world.files, each)));
  return [...named, ...resolved.filter((each) => each !== undefined)];
}

/** @throws HarnessError StoreUnwritable: spilled output belongs to the session. */
export async function createScratchFolder({ files }: World, path: string): Promise<void> {
  try {
    await files.makeDirectory(path, SCRATCH_MODE);
  } catch (cause) {
    throw new HarnessError("StoreUnwritable", { path, detail: messageOf(cause) }, { cause });
  }
}

/**
 * Removes git files that a command planted while cinch was killed (S26), and returns a notice for the person. Costs one
 * stat of a folder if nothing was left. Call it before git is run for the session.
 */
export async function removePlantedGitFiles(world: World, paths: HarnessPaths): Promise<readonly string[]> {
  const folder = join(paths.state, "sandboxes", "running");
  try {
    if ((await world.files.stat(folder)) === undefined) return [];
    if ((await world.files.list(folder)).length === 0) return [];
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "ENOENT") return [];
    if (code === undefined) throw thrown;
    const problem = "so cinch did not look for what a killed session's command left for git";
    return [`${folder} could not be read, ${problem}: ${messageOf(thrown)}. Repair or remove it.`];
  }
  const { disarmInterruptedRuns: disarmUnfinished } = await import(
    "../../../guard/sandbox/interrupted-runs.ts"
  );
  return await disarmUnfinished(world, folder);
}

/** Removes the folder of a session's spilled output if it is empty. */
export async function removeIfEmpty({ files }: World, directory: string): Promise<void> {
  if ((await files.stat(directory)) === undefined) return;
  if ((await files.list(directory)).length === 0) await files.remove(directory);
}
