import { join } from "node:path";
import { assert } from "../../base/assert.ts";
import type { Files } from "../../base/world.ts";
import { saidOf } from "../../config/settings/read-section.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import type { SpawnParts } from "../../engine/spawn.ts";
import { checkpointing } from "../../features/checkpoints/open.ts";
import { hookFiles } from "../../features/hooks/open.ts";
import { limitsSection } from "../../features/limits/config.ts";
import { openTally } from "../../features/limits/tally.ts";
import { turnLimits } from "../../features/limits/turn-limits.ts";
import { rulesOf } from "../../features/plugins/open-plugins.ts";
import { leftWorktrees } from "../../features/subagents/agents.ts";
import { permitting } from "../../guard/permissions/permitting.ts";
import { sandboxSection } from "../../guard/sandbox/config.ts";
import { sessionKeys } from "../../guard/sandbox/policy/credential-places.ts";
import { hostRipgrep } from "../../platform/ripgrep.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { SessionHost } from "../../session/host.ts";
import type { RunMaterial } from "../../session/plan/run-material.ts";
import type { Questions } from "../../session/questions/questions.ts";
import type { Ask } from "../../session/questions.ts";
import { subKey } from "../../session/store/seal.ts";
import { bothPaths, sealedFiles } from "../../session/store/sealed-files.ts";
import type { Session } from "../../session/turns/session.ts";
import { withPacks } from "../../tools/pack.ts";
import { ToolRegistry } from "../../tools/registry.ts";
import { builtinTools } from "./builtins.ts";
import { parallelCalls } from "./parallel-calls.ts";
import { openParts } from "./parts-of-run.ts";
import { requestChain } from "./request-chain.ts";
import { composeSession } from "./session.ts";
import { sessionHost } from "./session-host.ts";
import { guardOf, sessionLife } from "./session-life.ts";
import { planOf, planUnder } from "./session-plan.ts";
import { sessionSandbox } from "./session-sandbox.ts";

export interface ComposedRun {
  readonly session: Session;
  /** Sentences for the person at the start. */
  readonly notices: readonly string[];
}

/**
 * Puts the rooms of one session together: the gate, the tools and the middleware, each in its place. What it was given and
 * what it has opened is freed with the session, or when it throws.
 */
