import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { realPathIfThere } from "../../base/files/real-path.ts";
import { configKeys } from "../../config/config.ts";
import { profileKeys } from "../../config/profile.ts";
import { profileFromHere } from "../../config/profile-path.ts";
import type { WrittenKey } from "../../config/settings/written-keys.ts";
import { sandboxSection } from "../../guard/sandbox/config.ts";
import { expandHome } from "../../guard/sandbox/policy/credential-paths.ts";
import { resolveHome } from "../../guard/sandbox/policy/hidden-paths.ts";
import type { FilePosition } from "../../session/config-section.ts";
import type { SandboxRefusal } from "../../session/guard/sandbox.ts";
import type { HarnessOptions } from "../engine/options.ts";
import { profileHere } from "../plan/settings.ts";
import type { Finding } from "./check-profile.ts";
import { openExplainer } from "./explain.ts";

const HIDDEN = `${sandboxSection.name}.${sandboxSection.keys.hidden.key}`;

/** A path of the user's settings with which no command of a session runs. */
export interface RefusedHiddenPath extends FilePosition, SandboxRefusal {
  /** The path as the file names it. */
  readonly listed: string;
}

/**
 * Returns the path under `hidden` of config.toml or the profile with which the sandbox of a session here refuses every
 * command, by the trial that `permissions explain` makes. Starts nothing if neither file hides anything, and returns
 * nothing if no session can start.
 */
export async function refusedHiddenPaths(
  options: HarnessOptions,
  signal: AbortSignal,
): Promise<readonly RefusedHiddenPath[]> {
  const listed = await hiddenKeys(options);
  if (listed.length === 0) return [];
  const refusal = await refusalHere(options, signal);
  if (refusal?.place === undefined) return [];
  const { files } = options.world;
  const home = await resolveHome(files, options.wishes.environment["HOME"]);
  const found = listed.map(async ({ value, path, line, key }): Promise<readonly RefusedHiddenPath[]> => {
    const real = await realPathIfThere(files, expandHome(value, home));
    return real === refusal.place ? [{ ...refusal, listed: value, path, line, key }] : [];
  });
  return (await Promise.all(found)).flat();
}

/**
 * Returns `refusedHiddenPaths` as warnings: of a session here, and of one under each profile that hides paths. The
 * files must be free of errors.
 */
export async function hiddenPathWarnings(
  options: HarnessOptions,
  profiles: readonly string[],
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const warnings = new Map<string, Finding>();
  const add = async (session: HarnessOptions) => {
    for (const { path, line, key, listed, why } of await refusedHiddenPaths(session, signal)) {
      const problem = `"${listed}" lets no command run, since ${why}: take it out`;
      const text = `${path}:${line}: ${key}: ${problem}`;
      warnings.set(text, { weight: "warning", path, line, key, problem, text });
    }
  };
  await add(options);
  for (const name of profiles) {
    const profile = profileFromHere(name);
    if (hiddenIn(await keysOfProfile(options, profile)).length > 0) await add({ ...options, profile });
  }
  return [...warnings.values()];
}

async function hiddenKeys(options: HarnessOptions) {
  const { world, paths, features } = options;
  const ofConfig = await configKeys(world, join(paths.config, "config.toml"), features.sections);
  return hiddenIn([...ofConfig, ...(await keysOfProfile(options, await profileHere(options)))]);
}

async function keysOfProfile({ world, paths, features }: HarnessOptions, profile: string) {
  return await profileKeys(world, profile, join(paths.config, "profiles"), features.sections);
}

function hiddenIn(keys: readonly WrittenKey[]) {
  return keys.flatMap(({ id, value, path, line, key }) =>
    id === HIDDEN && Array.isArray(value)
      ? value.flatMap((each: unknown) => (typeof each === "string" ? [{ value: each, path, line, key }] : []))
      : [],
  );
}

/** Returns why the sandbox of a session here refuses every command; undefined if it does not, or no session starts. */
async function refusalHere(options: HarnessOptions, signal: AbortSignal) {
  try {
    await using explainer = await openExplainer(options, signal);
    const trial = await explainer.trySandbox();
    return trial.kind === "refused" ? trial.refusal : undefined;
  } catch (thrown) {
    if (thrown instanceof HarnessError) return undefined; // the start of a session reports it
    throw thrown;
  }
}
