import { resolve } from "node:path";
import { childEnvironment } from "../base/child-environment.ts";
import { defined } from "../base/defined.ts";
import { profileFromHere } from "../config/profile-path.ts";
import type { CommandOf } from "../protocol/commands/commands.ts";
import type { SessionWishes } from "../session/plan.ts";
import { credentialPlaces } from "./secrets.ts";
import type { Settings } from "./settings.ts";

type Create = CommandOf<"CreateSession">;

export interface RequestOptions {
  readonly settings: Settings;
  /** This process: `workingDir` is absolute and resolved. */
  readonly at: { readonly workingDir: string };
  /** True if the engine runs on another machine, with its own folders and environment. */
  readonly elsewhere?: boolean;
}

/** Returns the request for a new session by a command line. It holds no secret: no engine gets one. */
export async function sessionRequest({ settings, at, elsewhere = false }: RequestOptions): Promise<Create> {
  const { profile, model } = settings;
  const sessionSettings = elsewhere ? defined({ workingDir: settings.cwd }) : { workingDir: at.workingDir };
  return {
    kind: "CreateSession",
    ...sessionSettings,
    ...(profile === undefined ? {} : { profile: elsewhere ? profile : profileFromHere(profile) }),
    ...defined({ model }),
    run: {
      ...flagsOf(settings, elsewhere),
      asksTrust: process.stdin.isTTY === true,
      ...(elsewhere ? {} : { environment: publicEnvironment(await secretsHere(settings)) }),
    },
  };
}

async function secretsHere(settings: Settings): Promise<Readonly<Record<string, string>>> {
  return (await credentialPlaces(process.env, settings)).variables;
}

/** Returns true if the command line has flags that change how a session is run. */
export function hasRunFlags(settings: Settings): boolean {
  return settings.profile !== undefined || Object.keys(flagsOf(settings, true)).length > 0;
}

function flagsOf(settings: Settings, elsewhere: boolean): NonNullable<Create["run"]> {
  const { level, effort, autoApprove, strictPermissions, maxTurns, maxCostUsd, maxTimeMs, lockfile } =
    settings;
  const { withoutProject, allowProjectHooks, planMode, appendSystemPrompt, allow, addDirs } = settings;
  return {
    ...defined({ level, effort }),
    ...(autoApprove ? { autoApprove } : {}),
    ...(strictPermissions ? { strictPermissions } : {}),
    ...(planMode ? { planMode } : {}),
    ...defined({ maxTurns, maxCostUsd, maxTimeMs, appendSystemPrompt }),
    ...(allow === undefined ? {} : { allow: [...allow] }),
    ...(addDirs === undefined ? {} : { addDirs: foldersFromHere(addDirs, elsewhere) }),
    ...(withoutProject ? { withoutProject } : {}),
    ...(allowProjectHooks ? { allowProjectHooks } : {}),
    ...(lockfile === undefined ? {} : { lockfile: elsewhere ? lockfile : resolve(lockfile) }),
  };
}

/** Returns absolute paths; those of another machine as they are. */
function foldersFromHere(folders: readonly string[], elsewhere = false): string[] {
  return folders.map((path) => (elsewhere ? path : resolve(path)));
}

/**
 * Returns the environment of this terminal, for processes of the session's tools.
 * @param secrets the variables that hold a secret of cinch.
 */
export function publicEnvironment(
  secrets: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const secret = new Set(Object.keys(secrets));
  return childEnvironment(process.env, (name) => !secret.has(name));
}

/** Returns the wishes of a command line for its session, but for a recording. */
export function sessionWishes(
  settings: Settings,
  environment: Readonly<Record<string, string>>,
): Omit<SessionWishes, "attended" | "record"> {
  const { effort, level, maxTurns, maxCostUsd, maxTimeMs, orphans, lockfile, appendSystemPrompt } = settings;
  const { allow, addDirs } = settings;
  return {
    environment,
    autoApprove: settings.autoApprove,
    strictPermissions: settings.strictPermissions,
    planMode: settings.planMode,
    withoutProject: settings.withoutProject,
    allowProjectHooks: settings.allowProjectHooks,
    ...(lockfile === undefined ? {} : { lockfile: resolve(lockfile) }),
    ...defined({ effort, level, maxTurns, maxCostUsd, maxTimeMs, orphans, appendSystemPrompt, allow }),
    ...(addDirs === undefined ? {} : { addDirs: foldersFromHere(addDirs) }),
  };
}
