import { resolve } from "node:path";
import { assert } from "../base/assert.ts";
import type { LogId, SessionId } from "../base/ids.ts";
import type { Reason } from "../base/reasons.ts";
import type { Files } from "../base/world.ts";
import { costCap } from "../budget/cap.ts";
import { costMeter } from "../budget/meter.ts";
import { Spend } from "../budget/spend.ts";
import { Tokens } from "../compaction/tokens.ts";
import { contextAssembly } from "../context/assemble.ts";
import type { Ask } from "../control/ask.ts";
import { PERMISSION_TIMEOUT_MS } from "../control/multiplex/questions.ts";
import type { Session } from "../control/multiplex/session.ts";
import { harnessSecretsFolders } from "../credential/store/harness-secrets-path.ts";
import type { SpawnParts } from "../engine/spawn.ts";
import { ROUNDS_MAX } from "../engine/turn.ts";
import { hostRipgrep } from "../host/ripgrep.ts";
import { deniedPlaces } from "../permission/denied-places.ts";
import type { Policy } from "../permission/judge.ts";
import type { Profile } from "../profile/profile.ts";
import type { CommandOf } from "../protocol/commands.ts";
import type { Event } from "../protocol/events.ts";
import { cacheBreakpoints } from "../provider/cache-breakpoints.ts";
import type { RequestMiddleware } from "../provider/middleware.ts";
import { retry } from "../provider/retry.ts";
import { takeover } from "../provider/takeover.ts";
import { subKey } from "../session/seal.ts";
import { builtinTools } from "../tool/builtin/builtins.ts";
import { withPacks } from "../tool/pack.ts";
import { ToolRegistry } from "../tool/registry.ts";
import type { Workspace } from "../tool/tool.ts";
import type { Redactor } from "../trust/redact.ts";
import { redactor } from "../trust/redact.ts";
import { delegatingTo, leftWorktrees } from "./agents.ts";
import { checkpointing } from "./checkpoints.ts";
import type { CompactionSources } from "./compaction.ts";
import { openCompaction } from "./compaction.ts";
import { handingOn, taskOf } from "./delegates.ts";
import { diagnosing } from "./diagnostics.ts";
import { openHooks } from "./hooks.ts";
import { lateSandbox } from "./late-sandbox.ts";
import { connecting } from "./mcp.ts";
import { remembering } from "./memory.ts";
import { mentioning } from "./mentions.ts";
import type { ModelSlot } from "./model-slot.ts";
import { openPluginPart, rulesOf } from "./open-plugins.ts";
import { parallelCalls } from "./parallel-calls.ts";
import { permitting } from "./permitting.ts";
import { planning } from "./plan-mode.ts";
import { priceLookup } from "./price-lookup.ts";
import type { ProjectTrust } from "./project-trust.ts";
import { writtenPrompts } from "./prompt-templates.ts";
import { countSpent } from "./resume.ts";
import type { OpenedLog, RunDefaults } from "./run-parts.ts";
import type { SandboxSources } from "./sandbox-sources.ts";
import { bothPaths, sealedFiles } from "./sealed-files.ts";
import { composeSession } from "./session.ts";
import { guardOf, sessionLife } from "./session-life.ts";
import type { JoinedParts } from "./session-part.ts";
import { joinParts } from "./session-part.ts";
import type { SessionPlugins } from "./session-plugins.ts";
import { usingSkills } from "./skills.ts";
import type { SwitchSources } from "./succession.ts";
import { switching } from "./switching.ts";
import { runningTasks } from "./tasks.ts";
import { telling } from "./telemetry.ts";

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
  /** Absent: nothing names any. */
  readonly plugins?: SessionPlugins;
  /** Where it stands among the sessions that took each other's place. */
  readonly place: Pick<SwitchSources, "reference" | "succession" | "reopen">;
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
  const { world, paths, config, caches, providers, store, attended } = defaults;
  const permissionTimeoutMs = profile.limits.permissionTimeoutMs ?? PERMISSION_TIMEOUT_MS;
  const secrets = redactor(await providers.credentials.prints());
  const permission = await permitting({ ...material, ...rulesOf(material.plugins), secrets });
  const capUsd = defaults.maxCostUsd ?? config.maxCostUsd ?? profile.limits.costUsd;
  const spend = new Spend();
  if (capUsd !== undefined || config.routes.length > 0) await countSpent(store, logId, spend);
  let registry: ToolRegistry | undefined;
  let spawnParts: SpawnParts | undefined;
  let publish: (event: Event) => void = () => undefined;
  const sandbox = lateSandbox(async (root) => {
    const { openSandbox } = await import("./sandbox.ts");
    return openSandbox(
      sandboxSources(material, { root, policy: permission.policy, publish: (event) => publish(event) }),
    );
  }, workspace.root);
  const hooks = await openHooks(material, (event) => publish(event));
  const checkpoints = checkpointing(material);
  const guard = guardOf(profile);
  const files = await scratchFiles(material);
  const { place } = material;
  const plan = planning({ ...material, permission, permissionTimeoutMs });
  const background = await runningTasks({
    world,
    paths,
    profile,
    slot,
    keys: { ...profile.tasks, ...config.tasks },
    publish: (event) => publish(event),
  });
  const skills = usingSkills(material, (text) => secrets.text(text));
  const plugins = await openPluginPart(material, permission);
  const parts = joinParts([
    await telling(material, (text) => secrets.text(text)),
    taskOf(defaults),
    switching({
      ...material,
      ...material.place,
      reopen: (next, succession) => place.reopen(next, succession, { planMode: plan.active() }),
    }),
    hooks?.part,
    remembering(material, (text) => secrets.text(text)),
    skills.part,
    await connecting(material),
    plugins,
    diagnosing(material, sandbox),
    mentioning({ ...material, permission }),
    writtenPrompts(trust),
    delegatingTo({ ...material, sandbox }),
    handingOn({ ...material, spend, ...(capUsd === undefined ? {} : { capUsd }) }),
    plan.part,
    background.part,
  ]);
  /** What begins turns that nobody asked for. */
  const self = { id: world.ids.next("cli"), identityClass: "agent", label: "cinch" } as const;
  const composed: Session = composeSession({
    world: { ...world, files },
    caches,
    session,
    logId,
    store,
    writer: log.writer,
    ...log.resumed,
    ...(await sessionLife(material)),
    tasksRunning: parts.running,
    workspace,
    ...parallelCalls(profile, permission),
    tools(tell) {
      publish = tell;
      registry = new ToolRegistry();
      const ripgrep = hostRipgrep(paths.data);
      registry.add(withPacks(builtinTools({ runs: background.tasks.runs, ripgrep }), profile.toolPacks));
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
    namespaces: parts.namespaces,
    checkpoint: checkpoints.tool,
    rewind: checkpoints.rewind,
    gate: (questions) => [...parts.gate, permission.gate(questions, sandbox)],
    sandbox: (questions) => [permission.confine(questions, sandbox)],
    inner: parts.inner,
    onQuestions(questions, follow) {
      const ask: Ask = (question, signal) => questions.ask(question, signal);
      checkpoints.serve(questions, (event) => publish(event));
      trust.serve({
        ask,
        publish: (event) => publish(event),
        restrict: permission.restrict,
      });
      parts.serve({
        ask,
        publish: (event) => publish(event),
        tools: () => registry?.list() ?? [],
        async input(content) {
          const command: CommandOf<"SendInput"> = {
            kind: "SendInput",
            sessionId: session,
            content: [...content],
            delivery: "queue",
          };
          await composed.send(command, self);
        },
        answerAbout: (about, answer, client) => questions.answerAbout(about, answer, client),
        spawnParts() {
          assert(spawnParts !== undefined, "no call runs before its session is composed");
          return spawnParts;
        },
        refreshTools: () => registry?.refresh(),
        follow,
      });
    },
    requestMiddleware: [
      guard.request,
      ...checkpoints.request,
      ...parts.request,
      ...(await requestMiddleware(material, {
        files,
        secrets,
        spend,
        capUsd,
        async before(moment, context) {
          await hooks?.session.onCompact(moment, context);
          await parts.onCompact(moment, context);
        },
        attempt: parts.attempt,
      })),
    ],
    model: () => slot.current,
    setModel: async (name, stop, effort) => slot.set(await providers.choose(name, {}, stop), effort),
    revokeRule: permission.revokeRule,
    promoteRule: permission.promoteRule,
    roundsMax: defaults.maxTurns ?? config.maxTurns ?? profile.limits.rounds ?? ROUNDS_MAX,
    attended,
    attendedByFollowers: defaults.delegatedBy !== undefined,
    permissionTimeoutMs,
    settle: async () => {
      trust.end();
      await checkpoints.settle();
      await parts.settle();
    },
    close: async () => {
      defaults.offered.remove(session);
      await parts.close();
      await sandbox[Symbol.asyncDispose]();
      await material.close[Symbol.asyncDispose]();
    },
  });
  defaults.offered.add(session, parts.offers);
  // With nothing to ask, a setting of the project that is wrong ends the start, not the first turn.
  if (!trust.asks) {
    const { signal } = new AbortController();
    await trust.loaded(signal);
    await hooks?.read(signal);
  }
  await skills.ready(new AbortController().signal);
  const left = await leftWorktrees(defaults, workspace.root);
  return {
    session: composed,
    notices: [...permission.notices(), ...skills.notices(), ...parts.notices, ...left],
  };
}

