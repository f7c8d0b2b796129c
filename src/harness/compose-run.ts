import { join } from "node:path";
import type { LogId, SessionId } from "../base/ids.ts";
import type { Reason } from "../base/reasons.ts";
import { costCap } from "../budget/cap.ts";
import { costMeter } from "../budget/meter.ts";
import { Spend } from "../budget/spend.ts";
import { contextAssembly } from "../context/assemble.ts";
import { PERMISSION_TIMEOUT_MS } from "../control/multiplex/questions.ts";
import type { Session } from "../control/multiplex/session.ts";
import { harnessSecretsFolders } from "../credential/store/harness-secrets-path.ts";
import { ROUNDS_MAX } from "../engine/turn.ts";
import { hostRipgrep } from "../host/ripgrep.ts";
import { deniedPlaces } from "../permission/denied-places.ts";
import { mayLeave, permissionGate } from "../permission/gate.ts";
import type { Policy } from "../permission/judge.ts";
import { printRule } from "../permission/rule.ts";
import { SessionRules } from "../permission/session-rules.ts";
import type { Profile } from "../profile/profile.ts";
import { promoteRule } from "../profile/promote.ts";
import type { Event } from "../protocol/events.ts";
import { cacheBreakpoints } from "../provider/cache-breakpoints.ts";
import type { RequestMiddleware } from "../provider/middleware.ts";
import { retry } from "../provider/retry.ts";
import { confine } from "../sandbox/confinement/confine.ts";
import { subKey } from "../session/seal.ts";
import { BackgroundRuns } from "../tool/builtin/background-runs.ts";
import { builtinTools } from "../tool/builtin/builtins.ts";
import { withPacks } from "../tool/pack.ts";
import { ToolRegistry } from "../tool/registry.ts";
import type { Workspace } from "../tool/tool.ts";
import { redactor } from "../trust/redact.ts";
import { withChange } from "./change-preview.ts";
import { checkpointing } from "./checkpoints.ts";
import { openCompaction } from "./compaction.ts";
import { hookFiles, openHooks } from "./hooks.ts";
import { lateSandbox } from "./late-sandbox.ts";
import { remembering } from "./memory.ts";
import type { ModelSlot } from "./model-slot.ts";
import { namedFiles, ownDirectories } from "./own-directories.ts";
import { policyFrom, policyNotices } from "./policy.ts";
import { priceLookup } from "./price-lookup.ts";
import type { ProjectTrust } from "./project-trust.ts";
import { tellRefusal } from "./refusal.ts";
import { countSpent } from "./resume.ts";
import type { OpenedLog, RunDefaults } from "./run-parts.ts";
import type { SandboxSources } from "./sandbox-sources.ts";
import { bothPaths, sealedFiles } from "./sealed-files.ts";
import { composeSession } from "./session.ts";
import { guardOf, sessionLife } from "./session-life.ts";

/** What a session is composed of, once everything was opened. */
export interface Material {
  readonly session: SessionId;
  readonly logId: LogId;
  readonly profile: Profile;
  readonly trust: ProjectTrust;
  readonly log: OpenedLog;
  readonly workspace: Workspace;
  readonly slot: ModelSlot;
  readonly defaults: RunDefaults;
  /** What is freed when the session has ended. */
  readonly close: AsyncDisposable;
}

export interface ComposedRun {
  readonly session: Session;
  /** Sentences for the person at the start. */
  readonly notices: readonly string[];
}

