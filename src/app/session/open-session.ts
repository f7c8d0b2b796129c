import { defined } from "../../base/defined.ts";
import type { LogId } from "../../base/ids.ts";
import { mustBeOutside, profileReference } from "../../config/run-profile.ts";
import { limitsSection } from "../../config/sections/limits.ts";
import { thinkingSection } from "../../config/sections/models.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import { assertAllowed } from "../../guard/permissions/policy.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { ChosenModel } from "../../providers/choosing/choose-model.ts";
import type { Provider } from "../../providers/provider.ts";
import type { Redactor } from "../../safety/redact.ts";
import { redactedLog } from "../../safety/redacted-log.ts";
import { DELEGATED } from "../../session/budget/count-spent.ts";
import type { PluginRules } from "../../session/guard/policy.ts";
import type { Handover } from "../../session/handover.ts";
import type { DelegatingCall, SessionWishes } from "../../session/plan.ts";
import type { Config, Profile } from "../../session/settings/settings.ts";
import type { Session } from "../../session/turns/session.ts";
import type { Workspace } from "../../tools/tool.ts";
import { bootStep } from "../engine/boot.ts";
import type { Engine } from "../engine/engine.ts";
import { openSessionLog, previousRun } from "../log/open-log.ts";
import { ModelSlot } from "../models/model-slot.ts";
import { modelsAfterSwitch, preferredModels, scriptedModel } from "../models/preferred-models.ts";
import type { OpenedProject } from "../plan/open-project.ts";
import { openProject } from "../plan/open-project.ts";
import type { SessionEnvironment } from "../plan/session-environment.ts";
import { withheldNotice } from "../plan/session-environment.ts";
import { settingsUnder } from "../plan/settings.ts";
import { appendedEvent, appendedNotices } from "./appended-text.ts";
import type { SessionMaterials } from "./compose.ts";
import { compose } from "./compose.ts";
import { applyRecordedLimits, limitsEvent } from "./recorded-limits.ts";
import { rulesOfFeatures } from "./rules-of-features.ts";
import {
  createScratchFolder,
  openWorkspace,
  removeIfEmpty,
  removePlantedGitFiles,
} from "./workspace/run-workspace.ts";
import { withAddedFolders } from "./workspace/with-added-folders.ts";

/** Kind of the CustomEvent of the namespace `cinch` near the beginning of a run: `{rules}` of `--allow`. */
const RULES_ALLOWED = "RulesAllowed";
/** The same for `{folders}` of `--add-dir`. */
const FOLDERS_ADDED = "FoldersAdded";

/** A session that was opened, and sentences for the person. */
export interface OpenedRun {
  readonly session: Session;
  /** `provider:name`. */
  readonly model: string;
  readonly notices: readonly string[];
}

/** Request for one session. */
export interface SessionRequest {
  readonly command: CommandOf<"CreateSession">;
  readonly wishes: SessionWishes;
  /** Configuration that holds for the session. */
  readonly config: Config;
  /** Model to choose if the command names none. */
  readonly model?: string;
  /** Set if the session follows another one. */
  readonly handover?: Handover;
}

/**
 * Opens a session, or a new run on an existing log: profile, project, model, log, and everything around them. A failed
 * step closes all of it again.
 */
export async function openSession(
  engine: Engine,
  request: SessionRequest,
  signal: AbortSignal,
): Promise<OpenedRun> {
  const { command, config, handover } = request;
  const { host, providers } = engine;
  const { world, store, paths } = host;
  await using undo = new AsyncDisposableStack();
  const sources = await readSources(engine, request, signal);
  const { before, wishes: checked, workingDir, reference, profile, project, pluginRules, chosen } = sources;
  const session = handover?.session ?? world.ids.next("sess");
  const logId = command.resume ?? handover?.logId ?? world.ids.next("log");
  const wishes = before === undefined ? checked : await applyRecordedLimits(checked, store, logId);
  const prints = await providers.credentials.prints();
  const { environment, secrets, workspace } = await openWorkspace({
    ...{ world, paths, providers, logId, root: workingDir, config, profile, wishes, prints },
    writable: host.writable,
  });
  const effort = wishes.effort ?? before?.effort;
  const slot = await bootStep(world.log, "opening the model", async () =>
    ModelSlot.open(chosen, {
      providers,
      session: { workingDir, scratch: workspace.scratch },
      thinking: settingsOf(thinkingSection, { config, profile }),
      ...(effort === undefined ? {} : { effort }),
      outputTokensMax: settingsOf(limitsSection, { profile }).outputTokens,
      wrap: await recording(`${chosen.provider}:${chosen.model}`, { workspace, secrets, world, wishes }),
    }),
  );
  const { delegatedBy } = wishes;
  // Before the log continues. A sub-agent's session follows another one, which has checked.
  if (delegatedBy === undefined) await engine.losses.look();
  const log = await bootStep(world.log, "opening the session's log", () =>
    openSessionLog(
      {
        ...{ session, logId, workingDir, chosen },
        profile: reference,
        ...(effort === undefined ? {} : { effort }),
        isNew: before === undefined,
        isChanged: handover !== undefined,
        ...(handover === undefined ? {} : { previousLog: handover.previousLog }),
        ...(delegatedBy === undefined ? {} : { delegatedBy }),
      },
      host,
      engine.features.set,
    ),
  );
  undo.use(log.writer);
  // Only now is this session ours, and with it the folder that an earlier run may have left output in.
  undo.defer(() => removeIfEmpty(world, workspace.scratch));
  await bootStep(world.log, "preparing the workspace", () => createScratchFolder(world, workspace.scratch));
  const composed = await bootStep(world.log, "composing the session", async () =>
    compose({
      ...{ engine, session, logId, log, workspace, secrets, slot },
      settings: {
        ...{ config, profile, reference, wishes, project: [] },
        ...(pluginRules === undefined ? {} : { pluginRules }),
      },
      files: project.files,
      world: worldOf(world, environment),
      ...(handover === undefined ? {} : { handover }),
      firstEvents: firstEvents({ wishes, isOld: log.isOld, handover }),
      reopen: reopenAs({ engine, request: { ...request, wishes } }, signal),
      close: undo.move(),
      ...leftOf(engine, request, { logId, lastTurn: log.resumed.lastTurn }),
    }),
  );
  // Before any client knows of it: its imported content must not get lost with it.
  if (handover !== undefined) await composed.session.durable();
  world.log.for("engine").write("info", "session opened", {
    session,
    log: logId,
    profile: profile.name,
    model: slot.name,
    resumed: before !== undefined,
  });
  const notices = startNotices({ ...sources, environment, read: await readNotices(engine, wishes, before) });
  return { session: composed.session, model: slot.name, notices: [...notices, ...composed.notices] };
}