/** What a session's sandbox is made from. The policy is the gate's own, in which the project's rules come to stand. */
function sandboxSources(
  { profile, trust, workspace, defaults }: Material,
  {
    root,
    policy,
    publish,
  }: {
    /** The workspace, or a sub-agent's worktree. */
    readonly root: string;
    readonly policy: Pick<Policy, "rules" | "steering">;
    publish(event: Event): void;
  },
): SandboxSources {
  const { world, paths, config, environment, relayCommand } = defaults;
  return {
    world,
    root,
    ...(root === workspace.root ? {} : { gitIsParents: true }),
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
      const hidden = settings.flatMap(({ sandboxHidden }) => sandboxHidden);
      return root === workspace.root
        ? hidden
        : [...hidden, ...hidden.map((each) => resolve(workspace.root, each))];
    },
    denied() {
      const { hidden, readOnly } = deniedPlaces(policy.rules, root);
      const keys = harnessSecretsFolders(root);
      const sessions = root === workspace.root ? [] : harnessSecretsFolders(workspace.root).there;
      const steering = (policy.steering ?? []).map((path) => ({ path, kind: "file" }) as const);
      return {
        hidden: [...hidden, ...keys.there, ...sessions],
        readOnly: [...readOnly, ...steering, { path: keys.own, kind: "directory" }],
      };
    },
    onUnavailable: (message) =>
      publish({ kind: "Error", payload: { reason: "SandboxUnavailable" satisfies Reason, message } }),
  };
}

