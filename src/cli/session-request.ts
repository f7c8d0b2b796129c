import { resolve } from "node:path";
import { childEnvironment } from "../base/child-environment.ts";
import { defined } from "../base/defined.ts";
import { profileFromHere } from "../config/profile-path.ts";
import type { CommandOf } from "../protocol/commands/commands.ts";
import type { ProcessContext } from "./process-context.ts";
import { credentialPlaces } from "./secrets.ts";
import type { Settings } from "./settings.ts";

type Create = CommandOf<"CreateSession">;

export interface RequestOptions {
  readonly settings: Settings;
  readonly at: ProcessContext;
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
      ...(elsewhere ? {} : { environment: await publicEnvironment(settings) }),
    },
  };
}

/** Returns true if the command line has flags that change how a session is run. */
export function hasRunFlags(settings: Settings): boolean {
  return settings.profile !== undefined || Object.keys(flagsOf(settings, true)).length > 0;
}

function flagsOf(settings: Settings, elsewhere: boolean): NonNullable<Create["run"]> {
  const { level, effort, autoApprove, strictPermissions, maxTurns, maxCostUsd, maxTimeMs, lockfile } =
    settings;
  const { withoutProject, allowProjectHooks, planMode } = settings;
  return {
    ...defined({ level, effort }),
    ...(autoApprove ? { autoApprove } : {}),
    ...(strictPermissions ? { strictPermissions } : {}),
    ...(planMode ? { planMode } : {}),
    ...defined({ maxTurns, maxCostUsd, maxTimeMs }),
    ...(withoutProject ? { withoutProject } : {}),
    ...(allowProjectHooks ? { allowProjectHooks } : {}),
    ...(lockfile === undefined ? {} : { lockfile: elsewhere ? lockfile : resolve(lockfile) }),
  };
}

/** Returns the environment of this terminal, for processes of the session's tools. */
async function publicEnvironment(settings: Settings): Promise<Readonly<Record<string, string>>> {
  const secret = new Set(Object.keys((await credentialPlaces(process.env, settings)).variables));
  return childEnvironment(process.env, (name) => !secret.has(name));
}