/**
 * Returns what happens to a session that its clients have left, if it may never have been used. One that is resumed
 * stays: its log may be that of a program, which still knows it.
 */
function leftOf(
  { removeUnused }: Engine,
  { command, handover }: SessionRequest,
  { logId, lastTurn }: { readonly logId: LogId; readonly lastTurn: number },
): Pick<SessionMaterials, "left"> {
  const isResumed = command.resume !== undefined && handover === undefined;
  if (command.provisional !== true || isResumed || lastTurn > 0) return {};
  return { left: () => removeUnused(logId) };
}

/** Returns notices of a session whose notices a person reads. Not before it has started: a failed start shows none. */
async function readNotices(
  { losses, host }: Engine,
  wishes: SessionWishes,
  before: SessionFoundation["before"],
): Promise<readonly string[]> {
  if (wishes.delegatedBy !== undefined || wishes.unread === true) return [];
  return [...(await losses.tell()), ...(await appendedNotices(wishes, host.store, before))];
}

/** Returns the sentences for the person that are known before any feature speaks. */
function startNotices({
  environment,
  disarmed,
  read,
  profile,
  project,
  chosen,
}: Pick<SessionFoundation, "disarmed" | "profile" | "project" | "chosen"> & {
  readonly environment: SessionEnvironment;
  readonly read: readonly string[];
}): readonly string[] {
  const withheld = withheldNotice(environment);
  return [
    ...(withheld === undefined ? [] : [withheld]),
    ...disarmed,
    ...read,
    ...profile.warnings,
    ...project.notices,
    ...(chosen.notice === undefined ? [] : [chosen.notice]),
  ];
}

/** Settings, files and model of a session, before anything of it is opened. */
interface SessionFoundation {
  /** The run that it continues. */
  readonly before: Awaited<ReturnType<typeof previousRun>>;
  /** With every added folder resolved. */
  readonly wishes: SessionWishes;
  readonly workingDir: string;
  /** Sentences about files of git that were removed. */
  readonly disarmed: readonly string[];
  readonly reference: string;
  readonly profile: Profile;
  readonly project: OpenedProject;
  readonly pluginRules: PluginRules | undefined;
  readonly chosen: ChosenModel;
}

/** Reads the settings and files of a session, and chooses its model. */
async function readSources(
  engine: Engine,
  { command, wishes: given, config, model, handover }: SessionRequest,
  signal: AbortSignal,
): Promise<SessionFoundation> {
  const { host, providers } = engine;
  const { world, store, paths } = host;
  const before = await previousRun(command, store);
  const workingDir = await folderOf(before?.workingDir ?? command.workingDir, engine);
  const wanted = await withAddedFolders(given, { ...host, root: workingDir });
  const disarmed = await removePlantedGitFiles(world, paths);
  const reference = profileReference({ named: command.profile, before, config, workingDir });
  const { embedding } = engine.options;
  const features = engine.features.set;
  const { profile } = await bootStep(world.log, "loading the profile", () =>
    settingsUnder(reference, {
      ...{ wishes: wanted, world, paths, config, workingDir, features },
      ...(embedding === undefined ? {} : { embedding }),
    }),
  );
  if (command.profile === undefined && before !== undefined)
    await mustBeOutside(reference, profile, before, { world, paths });
  const reading = bootStep(world.log, "checking trust in the project's files", () =>
    openProject({ world, paths, config, profile, workingDir, features, wishes: wanted }),
  );
  const loading = bootStep(world.log, "loading the plugins", () => rulesOfFeatures(reading, engine));
  const choosing = bootStep(world.log, "choosing the model", async () => {
    await loading; // it may be a plugin's
    return await providers.choose(
      command.model ?? scriptedModel(profile) ?? model,
      handover === undefined
        ? preferredModels(before, profile, config)
        : modelsAfterSwitch(handover, profile, config),
      signal,
    );
  });
  const [project, pluginRules, chosen] = await Promise.all([reading, loading, choosing]);
  // Before a log is made: a session that cannot start leaves none.
  assertAllowed(wanted.allow ?? [], { tools: features.tools, ...defined({ plugins: pluginRules }) });
  return { before, wishes: wanted, workingDir, disarmed, reference, profile, project, pluginRules, chosen };
}

