import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import type { LogId } from "../../base/ids.ts";
import type { Config } from "../../config/config.ts";
import { listProfiles } from "../../config/profile-files.ts";
import { examineCheckpoints } from "../../features/checkpoints/doctor-checkpoints.ts";
import { userFiles } from "../../guard/trust/review/project-files.ts";
import { vertexPlace } from "../../providers/vendor-settings.ts";
import { inspectStore } from "../../session/sqlite/check/inspect.ts";
import { providersOf } from "../engine/open-store.ts";
import type { HarnessOptions } from "../engine/options.ts";
import { namedProfile, userConfig } from "../plan/settings.ts";

/** Something that an examination found: "damage" is to be repaired, a "note" is worth knowing. */
export interface Ailment {
  readonly weight: "damage" | "note";
  readonly logId?: LogId;
  /** What is wrong and where, in a sentence. */
  readonly text: string;
  /** What to do about it. */
  readonly remedy: string;
}

/** What one room looks at. It changes nothing, and whatever it meets is an ailment, never thrown. */
export interface Examination {
  /** What is looked at, in a word or two: "configuration", "sessions". */
  readonly area: string;
  readonly run: (examined: Examined) => AsyncIterable<Ailment>;
}

export interface Examined {
  readonly options: HarnessOptions;
  /** Absent where it cannot be read, which is told under "configuration". */
  readonly config?: Config;
  readonly depth: "quick" | "full";
  readonly signal: AbortSignal;
}

export interface Diagnosis extends Ailment {
  readonly area: string;
}

/** In the order in which they are told. */
const EXAMINATIONS: readonly Examination[] = [
  { area: "configuration", run: examineConfiguration },
  { area: "prompts", run: examineWritten },
  { area: "providers", run: examineProviders },
  { area: "sessions", run: examineSessions },
  { area: "checkpoints", run: examineCheckpoints },
  { area: "worktrees", run: worktreesLeft },
  { area: "tasks", run: examineTasks },
];

/** Looks through everything that cinch keeps on this machine, and changes nothing (SES-16). */
export async function* examine(
  options: HarnessOptions,
  depth: "quick" | "full",
  signal: AbortSignal,
): AsyncGenerator<Diagnosis> {
  const config = await readable(() => userConfig(options));
  const examined = { options, depth, signal, ...(config instanceof HarnessError ? {} : { config }) };
  for (const { area, run } of EXAMINATIONS) {
    signal.throwIfAborted();
    for await (const ailment of run(examined)) yield { area, ...ailment };
  }
}

/** Loaded where any were ever made. */
async function* worktreesLeft(examined: Examined): AsyncGenerator<Ailment> {
  const { world, paths } = examined.options;
  if ((await world.files.stat(join(paths.data, "worktrees"))) === undefined) return;
  yield* (await import("../../features/subagents/agents-review.ts")).examineWorktrees(examined);
}

/** Files of scheduled tasks that are none, and so never run. */
async function* examineTasks({ options }: Examined): AsyncGenerator<Ailment> {
  const { world, paths } = options;
  if ((await world.files.stat(join(paths.data, "tasks"))) === undefined) return;
  const { openSchedule } = await import("../../features/tasks/open-schedule.ts");
  const scheduled = await readable(() => openSchedule(options).list());
  if (scheduled instanceof HarnessError) yield broken(scheduled);
  else for (const problem of scheduled.problems) yield broken(problem);
}

async function* examineConfiguration({ options }: Examined): AsyncGenerator<Ailment> {
  const { world, paths } = options;
  const config = await readable(() => userConfig(options));
  if (config instanceof HarnessError) yield broken(config);
  const directory = join(paths.config, "profiles");
  for (const { name, isOwn } of await listProfiles(world, directory)) {
    if (!isOwn) continue;
    const profile = await readable(() => namedProfile(options, join(directory, `${name}.toml`)));
    if (profile instanceof HarnessError) yield broken(profile);
    else
      for (const text of profile.warnings)
        yield { weight: "note", text, remedy: "Put it right, or leave it out." };
  }
}

/** The prompts and aliases of the user's own: without such a file a session begins all the same. */
async function* examineWritten({ options }: Examined): AsyncGenerator<Ailment> {
  const { world, paths } = options;
  const { items } = await userFiles(world.files, paths.config, ["prompt-template", "alias-file"]);
  if (items.length === 0) return;
  const { readWritten } = await import("../../features/prompts/read-written.ts");
  for (const { text, weight } of (await readWritten(items)).told)
    if (weight === "error")
      yield { weight: "note", text: `${text}.`, remedy: "Put it right, or leave it out." };
}

/** Providers whose credentials are more than a key: how they stand. Nobody is asked over the network. */
async function* examineProviders({ options, config }: Examined): AsyncGenerator<Ailment> {
  if (config === undefined) return;
  const held = await readable(() => providersOf(options, config).credentials.held());
  if (held instanceof HarnessError) {
    yield { weight: "damage", text: held.message, remedy: "Put it right; no key can be used meanwhile." };
    return;
  }
  for (const { provider, source, problem } of held) {
    if (problem !== undefined) {
      const remedy = "Until then this provider cannot be asked.";
      yield { weight: "note", text: `${provider}: ${problem}`, remedy };
    } else if (provider === "vertex") {
      yield vertexState(source, options.environment, config);
    } else if (provider === "copilot") {
      const remedy = "Try it: cinch models. Log in anew: cinch creds login copilot.";
      yield { weight: "note", text: `copilot: logged in, by ${source}.`, remedy };
    }
  }
}

function vertexState(source: string, environment: HarnessOptions["environment"], config: Config): Ailment {
  try {
    const { project, region } = vertexPlace(environment, config.vertex);
    const text = `vertex: project ${project} in ${region}, by ${source}.`;
    return { weight: "note", text, remedy: "Try it: cinch -p hello --model vertex:sonnet." };
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    return { weight: "note", text: thrown.message, remedy: "Until then this provider cannot be asked." };
  }
}

async function* examineSessions({ options, config, depth, signal }: Examined): AsyncGenerator<Ailment> {
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

function _configPath({ paths }: HarnessOptions): string {
  return join(paths.config, "config.toml");
}

function broken(error: HarnessError): Ailment {
  return { weight: "damage", text: error.message, remedy: "Correct the file at this place." };
}

async function readable<Value>(read: () => Promise<Value>): Promise<Value | HarnessError> {
  try {
    return await read();
  } catch (thrown) {
    if (thrown instanceof HarnessError) return thrown;
    throw thrown;
  }
}