/** Puts the rooms of one session together: the gate, the tools and the middleware, each in its place. */
export async function composeRun(material: Material): Promise<ComposedRun> {
  const { session, logId, profile, trust, log, workspace, slot, defaults } = material;
  const { world, paths, config, providers, store, attended, autoApprove } = defaults;
  const permissionTimeoutMs = profile.limits.permissionTimeoutMs ?? PERMISSION_TIMEOUT_MS;
  const sessionRules = new SessionRules();
  const sources = {
    profile: profile.permissions,
    user: config.permissions,
    strictPermissions: defaults.strictPermissions,
    ownDirectories: await ownDirectories(world.files, paths),
    steering: await namedFiles(world.files, [
      defaults.lockfile ?? config.trust.lockfile,
      profile.path,
      ...(await hookFiles({
        files: world.files,
        config,
        profile,
        folder: join(paths.config, "hooks"),
        root: workspace.root,
        home: workspace.env["HOME"],
      })),
    ]),
    ...(defaults.level === undefined ? {} : { level: defaults.level }),
  };
  // The gate looks at it anew for each call: what the project restricts is known once a person has acknowledged it,
  // which is before the first request.
  const policy = { ...policyFrom(sources) };
  let runs: BackgroundRuns | undefined;
  let publish: (event: Event) => void = () => undefined;
  const sandbox = lateSandbox(async () => {
    const { openSandbox } = await import("./sandbox.ts");
    return openSandbox(sandboxSources(material, { policy, publish: (event) => publish(event) }));
  });
  const hooks = await openHooks(material, (event) => publish(event));
  const checkpoints = checkpointing(material);
  const guard = guardOf(profile);
  const key = subKey(await providers.credentials.logKey(), `cinch scratch v1 ${logId}`);
  const directories = await bothPaths(world.files, workspace.scratch);
  const files = sealedFiles(world.files, { directories, key, random: world.random });
  const secrets = redactor(await providers.credentials.prints());
  const memory = remembering(material, (text) => secrets.text(text));
  const composed = composeSession({
    world: { ...world, files },
    session,
    logId,
    store,
    writer: log.writer,
    ...log.resumed,
    ...(await sessionLife(material)),
    tasksRunning: () => runs?.ids("running").length ?? 0,
    workspace,
    tools(tell) {
      publish = tell;
      runs = new BackgroundRuns((payload) => publish({ kind: "TaskChanged", payload }));
      const registry = new ToolRegistry();
      const ripgrep = hostRipgrep(paths.data);
      registry.add(withPacks(builtinTools({ runs, ripgrep }), profile.toolPacks));
      for (const source of memory.tools) registry.add(source);
      return registry;
    },
    telemetry: [guard.tool, ...checkpoints.outer],
    redactor: secrets,
    onFollowed() {
      trust.begin();
      hooks?.session.begin();
    },
    ...memory.input(hooks && ((content, turn) => hooks.session.onInput(content, turn))),
    async onTurnEnd(reason, turn) {
      await hooks?.session.onTurnEnd(reason, turn);
      await checkpoints.onTurnEnd(turn);
    },
    checkpoint: checkpoints.tool,
    rewind: checkpoints.rewind,
    gate: (questions) => [
      ...(hooks?.tool ?? []),
      permissionGate({
        policy,
        session: sessionRules,
        ask: async (question, signal) => {
          const place = { cwd: workspace.cwd, files: world.files };
          return await questions.askPermission(
            attended ? await withChange(question, place) : question,
            signal,
          );
        },
        autoApprove,
        confinement: (plan) => sandbox.confinement(plan),
        configPath: join(paths.config, "config.toml"),
        isKept: (text) => secrets.text(text) === text,
        onRefused: tellRefusal,
      }),
    ],
    sandbox: (questions) => [
      confine({
        sandbox,
        attended,
        ask: (question, signal) => questions.ask(question, signal),
        mayLeave: (call, context) => mayLeave({ policy, session: sessionRules }, call, context),
      }),
    ],
    inner: [],
    onQuestions(questions) {
      checkpoints.serve(questions, (event) => publish(event));
      trust.serve({
        ask: (question, signal) => questions.ask(question, signal),
        publish: (event) => publish(event),
        restrict: (project) => void Object.assign(policy, policyFrom({ ...sources, project })),
      });
    },
    requestMiddleware: [
      guard.request,
      ...checkpoints.request,
      ...memory.request,
      ...(await requestMiddleware(
        material,
        openCompaction({
          world: { ...world, files },
          scratch: workspace.scratch,
          keys: [config.compaction, profile.compaction],
          windowOf: providers.contextTokensOf.bind(providers),
          redact: (text) => secrets.text(text),
          before: async (moment, context) => await hooks?.session.onCompact(moment, context),
        }),
      )),
    ],
    model: () => slot.current,
    setModel: async (name, stop) => slot.set(await providers.choose(name, {}, stop)),
    revokeRule: (rule) => sessionRules.revoke(rule),
    promoteRule: async (rule) => {
      if (!sessionRules.list().some((held) => printRule(held) === rule)) return false;
      await promoteRule(world.files, join(paths.config, "config.toml"), rule);
      return true;
    },
    roundsMax: defaults.maxTurns ?? config.maxTurns ?? profile.limits.rounds ?? ROUNDS_MAX,
    attended,
    permissionTimeoutMs,
    settle: async () => {
      trust.end();
      await checkpoints.settle();
      await hooks?.session.end();
      await runs?.[Symbol.asyncDispose]();
    },
    close: async () => {
      await sandbox[Symbol.asyncDispose]();
      await material.close[Symbol.asyncDispose]();
    },
  });
  // With nothing to ask, a setting of the project that is wrong ends the start, not the first turn.
  if (!trust.asks) {
    const { signal } = new AbortController();
    await trust.loaded(signal);
    await hooks?.read(signal);
  }
  return { session: composed, notices: [...policyNotices(policy, autoApprove), ...(hooks?.notices ?? [])] };
}