/** The world's files, with what is kept of a session's output sealed (SES-04). */
async function scratchFiles({ logId, workspace, defaults }: Material): Promise<Files> {
  const { world, providers } = defaults;
  const key = subKey(await providers.credentials.logKey(), `cinch scratch v1 ${logId}`);
  const directories = await bothPaths(world.files, workspace.scratch);
  return sealedFiles(world.files, { directories, key, random: world.random });
}

interface RequestParts extends Pick<JoinedParts, "attempt"> {
  readonly files: Files;
  readonly secrets: Redactor;
  readonly spend: Spend;
  /** US dollars for the session; absent: without a cap. */
  readonly capUsd: number | undefined;
  /** Told before a history is made smaller. */
  readonly before: NonNullable<CompactionSources["before"]>;
}

/** In the normative order: see `RequestMiddleware`. */
async function requestMiddleware(
  material: Material,
  { files, secrets, before, spend, capUsd, attempt }: RequestParts,
): Promise<readonly RequestMiddleware[]> {
  const { logId, profile, trust, workspace, defaults } = material;
  const { world, config, providers } = defaults;
  const priceOf = providers.priceOf.bind(providers);
  const tokens = new Tokens();
  return [
    contextAssembly({
      world,
      workingDir: workspace.root,
      promptHeader: profile.promptHeader,
      context: async (signal) => (await trust.loaded(signal)).context,
    }),
    openCompaction({
      world: { ...world, files },
      scratch: workspace.scratch,
      keys: [config.compaction, profile.compaction],
      windowOf: providers.contextTokensOf.bind(providers),
      redact: (text) => secrets.text(text),
      before,
    }),
    cacheBreakpoints(logId),
    takeover({
      estimate: (request) => tokens.ofRequest(request.model, request),
      spentUsd: () => spend.total.usd,
    }),
    retry({ pauses: providers.pauses }),
    ...(capUsd === undefined ? [] : [costCap({ capUsd, spend, priceOf })]),
    costMeter(priceOf, spend),
    priceLookup(providers),
    defaults.retention.middleware,
    ...attempt,
  ];
}
