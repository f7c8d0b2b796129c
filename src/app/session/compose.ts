import type { LogId, SessionId } from "../../base/ids.ts";
import type { Files } from "../../base/world.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import { TurnLimits } from "../../engine/loop/turn-limits.ts";
import { openPermissionGate } from "../../guard/permissions/permission-gate.ts";
import { sandboxSection } from "../../guard/sandbox/config.ts";
import { sessionKeyFiles } from "../../guard/sandbox/policy/credential-paths.ts";
import type { ProjectTrust } from "../../guard/trust/project-trust.ts";
import { hostRipgrep } from "../../platform/ripgrep.ts";
import type { Event } from "../../protocol/events/events.ts";
import { cacheBreakpoints } from "../../providers/cache-breakpoints.ts";
import { retry } from "../../providers/retry/retry.ts";
import { takeover } from "../../providers/retry/takeover.ts";
import type { Redactor } from "../../safety/redact.ts";
import type { Handover, PreparedSwitch, Reopen } from "../../session/handover.ts";
import type { OpenedLog } from "../../session/history/resumed-log.ts";
import { subKey } from "../../session/store/seal.ts";
import { ownAndResolvedPath, sealedFiles } from "../../session/store/sealed-files.ts";
import type { OpenedSession } from "../../session/turns/opened-session.ts";
import type { Session } from "../../session/turns/session.ts";
import { BackgroundRuns } from "../../tools/bash/background-runs.ts";
import { ToolRegistry } from "../../tools/registry.ts";
import { selectPacks } from "../../tools/select-packs.ts";
import type { Workspace } from "../../tools/tool.ts";
import type { Engine } from "../engine/engine.ts";
import type { ModelSlot } from "../models/model-slot.ts";
import { judgeFilesBy } from "../plan/judge-files.ts";
import type { SessionPlans } from "../plan/plan.ts";
import { openBudget } from "./budget.ts";
import { builtinTools } from "./chains/builtins.ts";
import { parallelCalls } from "./chains/parallel-calls.ts";
import { composeSession } from "./chains/session.ts";
import { SessionCore } from "./chains/session-core.ts";
import { OpenFeatures } from "./open-features.ts";
import { SessionHostBuilder } from "./session-host.ts";
import { sessionLife } from "./session-life.ts";
import { TaskWatch } from "./task-watch.ts";
import { sessionSandbox } from "./workspace/session-sandbox.ts";

/** Parts of an opened session. */
export interface SessionMaterials {
  readonly engine: Engine;
  readonly session: SessionId;
  readonly logId: LogId;
  /** Makes the plans of the session. */
  readonly openPlans: () => Promise<SessionPlans>;
  readonly trust: ProjectTrust;
  readonly log: OpenedLog;
  readonly workspace: Workspace;
  readonly secrets: Redactor;
  readonly slot: ModelSlot;
  /** World of the session: its log does not show the secrets of its terminal. */
  readonly world: Engine["host"]["world"];
  readonly handover?: Handover;
  /** First events of the log, before those of any feature. */
  readonly firstEvents: readonly Event[];
  readonly reopen: Reopen<OpenedSession>;
  /** Frees everything else, after the session or if it cannot be composed. */
  readonly close: AsyncDisposable;
}

/** A session that was composed, and sentences for the person at the start. */
export interface Composed {
  readonly session: Session;
  readonly notices: readonly string[];
}