/** Returns the way to open the session that follows this one, by the same request. */
function reopenAs(
  { engine, request }: { readonly engine: Engine; readonly request: SessionRequest },
  signal: AbortSignal,
): SessionMaterials["reopen"] {
  const { command, wishes, config, model } = request;
  return (next, following, changes = {}) =>
    openSession(
      engine,
      {
        command: {
          kind: "CreateSession",
          ...(command.model === undefined ? {} : { model: command.model }),
          ...(command.provisional === true && beginsEmpty(following) ? { provisional: true } : {}),
          ...next,
        },
        wishes: { ...wishes, ...changes },
        config,
        ...(model === undefined ? {} : { model }),
        handover: following,
      },
      signal,
    );
}

/** Returns true if nothing of the session before is in the log: neither an import nor files of its clients. */
function beginsEmpty({ imported, logId, previousLog }: Handover): boolean {
  return imported === undefined && logId !== previousLog;
}

/**
 * Returns the folder that a client or a log names, resolved; without one, that of the engine, which is
 * resolved already.
 */
async function folderOf(named: string | undefined, { host, workingDir }: Engine): Promise<string> {
  if (named === undefined) return workingDir;
  const { sessionFolder } = await import("./workspace/session-folder.ts");
  return await sessionFolder(host.world.files, named);
}

/** Returns the events that a log begins with: the session's origin, then the limits it was opened with. */
function firstEvents({
  wishes,
  isOld,
  handover,
}: {
  readonly wishes: SessionWishes;
  readonly isOld: boolean;
  readonly handover: Handover | undefined;
}): readonly Event[] {
  const { delegatedBy } = wishes;
  const bounds = isOld ? undefined : limitsEvent(wishes);
  const rules = rulesEvent(wishes);
  const folders = foldersEvent(wishes);
  const appended = isOld ? undefined : appendedEvent(wishes);
  return [
    ...(delegatedBy === undefined ? [] : [delegatedEvent(delegatedBy)]),
    ...(handover?.events ?? []),
    ...(bounds === undefined ? [] : [bounds]),
    ...(appended === undefined ? [] : [appended]),
    ...(rules === undefined ? [] : [rules]),
    ...(folders === undefined ? [] : [folders]),
  ];
}

/**
 * Returns the event with the rules that a run is opened with, for the lists of clients; undefined if there are none.
 * Each run has its own.
 */
function rulesEvent({ allow: rules }: SessionWishes): Event | undefined {
  if (rules === undefined) return undefined;
  return { kind: "CustomEvent", payload: { namespace: "cinch", kind: RULES_ALLOWED, payload: { rules } } };
}

/** Returns the event with the folders that are added to the workspace of a run; undefined if there are none. */
function foldersEvent({ addDirs: folders }: SessionWishes): Event | undefined {
  if (folders === undefined) return undefined;
  const payload = { folders: [...folders] };
  return { kind: "CustomEvent", payload: { namespace: "cinch", kind: FOLDERS_ADDED, payload } };
}

function delegatedEvent({ session, logId: log, callId }: DelegatingCall): Event {
  const payload = { session, log, callId };
  return { kind: "CustomEvent", payload: { namespace: "cinch", kind: DELEGATED, payload } };
}

/** Returns a world whose operational log redacts the secrets of a terminal that is not the engine's own. */
function worldOf(world: Engine["host"]["world"], { secrets }: SessionEnvironment): Engine["host"]["world"] {
  return secrets.length === 0 ? world : { ...world, log: redactedLog(world.log, () => secrets) };
}

/** Wraps providers in a recorder if a cassette is to be written. Loaded only then. */
async function recording(
  model: string,
  {
    workspace,
    secrets,
    world,
    wishes: { record, environment },
  }: {
    readonly workspace: Workspace;
    readonly secrets: Redactor;
    readonly world: Engine["host"]["world"];
    readonly wishes: SessionWishes;
  },
): Promise<(provider: Provider) => Provider> {
  if (record === undefined) return (provider) => provider;
  const { recorder } = await import("../../providers/replay/record.ts");
  const values = { cwd: workspace.root, scratch: workspace.scratch, home: environment["HOME"] ?? "" };
  return recorder({ world, path: record, model, values, redactor: secrets });
}
