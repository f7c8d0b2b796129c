import { join, resolve } from "node:path";
import { HarnessError, messageOf } from "../base/errors.ts";
import type { LogId, SessionId } from "../base/ids.ts";
import type { Files, World } from "../base/world.ts";
import { repositoryRoot } from "../context/context-source.ts";
import type { Session } from "../control/multiplex/session.ts";
import type { Config } from "../profile/config.ts";
import type { Profile } from "../profile/profile.ts";
import { EMBEDDED, isProfilePath } from "../profile/profile.ts";
import type { CommandOf } from "../protocol/commands.ts";
import type { ChosenModel } from "../provider/choose.ts";
import type { Provider } from "../provider/provider.ts";
import type { LogInfo, SessionStore } from "../session/store.ts";
import type { Workspace } from "../tool/tool.ts";
import type { TrustItem } from "../trust/ledger/item.ts";
import { bootStep } from "./boot.ts";
import { childEnvironment } from "./child-environment.ts";
import { COMPILED_PLUGINS } from "./compiled-plugins.ts";
import { composeRun } from "./compose-run.ts";
import { ModelSlot, OUTPUT_TOKENS_MAX } from "./model-slot.ts";
import { readProjectFiles } from "./project-files.ts";
import { openProfile } from "./project-profile.ts";
import { ProjectTrust } from "./project-trust.ts";
import type { Preferences } from "./providers.ts";
import type { ResumedLog } from "./resume.ts";
import { resumeLog } from "./resume.ts";
import type { OpenedLog, RunDefaults } from "./run-parts.ts";
import type { SessionPlugins } from "./session-plugins.ts";
import { openSessionPlugins } from "./session-plugins.ts";
import type { Succession } from "./succession.ts";

/** A session that was opened, and what there is to tell about it. */
export interface OpenedRun {
  readonly session: Session;
  /** `provider:name`. */
  readonly model: string;
  readonly notices: readonly string[];
}

const SCRATCH_MODE = 0o700;

/**
 * Opens a session, or a new run on an existing log: profile, instructions, model, log, tools, and the middleware
 * around them. What was opened is closed again when a step fails.
 * @param succession given where it takes the place of another one.
 */
export async function openRun(
  request: CommandOf<"CreateSession">,
  defaults: RunDefaults,
  signal: AbortSignal,
  succession?: Succession,
): Promise<OpenedRun> {
  const { world, providers, store } = defaults;
  const before = await previousRun(request, store);
  const workingDir = before?.workingDir ?? request.workingDir ?? defaults.workingDir;
  await using undo = new AsyncDisposableStack();

  const reference = profileName(request, before, defaults.config);
  if (request.profile === undefined && before !== undefined) await mustBeOutside(reference, before, defaults);
  const profile = await bootStep(world.log, "loading the profile", () =>
    openProfile(reference, workingDir, defaults),
  );
  const reading = bootStep(world.log, "checking trust in the project's files", () =>
    openProject(workingDir, profile, defaults),
  );
  const loading = bootStep(world.log, "loading the plugins", () => openPlugins(reading, defaults));
  const choosing = bootStep(world.log, "choosing the model", async () => {
    await loading; // it may be a plugin's
    return await providers.choose(
      request.model ?? scriptedModel(profile) ?? defaults.model,
      succession === undefined
        ? preferredModels(before, profile, defaults.config)
        : succeedingModels(succession, profile, defaults.config),
      signal,
    );
  });
  const [project, plugins, chosen] = await Promise.all([reading, loading, choosing]);
  const session = succession?.session ?? world.ids.next("sess");
  const logId = request.resume ?? succession?.logId ?? world.ids.next("log");
  const workspace = workspaceOf(logId, workingDir, defaults);
  const slot = await bootStep(world.log, "opening the model", async () =>
    ModelSlot.open(chosen, {
      providers,
      session: { workingDir, scratch: workspace.scratch },
      thinking: {
        ...profile.thinking,
        ...defaults.config.thinking,
        ...(defaults.effort === undefined ? {} : { effort: defaults.effort }),
      },
      outputTokensMax: profile.limits.outputTokens ?? OUTPUT_TOKENS_MAX,
      wrap: await recording(`${chosen.provider}:${chosen.model}`, workspace, defaults),
    }),
  );
  const log = await bootStep(world.log, "opening the session's log", () =>
    openLog(
      {
        session,
        logId,
        workingDir,
        profile: reference,
        chosen,
        isNew: before === undefined,
        isChanged: succession !== undefined,
      },
      defaults,
    ),
  );
  undo.use(log.writer);
  // Only now is this session ours, and with it the folder that an earlier run may have left output in.
  undo.defer(() => removeIfEmpty(world, workspace.scratch));
  await bootStep(world.log, "preparing the workspace", () => makeScratch(world, workspace.scratch));
  const composed = await bootStep(world.log, "composing the session", () =>
    composeRun({
      session,
      logId,
      profile,
      trust: project.trust,
      ...(plugins === undefined ? {} : { plugins }),
      log,
      workspace,
      slot,
      defaults,
      place: {
        reference,
        ...(succession === undefined ? {} : { succession }),
        reopen: (next, successor, changes = {}) =>
          openRun(
            { kind: "CreateSession", ...asked(request), ...next },
            { ...defaults, ...changes },
            signal,
            successor,
          ),
      },
      close: undo.move(),
    }),
  );
  // Before anybody hears of it: what it takes over must not get lost with it.
  if (succession !== undefined) await composed.session.durable();
  world.log.for("engine").write("info", "session opened", {
    session,
    log: logId,
    profile: profile.name,
    model: slot.name,
    resumed: before !== undefined,
  });
  return {
    session: composed.session,
    model: slot.name,
    notices: [
      ...profile.warnings,
      ...project.notices,
      ...(chosen.told === undefined ? [] : [chosen.told]),
      ...composed.notices,
    ],
  };
}

