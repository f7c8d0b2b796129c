import { mustBeOutside, profileName } from "../../config/run-profile.ts";
import { thinkingSection } from "../../config/sections/models.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import { limitsSection } from "../../features/limits/config.ts";
import { heldToBounds } from "../../features/limits/run-bounds.ts";
import { sandboxSection } from "../../guard/sandbox/config.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { Provider } from "../../providers/provider.ts";
import { redactor } from "../../safety/redact.ts";
import { redactedLog } from "../../safety/redacted-log.ts";
import type { Handover } from "../../session/handover.ts";
import type { RunMaterial } from "../../session/plan/run-material.ts";
import type { RunDefaults } from "../../session/plan/run-parts.ts";
import type { Session } from "../../session/turns/session.ts";
import { bootStep } from "../engine/boot.ts";
import { openLog, previousRun } from "../log/open-log.ts";
import { ModelSlot } from "../models/model-slot.ts";
import { preferredModels, scriptedModel, succeedingModels } from "../models/preferred-models.ts";
import { openPlugins, openProject } from "../plan/open-project.ts";
import { openProfile } from "../plan/project-profile.ts";
import type { SessionEnvironment } from "../plan/session-environment.ts";
import { sessionEnvironment, withheldNotice } from "../plan/session-environment.ts";
import { composeRun } from "./compose-run.ts";
import { disarmLeft, makeScratch, removeIfEmpty, workspaceOf } from "./run-workspace.ts";

/** A session that was opened, and what there is to tell about it. */
export interface OpenedRun {
  readonly session: Session;
  /** `provider:name`. */
  readonly model: string;
  readonly notices: readonly string[];
}

/**
 * Opens a session, or a new run on an existing log: profile, instructions, model, log, tools, and the middleware
 * around them. What was opened is closed again when a step fails.
 * @param succession given where it takes the place of another one.
 */
export async function openRun(
  request: CommandOf<"CreateSession">,
  defaults: RunDefaults,
  signal: AbortSignal,
  succession?: Handover,
): Promise<OpenedRun> {
  const { world, providers, store } = defaults;
  const before = await previousRun(request, store);
  const workingDir = await folderOf(before?.workingDir ?? request.workingDir, defaults);
  const disarmed = await disarmLeft(world, defaults.paths);
  await using undo = new AsyncDisposableStack();

  const reference = profileName(request, before, defaults.config);
  const profile = await bootStep(world.log, "loading the profile", () =>
    openProfile(reference, workingDir, defaults),
  );
  if (request.profile === undefined && before !== undefined)
    await mustBeOutside(reference, profile, before, defaults);
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
  const environment = await sessionEnvironment(defaults.environment, {
    files: defaults.world.files,
    root: workingDir,
    keyVariables: providers.secretVariables,
    passEnv: settingsOf(sandboxSection, { config: defaults.config, profile }).passEnv,
  });
  const secrets = redactor(await providers.credentials.prints(), environment.secrets);
  const workspace = workspaceOf({ logId, root: workingDir, paths: defaults.paths, ...environment, secrets });
  const effort = defaults.effort ?? before?.effort;
  const slot = await bootStep(world.log, "opening the model", async () =>
    ModelSlot.open(chosen, {
      providers,
      session: { workingDir, scratch: workspace.scratch },
      thinking: settingsOf(thinkingSection, { config: defaults.config, profile }),
      ...(effort === undefined ? {} : { effort }),
      outputTokensMax: settingsOf(limitsSection, { profile }).outputTokens,
      wrap: await recording(`${chosen.provider}:${chosen.model}`, { workspace, secrets }, defaults),
    }),
  );
  // Before the log goes on. A sub-agent's session follows another one, which has looked.
  if (defaults.delegatedBy === undefined) await defaults.losses.look();
  const log = await bootStep(world.log, "opening the session's log", () =>
    openLog(
      {
        session,
        logId,
        workingDir,
        profile: reference,
        chosen,
        ...(effort === undefined ? {} : { effort }),
        isNew: before === undefined,
        isChanged: succession !== undefined,
        ...(succession === undefined ? {} : { previousLog: succession.previousLog }),
      },
      defaults,
    ),
  );
  undo.use(log.writer);
  // Only now is this session ours, and with it the folder that an earlier run may have left output in.
  undo.defer(() => removeIfEmpty(world, workspace.scratch));
  await bootStep(world.log, "preparing the workspace", () => makeScratch(world, workspace.scratch));
  const held = before === undefined ? defaults : await heldToBounds(defaults, logId);
  const composed = await bootStep(world.log, "composing the session", () =>
    composeRun({
      session,
      logId,
      profile,
      trust: project.trust,
      ...(plugins === undefined ? {} : { plugins }),
      log,
      workspace,
      secrets,
      slot,
      defaults: logging(held, environment),
      place: {
        reference,
        ...(succession === undefined ? {} : { succession }),
        told: succession?.shown ?? new Set(),
        reopen: (next, successor, changes = {}) =>
          openRun(
            { kind: "CreateSession", ...asked(request), ...next },
            { ...held, ...changes },
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
  const withheld = withheldNotice(environment);
  const isRead = defaults.delegatedBy === undefined && defaults.unread !== true;
  const lost = isRead ? await defaults.losses.tell() : []; // not before: a start that fails shows no notice
  return {
    session: composed.session,
    model: slot.name,
    notices: [
      ...(withheld === undefined ? [] : [withheld]),
      ...disarmed,
      ...lost,
      ...profile.warnings,
      ...project.notices,
      ...(chosen.told === undefined ? [] : [chosen.told]),
      ...composed.notices,
    ],
  };
}

/** The folder that a client or a log names, resolved; without one, that of the engine, which is resolved already. */
async function folderOf(named: string | undefined, { world, workingDir }: RunDefaults): Promise<string> {
  if (named === undefined) return workingDir;
  const { sessionFolder } = await import("./session-folder.ts");
  return await sessionFolder(world.files, named);
}

/** A model that was asked for by its name is asked for by the run that takes the place of this one too. */
function asked({ model }: CommandOf<"CreateSession">): Pick<CommandOf<"CreateSession">, "model"> {
  return model === undefined ? {} : { model };
}

/** The engine's log does not know the secrets of a terminal that is not its own. */
function logging(defaults: RunDefaults, { secrets }: SessionEnvironment): RunDefaults {
  if (secrets.length === 0) return defaults;
  const { world } = defaults;
  return { ...defaults, world: { ...world, log: redactedLog(world.log, () => secrets) } };
}

/** Wraps providers in a recorder where a cassette is to be written. Loaded only then. */
async function recording(
  model: string,
  { workspace, secrets }: Pick<RunMaterial, "workspace" | "secrets">,
  { world, record, environment }: RunDefaults,
): Promise<(provider: Provider) => Provider> {
  if (record === undefined) return (provider) => provider;
  const { recorder } = await import("../../providers/replay/record.ts");
  const values = { cwd: workspace.root, scratch: workspace.scratch, home: environment["HOME"] ?? "" };
  return recorder({ world, path: record, model, values, redactor: secrets });
}