/** What a session's sandbox is made from. The policy is the gate's own, in which the project's rules come to stand. */
function sandboxSources(
  { profile, trust, workspace, defaults }: Material,
  { policy, publish }: { readonly policy: Pick<Policy, "rules" | "steering">; publish(event: Event): void },
): SandboxSources {
  const { world, paths, config, environment, relayCommand } = defaults;
  return {
    world,
    root: workspace.root,
    paths,
    ...(environment["HOME"] === undefined ? {} : { home: environment["HOME"] }),
    environment,
    ...(config.sandbox === undefined ? {} : { user: config.sandbox }),
    ...(profile.sandbox === undefined ? {} : { profile: profile.sandbox }),
    ...(environment["PATH"] === undefined ? {} : { path: environment["PATH"] }),
    ...(relayCommand === undefined ? {} : { relayCommand }),
    autoApprove: defaults.autoApprove,
    projectHidden: async () => {
      const { settings } = await trust.loaded(new AbortController().signal);
      return settings.flatMap(({ sandboxHidden }) => sandboxHidden);
    },
    denied() {
      const { hidden, readOnly } = deniedPlaces(policy.rules, workspace.root);
      const keys = harnessSecretsFolders(workspace.root);
      const steering = (policy.steering ?? []).map((path) => ({ path, kind: "file" }) as const);
      return {
        hidden: [...hidden, ...keys.there],
        readOnly: [...readOnly, ...steering, { path: keys.own, kind: "directory" }],
      };
    },
    onUnavailable: (message) =>
      publish({ kind: "Error", payload: { reason: "SandboxUnavailable" satisfies Reason, message } }),
  };
}

/** In the normative order: see `RequestMiddleware`. */
async function requestMiddleware(
  material: Material,
  compaction: RequestMiddleware,
): Promise<readonly RequestMiddleware[]> {
  const { logId, profile, trust, workspace, defaults } = material;
  const { world, config, providers, store } = defaults;
  const capUsd = defaults.maxCostUsd ?? config.maxCostUsd ?? profile.limits.costUsd;
  const priceOf = providers.priceOf.bind(providers);
  const spend = new Spend();
  if (capUsd !== undefined) await countSpent(store, logId, spend);
  return [
    contextAssembly({
      world,
      workingDir: workspace.root,
      promptHeader: profile.promptHeader,
      context: async (signal) => (await trust.loaded(signal)).context,
    }),
    compaction,
    cacheBreakpoints(logId),
    retry({ pauses: providers.pauses }),
    ...(capUsd === undefined ? [] : [costCap({ capUsd, spend, priceOf })]),
    costMeter(priceOf, spend),
    priceLookup(providers),
    defaults.retention.middleware,
  ];
}