function profileName(
  { profile }: CommandOf<"CreateSession">,
  before: LogInfo | undefined,
  { defaultProfile = "default" }: Config,
): string {
  const name = profile ?? before?.profile ?? defaultProfile;
  return isProfilePath(name) ? resolve(name) : name; // its log names it, wherever it is gone on with
}

/**
 * A log names the profile that it ran under. A file in the folder that is worked in may have been changed by a model since:
 * whoever goes on with it names it once more.
 */
async function mustBeOutside(
  reference: string,
  { workingDir }: LogInfo,
  { world: { files } }: Pick<RunDefaults, "world">,
): Promise<void> {
  if (!(await isFileWithin(workingDir, reference, files))) return;
  const problem = `the session ran under a profile that lies in the folder it works in, and may have been changed since; look at it, and name it again: --profile ${reference}`;
  throw new HarnessError("UsageInvalid", { problem });
}

/** Whether a profile is a file of the repository that a folder belongs to. */
export async function isFileWithin(workingDir: string, reference: string, files: Files): Promise<boolean> {
  if (!isProfilePath(reference) || (await files.stat(reference)) === undefined) return false;
  const root = (await repositoryRoot(files, workingDir)) ?? workingDir;
  return (await files.realpath(reference)).startsWith(`${await files.realpath(root)}/`);
}

/** A model that was asked for by its name is asked for by the run that takes the place of this one too. */
function asked({ model }: CommandOf<"CreateSession">): Pick<CommandOf<"CreateSession">, "model"> {
  return model === undefined ? {} : { model };
}

interface OpenedProject {
  readonly trust: ProjectTrust;
  /** Those that the user's own files name. */
  readonly plugins: readonly TrustItem[];
  readonly notices: readonly string[];
}

/**
 * Reads what the session would load of its project, and judges it. Where there is nothing, no approvals are read.
 * @throws HarnessError NonInteractiveAckRefused where a file was never acknowledged and nobody can be asked.
 */
async function openProject(
  workingDir: string,
  profile: Profile,
  defaults: RunDefaults,
): Promise<OpenedProject> {
  const own = await readProjectFiles(defaults, workingDir, profile);
  const plugins = await pluginsOf(defaults, profile);
  const project = { ...own, extensions: [...own.extensions, ...plugins.items] };
  const { context, settings, hooks, extensions } = project;
  const items = [...context.files.map(({ item }) => item), ...settings, ...hooks, ...extensions];
  const told = [...project.problems, ...plugins.notices];
  if (items.length === 0) return { trust: new ProjectTrust(project), plugins: [], notices: told };
  const { judgeItems, nobodyAcknowledged } = await import("./trust-gate.ts");
  const { trust: wanted } = defaults.config;
  const lockfile = defaults.lockfile ?? wanted.lockfile;
  const judged = await judgeItems({ ...defaults, ...(lockfile === undefined ? {} : { lockfile }) }, items, {
    root: project.context.root,
    promoteProse: wanted.promoteProse ?? profile.promoteProse,
  });
  const asks = defaults.asksTrust ?? defaults.attended;
  if (judged.pending.length > 0 && !asks) throw nobodyAcknowledged(judged.pending);
  return {
    trust: new ProjectTrust(project, judged),
    plugins: plugins.items,
    notices: [...told, ...judged.notices],
  };
}

/** What the user's own files name as plugins, read once. */
async function pluginsOf({ world, config, paths }: RunDefaults, profile: Profile) {
  if (config.plugins.length === 0 && profile.plugins.length === 0) return { items: [], notices: [] };
  const { namedPlugins, pluginNotices, readPlugins } = await import("./plugin-files.ts");
  const names = { config, profile, paths };
  return { items: await readPlugins(world, namedPlugins(names)), notices: pluginNotices(names) };
}

/** The plugins of the session; undefined where there are none, and then nothing of them is loaded. */
async function openPlugins(
  reading: Promise<OpenedProject>,
  { plugins: given = [], pluginHost }: RunDefaults,
): Promise<SessionPlugins | undefined> {
  const { plugins, trust } = await reading;
  if (plugins.length === 0 && given.length === 0 && COMPILED_PLUGINS.length === 0) return undefined;
  return await openSessionPlugins(await pluginHost(), plugins, trust);
}