export async function composeRun(material: RunMaterial): Promise<ComposedRun> {
  await using undo = new AsyncDisposableStack();
  const held = undo.use(new AsyncDisposableStack());
  held.use(material.close);
  const { session, logId, profile, trust, log, workspace, secrets, slot, defaults } = material;
  const { world, paths, config, caches, providers, store, attended } = defaults;
  const { permissionTimeoutMs } = settingsOf(limitsSection, { profile });
  const { hidden } = settingsOf(sandboxSection, { config, profile });
  const keys = sessionKeys({ world, root: workspace.root, environment: defaults.environment, hidden });
  const steering = await hookFiles({
    files: world.files,
    config,
    profile,
    folder: join(paths.config, "hooks"),
    root: workspace.root,
    home: workspace.env["HOME"],
  });
  const permission = await permitting({
    ...material,
    ...rulesOf(material.plugins),
    keys,
    hookFiles: steering,
  });
  const tally = await openTally(material);
  const { roundsMax, limits } = turnLimits(material);
  let registry: ToolRegistry | undefined;
  let spawnParts: SpawnParts | undefined;
  let publish: (event: Event) => void = () => undefined;
  const { policy } = permission;
  const sandbox = held.use(sessionSandbox(material, { policy, keys, publish: (event) => publish(event) }));
  const checkpoints = checkpointing(material);
  const guard = guardOf(profile);
  const files = await scratchFiles(material);
  const toolRegistry = new ToolRegistry();
  let questions: Questions | undefined;
  let follow: SessionHost["follow"] = () => nothing();
  const host = sessionHost({
    material,
    world: { ...world, files },
    permission,
    sandbox,
    tally,
    limits,
    registry: toolRegistry,
    plan: () => planOf(material, permission, permissionTimeoutMs),
    planUnder: async (name) => await planUnder(material, name),
    publish: (event) => publish(event),
    follow: (signal) => follow(signal),
    send: (content) => send(content),
    questions() {
      assert(questions !== undefined, "nobody asks before the session is composed");
      return questions;
    },
    spawnParts: () => spawnParts,
    carries: () => parts.carries(),
    get lists() {
      return parts.offers;
    },
    hooks: () => parts.gate,
  });
  const { parts, hooks, skills, runs } = await openParts(material, {
    host,
    secrets,
    permission,
    permissionTimeoutMs,
    sandbox,
    tally,
    limits,
    publish: (event) => publish(event),
  });
  held.defer(parts.close);
  held.defer(() => defaults.offered.remove(session));
  /** What begins turns that nobody asked for. */
  const self = { id: world.ids.next("cli"), identityClass: "agent", label: "cinch" } as const;
  const send: SessionHost["send"] = async (content) => {
    const command: CommandOf<"SendInput"> = {
      kind: "SendInput",
      sessionId: session,
      content: [...content],
      delivery: "queue",
    };
    await composed.send(command, self);
  };
  const composed: Session = composeSession({
    world: { ...world, files },
    caches,
    session,
    logId,
    store,
    writer: log.writer,
    ...log.resumed,
    ...(defaults.orphans === undefined ? {} : { orphans: defaults.orphans }),
    ...(await sessionLife(material)),
    tasksRunning: parts.running,
    workspace,
    ...(defaults.sequentialCalls ? {} : parallelCalls(profile, permission)),
    tools(tell) {
      publish = tell;
      registry = toolRegistry;
      const ripgrep = hostRipgrep(paths.data);
      registry.add(withPacks(builtinTools({ runs, ripgrep }), profile.toolPacks));
      for (const source of parts.tools) registry.add(source);
      return registry;
    },
    telemetry: [...parts.telemetry, guard.tool, ...checkpoints.outer],
    redactor: secrets,
    ...(defaults.onAsked === undefined ? {} : { onAsked: defaults.onAsked }),
    onEngine(shared) {
      spawnParts = shared;
    },
    onFollowed() {
      trust.begin();
      parts.onFollowed();
    },
    onInput: parts.onInput,
    takes: parts.takes,
    async onTurnEnd(reason, turn) {
      await parts.onTurnEnd(reason, turn);
      await checkpoints.onTurnEnd(turn);
    },
    commands: parts.commands,
    queries: parts.queries,
    ownerOf: parts.ownerOf,
    checkpoint: checkpoints.tool,
    rewind: checkpoints.rewind,
    gate: (questions) => [...parts.gate, permission.gate(questions, sandbox)],
    sandbox: (questions) => [permission.confine(questions, sandbox)],
    inner: parts.inner,
    onQuestions(asked, subscribe) {
      questions = asked;
      follow = subscribe;
      const ask: Ask = (question, signal) => asked.ask(question, signal);
      checkpoints.serve(asked, (event) => publish(event));
      trust.serve({
        ask,
        publish: (event) => publish(event),
        restrict(settings) {
          permission.restrict(settings.map(({ permissions }) => permissions));
          for (const { sections } of settings) {
            const msMax = saidOf(sections, limitsSection)?.timeMs;
            if (msMax !== undefined) limits.lowerTime(msMax);
          }
        },
      });
      parts.serve({
        ask,
        publish: (event) => publish(event),
        tools: () => registry?.list() ?? [],
        input: send,
        answerAbout: (about, answer, client) => asked.answerAbout(about, answer, client),
        spawnParts() {
          assert(spawnParts !== undefined, "no call runs before its session is composed");
          return spawnParts;
        },
        refreshTools: () => registry?.refresh(),
        follow: subscribe,
      });
    },
    requestMiddleware: [
      guard.request,
      ...checkpoints.request,
      ...parts.request,
      ...requestChain(material, {
        files,
        secrets,
        spend: tally.spend,
        capUsd: tally.capUsd,
        async before(moment, context) {
          await hooks?.session.onCompact(moment, context);
          await parts.onCompact(moment, context);
        },
        attempt: parts.attempt,
      }),
    ],
    model: () => slot.current,
    async setModel(name, stop, effort) {
      const chosen = await providers.choose(name, {}, stop);
      const isOther = `${chosen.provider}:${chosen.model}` !== slot.name;
      const notices = chosen.told === undefined ? [] : [chosen.told];
      if (isOther) {
        const { checkModel } = await import("../models/model-check.ts");
        const remark = await checkModel(chosen, { providers, config, world }, stop);
        if (remark !== undefined) notices.push(remark);
      }
      await slot.set(chosen, effort);
      return notices;
    },
    revokeRule: permission.revokeRule,
    promoteRule: permission.promoteRule,
    roundsMax,
    limits,
    attended,
    attendedByFollowers: defaults.delegatedBy !== undefined,
    permissionTimeoutMs,
    async settle() {
      await using rest = new AsyncDisposableStack();
      rest.defer(parts.settle);
      rest.defer(checkpoints.settle);
      trust.end();
    },
    close: () => held.disposeAsync(),
  });
  undo.defer(() => composed.end("error"));
  defaults.offered.add(session, parts.offers, () => registry?.list() ?? []);
  // With nothing to ask, a setting of the project that is wrong ends the start, not the first turn.
  if (!trust.asks) {
    const { signal } = new AbortController();
    await trust.loaded(signal);
    await hooks?.read(signal);
  }
  await skills.ready(new AbortController().signal);
  const left = await leftWorktrees(defaults, workspace.root);
  undo.move(); // the session frees it
  return {
    session: composed,
    notices: [...permission.notices(), ...skills.notices(), ...parts.notices, ...left],
  };
}

/** The world's files, with what is kept of a session's output sealed (SES-04). */
async function scratchFiles({ logId, workspace, defaults }: RunMaterial): Promise<Files> {
  const { world, providers } = defaults;
  const key = subKey(await providers.credentials.logKey(), `cinch scratch v1 ${logId}`);
  const directories = await bothPaths(world.files, workspace.scratch);
  return sealedFiles(world.files, { directories, key, random: world.random });
}

/** Yields nothing: no event can be missed before the session is composed. */
async function* nothing(): AsyncGenerator<never> {
  // There is no bus yet.
}
