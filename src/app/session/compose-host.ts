import { defined } from "../../base/defined.ts";
import type { LogId, SessionId } from "../../base/ids.ts";
import type { World } from "../../base/world.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import { TurnLimits } from "../../engine/loop/turn-limits.ts";
import { levelSetter } from "../../guard/permissions/level-setter.ts";
import type { PermissionGate } from "../../guard/permissions/permission-gate.ts";
import { openPermissionGate } from "../../guard/permissions/permission-gate.ts";
import { sandboxSection } from "../../guard/sandbox/config.ts";
import { sessionKeyFiles } from "../../guard/sandbox/policy/credential-paths.ts";
import type { JudgedFiles, TrustContext } from "../../guard/trust/project-trust.ts";
import { ProjectTrust } from "../../guard/trust/project-trust.ts";
import { hostRipgrep } from "../../platform/ripgrep.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { Redactor } from "../../safety/redact.ts";
import type { Budget } from "../../session/budget/spend.ts";
import type { Handover } from "../../session/handover.ts";
import type { OpenedLog } from "../../session/history/resumed-log.ts";
import type { SessionHost } from "../../session/host.ts";
import type { SessionModel } from "../../session/models.ts";
import type { SessionPlan } from "../../session/plan.ts";
import type { AgentRunner, DelegateTask, RunSubAgent } from "../../session/spawn.ts";
import type { SessionDependencies } from "../../session/turns/session-dependencies.ts";
import { BackgroundRuns } from "../../tools/bash/background-runs.ts";
import { ToolRegistry } from "../../tools/registry.ts";
import { selectPacks } from "../../tools/select-packs.ts";
import type { ToolSource, Workspace } from "../../tools/tool.ts";
import type { Engine } from "../engine/engine.ts";
import { judgeFilesBy } from "../plan/judge-files.ts";
import type { PlanSources, SessionPlans } from "../plan/plan.ts";
import { openPlans } from "../plan/plan.ts";
import { openBudget } from "./budget.ts";
import { builtinTools } from "./chains/builtins.ts";
import { SessionCore } from "./chains/session-core.ts";
import { OpenFeatures } from "./open-features.ts";
import { sessionHost } from "./session-host.ts";
import { TaskWatch } from "./task-watch.ts";
import type { ProvableSandboxes } from "./workspace/session-sandbox.ts";
import { sessionSandbox } from "./workspace/session-sandbox.ts";

/** Parts that the host of a session is composed of. */
export interface HostSources {
  readonly engine: Pick<Engine, "options" | "host" | "features" | "onAsked" | "delegate">;
  readonly session: SessionId;
  readonly logId: LogId;
  /** Settings by which the session is planned. */
  readonly settings: Pick<
    PlanSources,
    "config" | "profile" | "reference" | "wishes" | "project" | "pluginRules"
  >;
  readonly files: JudgedFiles;
  readonly log: OpenedLog;
  readonly workspace: Workspace;
  readonly secrets: Redactor;
  readonly model: SessionModel;
  /** World of the session. */
  readonly world: World;
  readonly handover?: Handover;
  /** First events of the log, before those of any feature. */
  readonly firstEvents: readonly Event[];
}

/** The host of a session with its features, and the parts that a session which runs needs besides. */
export interface ComposedHost extends AsyncDisposable {
  readonly host: SessionHost;
  readonly core: SessionCore;
  readonly plan: () => SessionPlan;
  readonly gate: PermissionGate;
  readonly sandbox: ProvableSandboxes;
  readonly trust: ProjectTrust;
  readonly budget: Budget;
  readonly turn: TurnLimits;
  readonly watch: TaskWatch;
  /** Commands in the background. They end with the host, at the latest. */
  readonly runs: BackgroundRuns;
  readonly registry: ToolRegistry;
  readonly features: OpenFeatures;
  readonly setLevel: SessionDependencies["setLevel"];
  /** Returns the tools of the features. They are not in the registry yet. */
  tools(spawn: RunSubAgent): readonly ToolSource[];
}

/**
 * Composes everything of a session that does not depend on a model answering: plan, bus, gate, sandboxes, tools, host
 * and features. A session that runs continues from here; an explanation stops here. A failure frees what was opened.
 * @param use `look`: features that start programs stay closed, and no approval is recorded.
 * @throws HarnessError ConfigInvalid for an invalid rule, and what a feature throws.
 */
