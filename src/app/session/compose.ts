import { defined } from "../../base/defined.ts";
import type { Files } from "../../base/world.ts";
import type { ResultOf } from "../../protocol/queries/queries.ts";
import { cacheBreakpoints } from "../../providers/cache-breakpoints.ts";
import { splitModel } from "../../providers/choosing/route.ts";
import { reportLeftOut } from "../../providers/retry/report-left-out.ts";
import { retry } from "../../providers/retry/retry.ts";
import { takeover } from "../../providers/retry/takeover.ts";
import type { PreparedSwitch, Reopen } from "../../session/handover.ts";
import type { SessionPlan } from "../../session/plan.ts";
import { subKey } from "../../session/store/seal.ts";
import { ownAndResolvedPath, sealedFiles } from "../../session/store/sealed-files.ts";
import type { OpenedSession } from "../../session/turns/opened-session.ts";
import type { Session } from "../../session/turns/session.ts";
import type { Engine } from "../engine/engine.ts";
import type { ModelSlot } from "../models/model-slot.ts";
import type { ComposeDependencies } from "./chains/compose-session.ts";
import { composeSession } from "./chains/compose-session.ts";
import { parallelCalls } from "./chains/parallel-calls.ts";
import type { ComposedHost, HostSources } from "./compose-host.ts";
import { composeHost } from "./compose-host.ts";
import { sessionLife } from "./session-life.ts";
import { proveBesideRequests } from "./workspace/sandbox-proving.ts";

/** Parts of an opened session. */
export interface SessionMaterials extends Omit<HostSources, "engine" | "model"> {
  readonly engine: Engine;
  readonly slot: ModelSlot;
  readonly reopen: Reopen<OpenedSession>;
  /** Frees everything else, after the session or if it cannot be composed. */
  readonly close: AsyncDisposable;
  /** Called when it has ended and its log is released, if no client was there. Absent: it is not provisional. */
  readonly left?: () => Promise<void>;
}

/** A session that was composed, and sentences for the person at the start. */
export interface Composed {
  readonly session: Session;
  readonly notices: readonly string[];
}

/** Composes one session: its host, then its chains. It frees what was opened; so does a failure. */
export async function compose(materials: SessionMaterials): Promise<Composed> {
  const { engine, session, logId, log, workspace, slot, left } = materials;
  const { options, host: engineHost, providers, live } = engine;
  const { caches, store } = engineHost;
  await using undo = new AsyncDisposableStack();
  const resources = undo.use(new AsyncDisposableStack());
  resources.use(materials.close);
  const world = { ...materials.world, files: await scratchFiles(materials) };
  const base = resources.use(await composeHost({ ...materials, world, model: slot }, "run"));
  const { core, plan, gate, trust, sandbox, budget, turn, watch, runs, registry, features } = base;
  const { profile, config, wishes, limits } = plan();
  resources.defer(() => live.remove(session));
  const composed = composeSession({
    world,
    core,
    caches,
    session,
    logId,
    store,
    ...log.resumed,
    ...(wishes.orphans === undefined ? {} : { orphans: wishes.orphans }),
    ...(await sessionLife({ logId, isOld: log.isOld, profile, config, store })),
    tasksRunning: () => watch.running(runs) + features.running(),
    registry,
    tools: base.tools,
    workspace,
    ...(wishes.sequentialCalls ? {} : parallelCalls(profile, gate)),
    ...{ around: features.around, proveSandbox: proveBesideRequests(sandbox, registry), ...features.files },
    ...guardOf(base, engineHost),
    ...(options.embedding?.onBlock === undefined ? {} : { onBlock: options.embedding.onBlock }),
    provider: {
      cacheBreakpoints: cacheBreakpoints(logId),
      takeover: takeover({ estimate: await tokenEstimate(), spentUsd: () => budget.spend.total.usd }),
      reportLeftOut: reportLeftOut(),
      retry: retry({ pauses: providers.pauses }),
      expireContent: engine.retention.expireContent,
    },
    onFollowed() {
      trust.begin();
      features.onFollowed();
    },
    onInput: features.onInput,
    takes: features.takes,
    leftOut: async (content) => {
      const { provider, model } = splitModel(slot.name);
      return await providers.leftOutOf(provider, model, [{ role: "user", content: [...content] }]);
    },
    onTurnEnd: features.onTurnEnd,
    commands: features.commands,
    queries: { ListHooks: noHooks, ...features.queries, ...gate.queries },
    ownerOf: features.ownerOf,
    ...(features.rewind === undefined ? {} : { rewind: features.rewind }),
    model: () => slot.current,
    setModel: async (name, stop, effort) => await setModel({ engine, slot, config }, { name, effort }, stop),
    chosenEffort: () => slot.chosenEffort,
    setLevel: base.setLevel,
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
    ...(materials.handover === undefined ? {} : { followsAnother: true }),
    ...endOf(resources, left),
  });
  undo.defer(() => composed.end("error"));
  live.add(session, listedSession(base, materials));
  const { signal } = new AbortController();
  // If nobody has to be asked, a wrong setting of the project ends the start, not the first turn.
  if (!trust.asks) await trust.loaded(signal);
  await features.ready(signal);
  undo.move(); // the session frees it
  return { session: composed, notices: [...gate.notices(), ...features.notices()] };
}

