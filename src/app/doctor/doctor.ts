import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { serverSection } from "../../config/sections/server.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import { vertexLocation } from "../../providers/vendor-settings.ts";
import type { DoctorCheck, DoctorFinding, ExaminationInput } from "../../session/commands/doctor-check.ts";
import { brokenFileFinding } from "../../session/commands/doctor-check.ts";
import type { SessionPlan } from "../../session/plan.ts";
import type { Config } from "../../session/settings/settings.ts";
import { inspectStore } from "../../session/sqlite/check/inspect.ts";
import { providersOf } from "../engine/open-store.ts";
import type { HarnessOptions } from "../engine/options.ts";
import { sessionHere } from "../plan/plan-here.ts";
import { namedProfile, profilesOf } from "../plan/settings.ts";
import { userConfig } from "../plan/user-config.ts";

/** A finding with the area that it was found in. */
export interface Diagnosis extends DoctorFinding {
  readonly area: string;
}

/** In the order in which they are shown: those of the program itself, then those of its features. */
const checksOf = (options: HarnessOptions): readonly DoctorCheck[] => [
  {
    area: "configuration",
    load: async () => ({ examine: ({ signal }) => examineConfiguration(options, signal) }),
  },
  { area: "pages", load: async () => ({ examine: examinePages }) },
  { area: "sandbox", load: async () => ({ examine: ({ signal }) => examineSandbox(options, signal) }) },
  { area: "providers", load: async () => ({ examine: (at) => examineProviders(options, at) }) },
  { area: "sessions", load: async () => ({ examine: (at) => examineSessions(options, at) }) },
  ...options.features.features.flatMap(({ check }) => check?.doctor ?? []),
];

/** Examines everything that cinch stores on this machine. Changes nothing (SES-16). */
export async function* examine(
  options: HarnessOptions,
  depth: "quick" | "full",
  signal: AbortSignal,
): AsyncGenerator<Diagnosis> {
  const config = await readable(() => userConfig(options));
  const logKey = async (from: Config) => await providersOf(options, from).credentials.logKey();
  const examined = {
    options,
    depth,
    signal,
    ...(config instanceof HarnessError ? {} : { config, logKey: () => logKey(config) }),
  };
  for (const { area, load } of checksOf(options)) {
    signal.throwIfAborted();
    const check = await load();
    for await (const finding of check.examine(examined)) yield { area, ...finding };
  }
}

async function* examineConfiguration(
  options: HarnessOptions,
  signal: AbortSignal,
): AsyncGenerator<DoctorFinding> {
  const { world, paths } = options;
  const reported = new Set<string>();
  const config = await readable(() => userConfig(options));
  if (config instanceof HarnessError) {
    reported.add(config.message);
    yield brokenFileFinding(config);
  }
  const directory = join(paths.config, "profiles");
  for (const { name, isOwn } of await profilesOf({ world, paths })) {
    if (!isOwn) continue;
    const profile = await readable(() => namedProfile(options, join(directory, `${name}.toml`)));
    if (profile instanceof HarnessError) {
      reported.add(profile.message);
      yield brokenFileFinding(profile);
    } else
      for (const text of profile.warnings)
        yield { weight: "note", text, remedy: "Put it right, or leave it out." };
  }
  const plan = await readable(() => planWithoutPlugins(options, signal));
  if (!(plan instanceof HarnessError) || reported.has(plan.message)) return;
  if (plan.reason === "ConfigInvalid" || plan.reason === "ProfileMissing") yield brokenFileFinding(plan);
  else yield { weight: "note", text: plan.message, remedy: "Until then no session starts in this folder." };
}

/**
 * Makes the plan of a session that would start here. Loads no plugin, so a rule may name any tool of theirs.
 * @throws HarnessError as the start of a session does.
 */
async function planWithoutPlugins(options: HarnessOptions, signal: AbortSignal): Promise<SessionPlan> {
  const here = await sessionHere(options, signal);
  const hasPlugins = here.files.has("plugin") || here.pending.some(({ item }) => item.kind === "plugin");
  const rules = hasPlugins ? { rules: [], tools: [], isPending: true } : undefined;
  return (await here.openPlans(rules)).current;
}

/** Reports the web pages that may talk to an engine of this user. */
async function* examinePages({ config }: ExaminationInput): AsyncGenerator<DoctorFinding> {
  if (config === undefined) return;
  const { allowOrigins } = settingsOf(serverSection, { config });
  if (allowOrigins.length === 0) return;
  const text = `pages of these origins may call your engine: ${allowOrigins.join(", ")}.`;
  yield { weight: "note", text, remedy: "They still need a token. Take out those that you no longer use." };
}

/** Reports a path of the user's settings that takes the sandbox from every command. */
async function* examineSandbox(options: HarnessOptions, signal: AbortSignal): AsyncGenerator<DoctorFinding> {
  const { refusedHiddenPaths } = await import("../explain/hidden-paths-check.ts");
  const found = await readable(() => refusedHiddenPaths(options, signal));
  if (found instanceof HarnessError) return; // the examination of the configuration has reported it
  for (const { path, line, key, listed, why } of found) {
    const remedy = `Take "${listed}" out of ${key}. Until then no command runs in this folder.`;
    yield { weight: "damage", text: `${path}:${line}: ${key}: ${why}.`, remedy };
  }
}

/** Reports the state of credentials that are more than a key. Sends nothing over the network. */
async function* examineProviders(
  options: HarnessOptions,
  { config }: ExaminationInput,
): AsyncGenerator<DoctorFinding> {
  if (config === undefined) return;
  const stored = await readable(() => providersOf(options, config).credentials.list());
  if (stored instanceof HarnessError) {
    yield { weight: "damage", text: stored.message, remedy: "Put it right; no key can be used meanwhile." };
    return;
  }
  for (const { provider, source, problem } of stored) {
    if (problem !== undefined) {
      const remedy = "Until then this provider cannot be asked.";
      yield { weight: "note", text: `${provider}: ${problem}`, remedy };
    } else if (provider === "vertex") {
      yield vertexState(source, options.wishes.environment, config);
    } else if (provider === "copilot") {
      const remedy = "Try it: cinch models. Log in again: cinch creds login copilot.";
      yield { weight: "note", text: `copilot: logged in, by ${source}.`, remedy };
    }
  }
}

function vertexState(
  source: string,
  environment: HarnessOptions["wishes"]["environment"],
  config: Config,
): DoctorFinding {
  try {
    const { project, region } = vertexLocation(environment, config.vertex);
    const text = `vertex: project ${project} in ${region}, by ${source}.`;
    return { weight: "note", text, remedy: "Try it: cinch -p hello --model vertex:sonnet." };
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    return { weight: "note", text: thrown.message, remedy: "Until then this provider cannot be asked." };
  }
}

async function* examineSessions(
  options: HarnessOptions,
  { config, depth, signal }: ExaminationInput,
): AsyncGenerator<DoctorFinding> {
  const { world, paths } = options;
  const path = join(paths.data, "sessions.db");
  if (config === undefined) {
    // Where keys are is not known then, so nothing sealed is opened.
    yield* inspectStore({ path, world, depth: "quick", signal });
    return;
  }
  const logKey = async () => {
    const { credentials } = providersOf(options, config);
    const key = await credentials.logKey();
    return { key, source: credentials.state().machineKey ?? "this installation" };
  };
  yield* inspectStore({ path, world, depth, signal, logKey });
}

async function readable<Value>(read: () => Promise<Value>): Promise<Value | HarnessError> {
  try {
    return await read();
  } catch (thrown) {
    if (thrown instanceof HarnessError) return thrown;
    throw thrown;
  }
}
