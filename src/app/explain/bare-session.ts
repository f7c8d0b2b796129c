import { CacheBudget } from "../../base/cache-budget.ts";
import { HarnessError } from "../../base/errors.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import { TurnLimits } from "../../engine/loop/turn-limits.ts";
import { openPermissionGate } from "../../guard/permissions/permission-gate.ts";
import { sandboxSection } from "../../guard/sandbox/config.ts";
import { sessionKeyFiles } from "../../guard/sandbox/policy/credential-paths.ts";
import type { KeyFiles } from "../../guard/sandbox/policy/key-files.ts";
import { hostRipgrep } from "../../platform/ripgrep.ts";
import { redactor } from "../../safety/redact.ts";
import { NOTHING_SPENT, Spend } from "../../session/budget/spend.ts";
import type { AcknowledgedFiles } from "../../session/guard/trust.ts";
import type { EngineHost, SessionHost } from "../../session/host.ts";
import type { SessionPlan } from "../../session/plan.ts";
import type { Config } from "../../session/settings/settings.ts";
import { memorySessionStore } from "../../session/store/memory-store.ts";
import { BackgroundRuns } from "../../tools/bash/background-runs.ts";
import { ToolRegistry } from "../../tools/registry.ts";
import { selectPacks } from "../../tools/select-packs.ts";
import { engineHandles } from "../engine/engine-handles.ts";
import { providersOf } from "../engine/open-store.ts";
import type { HarnessOptions } from "../engine/options.ts";
import { FEATURES } from "../features.ts";
import { sessionHere } from "../plan/plan-here.ts";
import { sessionEnvironment } from "../plan/session-environment.ts";
import { builtinTools } from "../session/chains/builtins.ts";
import { SessionCore } from "../session/chains/session-core.ts";
import { EngineFeatures, OpenFeatures } from "../session/open-features.ts";
import { rulesOfFeatures } from "../session/rules-of-features.ts";
import { SessionHostBuilder } from "../session/session-host.ts";
import { TaskWatch } from "../session/task-watch.ts";
import { workspaceOf } from "../session/workspace/run-workspace.ts";
import { sessionSandbox } from "../session/workspace/session-sandbox.ts";

/** A session that is planned and has its tools, without model, log and followers. It is for looking at, not for running. */
export interface BareSession extends AsyncDisposable {
  readonly config: Config;
  readonly plan: SessionPlan;
  readonly host: SessionHost;
  readonly keys: KeyFiles;
  /** Acknowledged files of the project. */
  readonly project: AcknowledgedFiles;
  readonly registry: ToolRegistry;
  /** Sentences for the person. */
  readonly notices: readonly string[];
}

/**
 * Opens a session as far as its plan and its tools, by the same functions as one that runs. Features that start programs stay
 * closed, files that nobody acknowledged are left out, and nothing is written.
 * @throws HarnessError as the start of a session does: ConfigInvalid, ProfileMissing, PathMissing.
 */
export async function openBareSession(options: HarnessOptions, signal: AbortSignal): Promise<BareSession> {
  const { world, paths, environment } = options;
  const here = await sessionHere(options, signal);
  const { config, profile, reference, root, trust, project } = here;
  await using undo = new AsyncDisposableStack();
  const providers = providersOf(options, config);
  const store = undo.use(memorySessionStore(world.machine));
  const engine: EngineHost = {
    ...engineHandles(options, config, providers),
    ...{ judge: here.judge, store, caches: new CacheBudget() },
  };
  const engineFeatures = undo.use(new EngineFeatures(engine, FEATURES));
  const pluginRules = await rulesOfFeatures(Promise.resolve({ trust }), {
    host: engine,
    features: engineFeatures,
  });
  const logId = world.ids.next("log");
  const session = world.ids.next("sess");
  const { hidden, passEnv } = settingsOf(sandboxSection, { config, profile });
  const divided = await sessionEnvironment(environment, {
    ...{ files: world.files, root, passEnv },
    keyVariables: providers.secretVariables,
  });
  const secrets = redactor([]);
  const workspace = workspaceOf({ logId, root, paths, ...divided, secrets });
  const plans = await here.openPlans(pluginRules);
  const plan = () => plans.current;
  const createdAt = new Date(world.clock.now()).toISOString();
  const { pid, processStart } = world.machine;
  const log = { logId, session, workingDir: root, profile: reference, model: "", createdAt };
  const writer = undo.use(await store.create(log, { pid, processStart }));
  const core = new SessionCore({
    ...{ world, session, logId, store, writer, redactor: secrets },
    attended: false,
    permissionTimeoutMs: plan().permissionTimeoutMs,
  });
  const keys = sessionKeyFiles({ world, root, environment, hidden });
  const gate = openPermissionGate({ world, paths, plan, workspace, redactor: secrets, keys });
  const publish = (event: Parameters<SessionHost["publish"]>[0]) => core.publish(event);
  const sandbox = undo.use(sessionSandbox({ world, paths, options, plan, trust, keys, publish }));
  const watch = new TaskWatch();
  const runs = undo.use(new BackgroundRuns((change) => watch.changed(change)));
  const registry = new ToolRegistry();
  registry.add(selectPacks(builtinTools({ runs, ripgrep: hostRipgrep(paths.data) }), profile.toolPacks));
  const { treeRoundsMax: roundsMax } = plan().limits;
  const turn = new TurnLimits({ clock: world.clock, limits: () => ({ roundsMax }) });
  const closed = () =>
    Promise.reject(new HarnessError("InternalError", { what: "this session does not run" }));
  const base = new SessionHostBuilder({
    ...{ engine, core, session, logId, plan, workspace, trust, sandbox, registry },
    redactor: secrets,
    planUnder: closed,
    log: { writer, isOld: false, resumed: { history: [], recovered: [], lastTurn: 0 } },
    permissions: gate,
    background: watch.over(runs),
    model: { name: options.model ?? config.defaultModel ?? "", chosenEffort: undefined, openBeside: closed },
    budget: { spend: new Spend(), capUsd: undefined, turn, together: async () => NOTHING_SPENT },
    shown: new Set(),
    tree: async () => (await import("../../platform/files/tree.ts")).hostTree,
    delegate: closed,
    extendRules: (rules) => plans.change({ pluginRules: rules }),
  });
  const features = await OpenFeatures.open(base.host, {
    all: FEATURES.filter(({ startsPrograms }) => startsPrograms !== true),
    of: (feature) => engineFeatures.of(feature),
  });
  undo.defer(async () => await features.close());
  base.open(features);
  for (const source of features.tools) registry.add(source);
  const opened = undo.move();
  return {
    config,
    plan: plans.current,
    host: base.host,
    keys,
    project,
    registry,
    notices: here.notices,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