/** Returns how a session ends: everything is freed, and one that was left unused is removed. */
function endOf(
  resources: AsyncDisposableStack,
  left: SessionMaterials["left"],
): Pick<ComposeDependencies, "close" | "provisional"> {
  return {
    ...(left === undefined ? {} : { provisional: true }),
    async close(isLeft) {
      await resources.disposeAsync();
      if (isLeft) await left?.();
    },
  };
}

/** Returns what a running session offers to queries and commands about all sessions. */
function listedSession(
  { features, registry, plan }: ComposedHost,
  materials: SessionMaterials,
): Parameters<Engine["live"]["add"]>[1] {
  const { prepareSwitch } = features;
  return {
    lists: features.shared.lists,
    registry,
    ...(prepareSwitch === undefined
      ? {}
      : {
          prepareSwitch: async (command, idle): Promise<PreparedSwitch<OpenedSession>> =>
            await prepareSwitch(command, idle, reopening(materials, plan)),
        }),
  };
}

/** Returns the way to open the session that follows this one, at the level that a person has set here. */
function reopening({ reopen }: SessionMaterials, plan: () => SessionPlan): SessionMaterials["reopen"] {
  return (next, following, changes) =>
    reopen(next, following, { ...defined({ level: plan().wishes.level }), ...changes });
}

/** Answers for a session that has no hooks. */
async function noHooks(): Promise<ResultOf<"ListHooks">> {
  return { hooks: [], waiting: [], more: false };
}

/** Files of the world, with the session's stored output sealed (SES-04). */
async function scratchFiles({ engine, logId, workspace, world }: SessionMaterials): Promise<Files> {
  const key = subKey(await engine.providers.credentials.logKey(), `cinch scratch v1 ${logId}`);
  const directories = await ownAndResolvedPath(world.files, workspace.scratch);
  return sealedFiles(world.files, { directories, key, random: world.random });
}

/** Returns the guard of the calls of a session, and the level that it judges by. */
function guardOf(
  { core, gate, plan, sandbox }: ComposedHost,
  { isGated }: Pick<Engine["host"], "isGated">,
): Pick<ComposeDependencies, "guard" | "level"> {
  if (!isGated) return { guard: "vouched" };
  return { guard: gate.guard(core.questions, sandbox), level: () => plan().policy.ceiling };
}

/** Estimates the tokens of a request for a model that takes over from another. */
async function tokenEstimate(): Promise<Parameters<typeof takeover>[0]["estimate"]> {
  const { TokenCounter } = await import("../../providers/dialect/request/token-counter.ts");
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