export async function composeHost(sources: HostSources, use: "look" | "run"): Promise<ComposedHost> {
  const { engine, session, logId, settings, files, log, workspace, secrets, model, world, handover } =
    sources;
  const { options, host: engineHost } = engine;
  const { paths, store, writable } = engineHost;
  await using undo = new AsyncDisposableStack();
  const plans = await openPlans({
    ...{ ...settings, world, paths },
    root: workspace.root,
    home: workspace.env["HOME"],
    items: files.found.items,
    embedded: engineHost.embedded,
    features: engine.features.set,
  });
  const plan = () => plans.current;
  const { root, profile, config, wishes, permissionTimeoutMs, questionsStayOpen, limits } = plan();
  const core = new SessionCore({
    ...{ world, session, logId, store, writer: log.writer, redactor: secrets },
    attended: wishes.attended,
    attendedByFollowers: wishes.delegatedBy !== undefined,
    ...{ permissionTimeoutMs, questionsStayOpen },
    onAsked: engine.onAsked,
  });
  for (const event of sources.firstEvents) core.publish(event);
  const trust = new ProjectTrust(files, {
    ask: (question, signal) => core.questions.ask(question, signal),
    publish: (event) => core.publish(event),
    restrict: restriction(plans, core),
  });
  const { hidden } = settingsOf(sandboxSection, { config, profile });
  const keys = sessionKeyFiles({ world, root, environment: wishes.environment, hidden });
  const gate = openPermissionGate({ world, paths, plan, workspace, redactor: secrets, keys });
  const sandbox = undo.use(
    sessionSandbox(
      { world, paths, options, plan, trust, writable, keys, publish: (event) => core.publish(event) },
      use,
    ),
  );
  const turn = turnLimitsOf(plan, world);
  const handedOver = defined({ handover });
  const budget = await openBudget({ ...{ logId, log, store, config, limits, turn }, ...handedOver });
  const watch = new TaskWatch();
  const runs = undo.use(
    new BackgroundRuns((change) => {
      core.publish({ kind: "TaskChanged", payload: change });
      watch.changed(change);
    }),
  );
  const registry = new ToolRegistry();
  const ripgrep = hostRipgrep(paths.data);
  registry.add(selectPacks(builtinTools({ runs, ripgrep }), profile.toolPacks));
  const host = sessionHost({
    engine: {
      ...{ ...engineHost, world, environment: wishes.environment, config },
      judge: judgeFilesBy({ world, paths, records: use === "run" }, plan()),
    },
    ...{ core, session, logId, plan, workspace, log, trust, sandbox, model, budget, registry, ripgrep },
    planUnder: planUnderProfile(sources, plan),
    redactor: secrets,
    permissions: gate,
    background: watch.over(runs),
    shown: handover?.shown ?? new Set(),
    tree: async () => (await import("../../platform/files/tree.ts")).hostTree,
    ...handedOver,
    extendRules: (pluginRules) => plans.change({ pluginRules }),
  });
  const features = await OpenFeatures.open(host, {
    all: engine.features.all.filter(({ startsPrograms }) => use === "run" || startsPrograms !== true),
    of: (feature) => engine.features.of(feature),
  });
  undo.defer(async () => await features.close());
  const delegate = delegation(sources, plan, features);
  const opened = undo.move(); // the caller frees it
  return {
    ...{ host, core, plan, gate, trust, sandbox, budget, turn, watch, runs, registry, features },
    setLevel: levelSetter(plans),
    tools: (spawn) => features.tools({ spawn, delegate, examine: examinerOf(features) }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Returns the function that applies settings of the project. It reports a level that they lower. */
function restriction(plans: SessionPlans, core: SessionCore): TrustContext["restrict"] {
  return function restrict(project) {
    const { ceiling } = plans.current.policy;
    plans.change({ project });
    const { ceiling: level } = plans.current.policy;
    if (level !== ceiling) core.publish({ kind: "LevelChanged", payload: { level } });
  };
}

/** Returns the function that examines inputs of sub-agents as those of the session. */
function examinerOf({ onInput }: OpenFeatures): AgentRunner["examine"] {
  return async (content, at) => await onInput(content, at, {});
}

/** Returns the limits of a turn, read from the plan that holds at the time. */
function turnLimitsOf(plan: () => SessionPlan, { clock }: Pick<World, "clock">): TurnLimits {
  return new TurnLimits({
    clock,
    limits() {
      const { treeRoundsMax: roundsMax, turnMsMax: msMax, endsAtMs } = plan().limits;
      return {
        roundsMax,
        ...(msMax === undefined ? {} : { msMax }),
        ...(endsAtMs === undefined ? {} : { endsAtMs }),
      };
    },
  });
}

/** Returns the function that runs tasks in sessions below this one. */
function delegation(
  { engine, session, logId }: HostSources,
  plan: () => SessionPlan,
  { shared }: OpenFeatures,
): DelegateTask {
  return async function delegate(request, remaining) {
    const { config } = plan();
    const carried = shared.carries();
    const parent = { session, logId, carried, plan: plan(), config, remaining, ...request };
    return await engine.delegate(parent, request);
  };
}

/** Returns the planner of a session under another profile. */
function planUnderProfile({ engine, world }: HostSources, plan: () => SessionPlan): SessionHost["planUnder"] {
  return async function planUnder(wanted) {
    const { profileToSwitch } = await import("../plan/profiles/profile-to-switch.ts");
    const { options, host, features } = engine;
    const { root, config, wishes } = plan();
    return await profileToSwitch(
      {
        ...{ world, paths: host.paths, root, config, wishes, features: features.set },
        ...(options.embedding === undefined ? {} : { embedding: options.embedding }),
      },
      wanted,
    );
  };
}
