import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { HarnessOptions } from "../app/engine/options.ts";
import { defined } from "../base/defined.ts";
import { HarnessError } from "../base/errors.ts";
import type { HarnessPaths } from "../base/files/harness-paths.ts";
import type { World } from "../base/world.ts";
import { profileFromHere } from "../config/profile-path.ts";
import type { StartedHelper } from "../credentials/helper-on-demand.ts";
import { hostWorld } from "../platform/host.ts";
import { openLogFile } from "../platform/log-file.ts";
import { redactedLog } from "../safety/redacted-log.ts";
import { secretsByForm } from "../safety/secrets/secret-variables.ts";
import type { SessionWishes } from "../session/plan.ts";
import { cinchPaths, userEnvironment } from "./environment.ts";
import type { Output } from "./io/output.ts";
import { standardError, standardOutput } from "./io/output.ts";
import { ownCommand, RELAY_WORD } from "./processes/internal.ts";
import type { Stop } from "./processes/stop.ts";
import { trackedSpawn } from "./processes/tracked-spawn.ts";
import { sessionWishes } from "./session-request.ts";
import type { Settings } from "./settings.ts";

/** Time after which an unclosed desktop notice goes away. */
const NOTICE_MS = 60_000;

/** Handles of a process: this machine, the user's folders, output streams and signals. */
export interface ProcessContext {
  readonly world: World;
  readonly paths: HarnessPaths;
  readonly workingDir: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stop: Stop;
  /** File for a dump of provider traffic. Default: no dump. */
  readonly rawDump?: string;
}

/**
 * Reads the folders and identity of this process. Creates nothing.
 * @throws HarnessError if there is no home directory, or the directory to work in does not exist.
 */
export function processContext(settings: Settings, stop: Stop, raw = false): ProcessContext {
  const paths = cinchPaths(process.env);
  const log = openLogFile({
    directory: join(paths.state, "log"),
    toStderr: settings.logToStderr,
    now: () => world.clock.now(),
    levels: settings.logLevels,
  });
  const environment = userEnvironment(process.env);
  const host = hostWorld(redactedLog(log, () => secretsByForm(environment)));
  const { spawn, killAll } = trackedSpawn(host.spawn);
  const world: World = { ...host, spawn };
  process.once("exit", killAll);
  return {
    world,
    paths,
    workingDir: workingDirOf(settings.cwd),
    environment,
    stdout: standardOutput(),
    stderr: standardError(),
    stop,
    ...(raw ? { rawDump: rawDumpPath(world, paths) } : {}),
  };
}

/** Wishes that follow from the command and not from its flags. */
type RunWishes = Pick<SessionWishes, "attended" | "asksTrust" | "endsAtMs">;

/** Returns the settings of a command line as options of the harness. */
export async function harnessOptions(
  settings: Settings,
  at: ProcessContext,
  run: RunWishes,
): Promise<HarnessOptions> {
  const { PROGRAM_FEATURES } = await import("../app/plan/feature-set.ts");
  const { profile, model, resume } = settings;
  return {
    world: at.world,
    paths: at.paths,
    workingDir: at.workingDir,
    wishes: allWishes(settings, at, run),
    features: PROGRAM_FEATURES,
    ...(profile === undefined ? {} : { profile: profileFromHere(profile) }),
    ...defined({ model, resume, rawDump: at.rawDump, helper: at.stop.helper }),
    startHelper: () => startHelper(settings, at),
    insecureDevKey: settings.insecureDevKey,
    tellDesktop: (text) => tellDesktop(text, at),
    relayCommand: ownCommand([RELAY_WORD]),
  };
}

/** Loaded with the first key that is stored in an engine without a keeper. */
async function startHelper(
  { insecureDevKey }: Settings,
  { paths, workingDir }: ProcessContext,
): Promise<StartedHelper> {
  const { startFirstKeyHelper } = await import("./processes/first-key-helper.ts");
  return startFirstKeyHelper({ directory: paths.config, workingDir, insecureDevKey });
}

/** Returns the wishes of a command line for a session. */
function allWishes(settings: Settings, { environment }: ProcessContext, run: RunWishes): SessionWishes {
  const { record } = settings;
  return {
    ...sessionWishes(settings, environment),
    ...run,
    ...(record === undefined ? {} : { record: recordPath(record) }),
  };
}

/** Loaded with the first notice. */
async function tellDesktop(text: string, { world, environment }: ProcessContext): Promise<boolean> {
  const { openUserDesktop } = await import("./io/code-channels.ts");
  const notice = { title: "cinch", text, forMs: NOTICE_MS };
  return (await (await openUserDesktop(world, environment))?.show(notice)) ?? false;
}

/**
 * Returns the path of a cassette. Checked before the first request, which costs money.
 * @throws HarnessError UsageInvalid if nothing can be written there.
 */
function recordPath(named: string): string {
  const path = resolve(named);
  const problem = unwritable(path);
  if (problem !== undefined)
    throw new HarnessError("UsageInvalid", { problem: `--record ${named}: ${problem}` });
  return path;
}

function unwritable(path: string): string | undefined {
  const folder = dirname(path);
  const there = statSync(folder, { throwIfNoEntry: false });
  if (there === undefined) return `the folder ${folder} does not exist; make it first: mkdir -p ${folder}`;
  if (!there.isDirectory()) return `${folder} is not a folder; name a file in a folder that you may write to`;
  const target = statSync(path, { throwIfNoEntry: false });
  if (target?.isDirectory() === true) return "it is a folder; name a file";
  try {
    accessSync(target === undefined ? folder : path, constants.W_OK);
    return undefined;
  } catch {
    return "it cannot be written; name a file in a folder that you may write to";
  }
}

function rawDumpPath(world: World, paths: HarnessPaths): string {
  const moment = new Date(world.clock.now()).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  return join(paths.state, "debug", `raw-${moment}-${world.machine.pid}.jsonl.sealed`);
}

function workingDirOf(named: string | undefined): string {
  const path = resolve(named ?? ".");
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new HarnessError("PathMissing", { what: "The directory to work in", path });
  if (!stats.isDirectory())
    throw new HarnessError("UsageInvalid", { problem: `--cwd: ${path} is not a directory` });
  return realpathSync(path);
}