/** The model that an embedded profile is about: what the user would rather have is none for it. */
function scriptedModel({ path, defaultModel }: Profile): string | undefined {
  return path === `${EMBEDDED}conformance` ? defaultModel : undefined;
}

/**
 * The models that a session would rather have, the weightiest first: the one it had before, then those of the user's
 * own files. What an embedded profile names is a suggestion for who has said nothing.
 */
function preferredModels(before: LogInfo | undefined, profile: Profile, config: Config): Preferences {
  const isOwn = !profile.path.startsWith(EMBEDDED);
  const { defaultModel } = profile;
  const named = isOwn ? [defaultModel, config.defaultModel] : [config.defaultModel];
  const preferred = [before?.model, ...named].filter((model) => model !== undefined);
  return { preferred, ...(isOwn || defaultModel === undefined ? {} : { suggested: defaultModel }) };
}

/** What a session goes on with under another profile. The model that it had is the last of them, and is always there. */
function succeedingModels({ model }: Succession, profile: Profile, config: Config): Preferences {
  const isOwn = !profile.path.startsWith(EMBEDDED);
  const { defaultModel } = profile;
  const named = isOwn ? [defaultModel, config.defaultModel] : [config.defaultModel, defaultModel];
  return { preferred: [...named, model].filter((name) => name !== undefined) };
}

/** The log to go on with. It works where it worked before. */
async function previousRun(
  { resume }: CommandOf<"CreateSession">,
  store: SessionStore,
): Promise<LogInfo | undefined> {
  if (resume === undefined) return undefined;
  const before = await store.find(resume);
  if (before === undefined) throw new HarnessError("SessionMissing", { id: resume });
  return before;
}

const NEW_LOG: ResumedLog = { history: [], recovered: [], lastTurn: 0 };

interface LogToOpen {
  readonly session: SessionId;
  readonly logId: LogId;
  readonly workingDir: string;
  /** What it can be loaded by. */
  readonly profile: string;
  readonly chosen: ChosenModel;
  readonly isNew: boolean;
  /** It goes on under this profile and with this model from now on. */
  readonly isChanged: boolean;
}

async function openLog(log: LogToOpen, { world, store, delegatedBy }: RunDefaults): Promise<OpenedLog> {
  const { session, logId, workingDir, profile, chosen, isNew, isChanged } = log;
  const holder = { pid: world.machine.pid, processStart: world.machine.processStart };
  const model = `${chosen.provider}:${chosen.model}`;
  if (!isNew) {
    const writer = await store.open(logId, session, holder, isChanged ? { profile, model } : undefined);
    return { writer, isOld: true, resumed: await resumeLog(store, logId) };
  }
  const createdAt = new Date(world.clock.now()).toISOString();
  // A task is listed below the session that gave it, of which it has no event: its own first one tells of it.
  const branchOf = delegatedBy === undefined ? {} : { branchOf: { logId: delegatedBy.logId, at: 1 } };
  const start = { logId, session, workingDir, profile, model, createdAt, ...branchOf };
  const writer = await store.create(start, holder);
  return { writer, isOld: false, resumed: NEW_LOG };
}

function workspaceOf(logId: LogId, root: string, defaults: RunDefaults): Workspace {
  const { paths, providers, environment } = defaults;
  const scratch = join(paths.data, "scratch", logId);
  const env = childEnvironment(environment, providers.secretVariables);
  return { root, cwd: root, seen: new Map(), env, scratch, readable: new Set() };
}

/** @throws HarnessError StoreUnwritable: what is spilled belongs to the session. */
async function makeScratch({ files }: World, path: string): Promise<void> {
  try {
    await files.makeDirectory(path, SCRATCH_MODE);
  } catch (cause) {
    throw new HarnessError("StoreUnwritable", { path, detail: messageOf(cause) }, { cause });
  }
}

/** Output that was spilled is kept with its session; a folder without any is not. */
async function removeIfEmpty({ files }: World, directory: string): Promise<void> {
  if ((await files.stat(directory)) === undefined) return;
  if ((await files.list(directory)).length === 0) await files.remove(directory);
}

/** Wraps providers in a recorder where a cassette is to be written. Loaded only then. */
async function recording(
  model: string,
  workspace: Workspace,
  { world, record, providers, environment }: RunDefaults,
): Promise<(provider: Provider) => Provider> {
  if (record === undefined) return (provider) => provider;
  const { recorder } = await import("../provider/replay/record.ts");
  const { redactor } = await import("../trust/redact.ts");
  const values = { cwd: workspace.root, scratch: workspace.scratch, home: environment["HOME"] ?? "" };
  return recorder({
    world,
    path: record,
    model,
    values,
    redactor: redactor(await providers.credentials.prints()),
  });
}