/** Composes one session: gate, tools, features and chains. It frees what was opened; so does a failure. */
export async function compose(materials: SessionMaterials): Promise<Composed> {
  const { engine, session, logId, trust, log, workspace, secrets, slot, handover } = materials;
  const { options, host: engineHost, providers, live } = engine;
  const { paths, caches, store } = engineHost;
  const { clock } = materials.world;
  await using undo = new AsyncDisposableStack();
  const held = undo.use(new AsyncDisposableStack());
  held.use(materials.close);
  const plans = await materials.openPlans();
  const plan = () => plans.current;
  const { root, profile, config, wishes, permissionTimeoutMs } = plan();
  const world = { ...materials.world, files: await scratchFiles(materials) };
  const core = new SessionCore({
    world,
    session,
    logId,
    store,
    writer: log.writer,
    redactor: secrets,
    attended: wishes.attended,
    attendedByFollowers: wishes.delegatedBy !== undefined,
    permissionTimeoutMs,
    onAsked: engine.onAsked,
  });
  for (const event of materials.firstEvents) core.publish(event);
  const { hidden } = settingsOf(sandboxSection, { config, profile });
  const keys = sessionKeyFiles({ world, root, environment: wishes.environment, hidden });
  const gate = openPermissionGate({ world, paths, plan, workspace, redactor: secrets, keys });
  const sandbox = held.use(
    sessionSandbox({ world, paths, options, plan, trust, keys, publish: (event) => core.publish(event) }),
  );
  const turn = new TurnLimits({
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
  const { limits } = plan();
  const budget = await openBudget({
    ...{ logId, log, store, config, limits, turn },
    ...(handover === undefined ? {} : { handover }),
  });
  const watch = new TaskWatch();
  const runs = new BackgroundRuns((change) => {
    core.publish({ kind: "TaskChanged", payload: change });
    watch.changed(change);
  });
  const registry = new ToolRegistry();
  registry.add(selectPacks(builtinTools({ runs, ripgrep: hostRipgrep(paths.data) }), profile.toolPacks));
  trust.attach({
    ask: (question, signal) => core.questions.ask(question, signal),
    publish: (event) => core.publish(event),
    restrict: (project) => plans.change({ project }),
  });
  const base = new SessionHostBuilder({
    engine: {
      ...{ ...engineHost, world, environment: wishes.environment, config },
      judge: judgeFilesBy({ world, paths, records: true }, plan()),
    },
    core,
    session,
    logId,
    plan,
    async planUnder(wanted) {
      const { profileToSwitch } = await import("../plan/profiles/profile-to-switch.ts");
      return await profileToSwitch({ ...wishes, world, paths, root, config }, wanted);
    },
    workspace,
    log,
    redactor: secrets,
    trust,
    permissions: gate,
    sandbox,
    background: watch.over(runs),
    model: slot,
    budget,
    shown: handover?.shown ?? new Set(),
    registry,
    tree: async () => (await import("../../platform/files/tree.ts")).hostTree,
    ...(handover === undefined ? {} : { handover }),
    delegate: async (request, left) =>
      await engine.delegate({ host: base.host, plan: plan(), config, left, ...request }, request),
    extendRules: (pluginRules) => plans.change({ pluginRules }),
  });
  const features = await OpenFeatures.open(base.host, engine.features);
  held.defer(async () => await features.close());
  held.defer(() => live.remove(session));
  base.open(features);
  for (const source of features.tools) registry.add(source);
  const composed = composeSession({
    world,
    core,
    caches,
    session,
    logId,
    store,
    ...log.resumed,
    ...(wishes.orphans === undefined ? {} : { orphans: wishes.orphans }),
    ...(await sessionLife({ logId, profile, config, store })),
    tasksRunning: () => watch.running(runs) + features.running(),
    registry,
    workspace,
    ...(wishes.sequentialCalls ? {} : parallelCalls(profile, gate)),
    around: features.around,
    ...(options.embedding?.isGated === false
      ? {}
      : { gate: [gate.gate(core.questions, sandbox)], sandbox: [gate.confine(core.questions, sandbox)] }),
    ...(options.embedding?.onBlock === undefined ? {} : { onBlock: options.embedding.onBlock }),
    retrying: [
      cacheBreakpoints(logId),
      takeover({ estimate: await tokenEstimate(), spentUsd: () => budget.spend.total.usd }),
      retry({ pauses: providers.pauses }),
    ],
    retention: [engine.retention.middleware],
    onFollowed() {
      trust.begin();
      features.onFollowed();
    },
    onInput: features.onInput,
    takes: features.takes,
    onTurnEnd: features.onTurnEnd,
    commands: features.commands,
    queries: features.queries,
    ownerOf: features.ownerOf,
    ...(features.rewind === undefined ? {} : { rewind: features.rewind }),
    model: () => slot.current,
    setModel: async (name, stop, effort) => await setModel({ engine, slot, config }, { name, effort }, stop),
    revokeRule: gate.revokeRule,
    promoteRule: gate.promoteRule,
    roundsMax: limits.roundsMax,
    limits: turn,
    async settle() {
      await using rest = new AsyncDisposableStack();
      rest.defer(async () => await features.settle());
      rest.use(runs);
      trust.end();
    },
    close: () => held.disposeAsync(),
  });
  base.complete(composed);
  undo.defer(() => composed.session.end("error"));
  const { prepareSwitch } = features;
  live.add(session, {
    lists: features.lists,
    registry,
    ...(prepareSwitch === undefined
      ? {}
      : {
          prepareSwitch: async (command, idle): Promise<PreparedSwitch<OpenedSession>> =>
            await prepareSwitch(command, idle, materials.reopen),
        }),
  });
  const { signal } = new AbortController();
  // If nobody has to be asked, a wrong setting of the project ends the start, not the first turn.
  if (!trust.asks) await trust.loaded(signal);
  await features.ready(signal);
  undo.move(); // the session frees it
  return { session: composed.session, notices: [...gate.notices(), ...features.notices()] };
}

/** Files of the world, with the session's stored output sealed (SES-04). */
async function scratchFiles({ engine, logId, workspace, world }: SessionMaterials): Promise<Files> {
  const key = subKey(await engine.providers.credentials.logKey(), `cinch scratch v1 ${logId}`);
  const directories = await ownAndResolvedPath(world.files, workspace.scratch);
  return sealedFiles(world.files, { directories, key, random: world.random });
}

/** Estimates the tokens of a request for a model that takes over from another. */
async function tokenEstimate(): Promise<Parameters<typeof takeover>[0]["estimate"]> {
  const { TokenCounter } = await import("../../features/compaction/window/token-counter.ts");
  const tokens = new TokenCounter();
  return (request) => tokens.ofRequest(request.model, request);
}

/** Replaces the model, and returns sentences for the person. */
async function setModel(
  {
    engine,
    slot,
    config,
  }: Pick<SessionMaterials, "engine" | "slot"> & { readonly config: Engine["host"]["config"] },
  { name, effort }: { readonly name: string; readonly effort: Parameters<ModelSlot["set"]>[1] },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { providers, host } = engine;
  const chosen = await providers.choose(name, {}, signal);
  const isOther = `${chosen.provider}:${chosen.model}` !== slot.name;
  const notices = chosen.notice === undefined ? [] : [chosen.notice];
  if (isOther) {
    const { checkModel } = await import("../models/model-check.ts");
    const remark = await checkModel(chosen, { providers, config, world: host.world }, signal);
    if (remark !== undefined) notices.push(remark);
  }
  await slot.set(chosen, effort);
  return notices;
}
