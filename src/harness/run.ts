import { join } from "node:path";
import type { LogId, SessionId } from "../base/ids.ts";
import { costCap } from "../budget/cap.ts";
import { costMeter } from "../budget/meter.ts";
import { Spend } from "../budget/spend.ts";
import { contextAssembly } from "../context/assemble.ts";
import { PERMISSION_TIMEOUT_MS } from "../control/multiplex/questions.ts";
import type { Session } from "../control/multiplex/session.ts";
import { ROUNDS_MAX } from "../engine/turn.ts";
import { hostRipgrep } from "../host/ripgrep.ts";
import { permissionGate } from "../permission/gate.ts";
import { SessionRules } from "../permission/session-rules.ts";
import type { Config } from "../profile/config.ts";
import type { Profile } from "../profile/profile.ts";
import { loadProfile } from "../profile/profile.ts";
import type { CommandOf } from "../protocol/commands.ts";
import { cacheBreakpoints } from "../provider/cache-breakpoints.ts";
import type { ChosenModel } from "../provider/choose.ts";
import type { RequestMiddleware } from "../provider/middleware.ts";
import type { Provider } from "../provider/provider.ts";
import { retry } from "../provider/retry.ts";
import type { SessionStore, SessionWriter } from "../session/store.ts";
import { BackgroundRuns } from "../tool/builtin/background-runs.ts";
import { builtinTools } from "../tool/builtin/builtins.ts";
import { withPacks } from "../tool/pack.ts";
import { ToolRegistry } from "../tool/registry.ts";
import type { Workspace } from "../tool/tool.ts";
import { bootStep } from "./boot.ts";
import { childEnvironment } from "./child-environment.ts";
import { ModelSlot, OUTPUT_TOKENS_MAX } from "./model-slot.ts";
import type { HarnessOptions } from "./options.ts";
import { policyFrom } from "./policy.ts";
import { priceLookup } from "./price-lookup.ts";
import type { Providers } from "./providers.ts";
import { tellRefusal } from "./refusal.ts";
import type { ResumedLog } from "./resume.ts";
import { countSpent, resumeLog } from "./resume.ts";
import { composeSession } from "./session.ts";

/** What every session of one engine starts from. */
export interface RunDefaults extends HarnessOptions {
  readonly config: Config;
  readonly providers: Providers;
  readonly store: SessionStore;
}

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
 */
export async function openRun(
  request: CommandOf<"CreateSession">,
  defaults: RunDefaults,
  signal: AbortSignal,
): Promise<OpenedRun> {
  const { world, paths, providers, store } = defaults;
  const workingDir = request.workingDir ?? defaults.workingDir;
  await using undo = new AsyncDisposableStack();

  const profile = await bootStep(world.log, "loading the profile", () =>
    loadProfile(world, request.profile, join(paths.config, "profiles")),
  );
  const before = request.resume === undefined ? undefined : await store.find(request.resume);
  const chosen = await bootStep(world.log, "choosing the model", () =>
    providers.choose(request.model, before?.model ?? profile.defaultModel, signal),
  );
  const [session, logId] = [world.ids.next("sess"), request.resume ?? world.ids.next("log")];
  const log = await bootStep(world.log, "opening the session's log", () =>
    openLog({ session, logId, workingDir, profile, chosen, isNew: request.resume === undefined }, defaults),
  );
  undo.use(log.writer);

  const workspace = await bootStep(world.log, "preparing the workspace", () =>
    openWorkspace(logId, workingDir, defaults),
  );
  const slot = await bootStep(world.log, "opening the model", async () =>
    ModelSlot.open(chosen, {
      providers,
      session: { workingDir, scratch: workspace.scratch },
      outputTokensMax: profile.limits.outputTokens ?? OUTPUT_TOKENS_MAX,
      wrap: await recording(`${chosen.provider}:${chosen.model}`, workspace, defaults),
    }),
  );
  const composed = await bootStep(world.log, "composing the session", () =>
    compose({ session, logId, profile, log, workspace, slot, defaults }),
  );
  undo.move();
  return {
    session: composed,
    model: slot.name,
    notices: [...profile.warnings, ...(chosen.told === undefined ? [] : [chosen.told])],
  };
}

interface OpenedLog {
  readonly writer: SessionWriter;
  readonly resumed: ResumedLog;
}

const NEW_LOG: ResumedLog = { history: [], recovered: [], lastTurn: 0 };

interface LogToOpen {
  readonly session: SessionId;
  readonly logId: LogId;
  readonly workingDir: string;
  readonly profile: Profile;
  readonly chosen: ChosenModel;
  readonly isNew: boolean;
}

async function openLog(log: LogToOpen, { world, store }: RunDefaults): Promise<OpenedLog> {
  const { session, logId, workingDir, profile, chosen } = log;
  const holder = { pid: world.machine.pid, processStart: world.machine.processStart };
  if (!log.isNew) {
    const writer = await store.open(logId, session, holder);
    return { writer, resumed: await resumeLog(store, logId) };
  }
  const createdAt = new Date(world.clock.now()).toISOString();
  const model = `${chosen.provider}:${chosen.model}`;
  const writer = await store.create(
    { logId, session, workingDir, profile: profile.name, model, createdAt },
    holder,
  );
  return { writer, resumed: NEW_LOG };
}

async function openWorkspace(logId: LogId, root: string, defaults: RunDefaults): Promise<Workspace> {
  const { world, paths, providers, environment } = defaults;
  const scratch = join(paths.data, "scratch", logId);
  await world.files.makeDirectory(scratch, SCRATCH_MODE);
  const env = childEnvironment(environment, providers.secretVariables);
  return { root, cwd: root, seen: new Map(), env, scratch };
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
  const keys = await Promise.all(
    (await providers.keys.providers()).map((name) => providers.keys.keyFor(name)),
  );
  const known = keys.flatMap((found) => (found === undefined ? [] : [found.key]));
  const values = { cwd: workspace.root, scratch: workspace.scratch, home: environment["HOME"] ?? "" };
  return recorder({ world, path: record, model, values, redactor: redactor(known) });
}

interface Material {
  readonly session: SessionId;
  readonly logId: LogId;
  readonly profile: Profile;
  readonly log: OpenedLog;
  readonly workspace: Workspace;
  readonly slot: ModelSlot;
  readonly defaults: RunDefaults;
}

async function compose({
  session,
  logId,
  profile,
  log,
  workspace,
  slot,
  defaults,
}: Material): Promise<Session> {
  const { world, paths, config, providers, store, attended, autoApprove } = defaults;
  const permissionTimeoutMs = profile.limits.permissionTimeoutMs ?? PERMISSION_TIMEOUT_MS;
  const sessionRules = new SessionRules();
  const policy = policyFrom({
    profile: profile.permissions,
    user: config.permissions,
    strictPermissions: defaults.strictPermissions,
    ownDirectories: Object.values(paths),
    ...(defaults.level === undefined ? {} : { level: defaults.level }),
  });
  let runs: BackgroundRuns | undefined;
  return composeSession({
    world,
    session,
    logId,
    store,
    writer: log.writer,
    ...log.resumed,
    workspace,
    tools(publish) {
      runs = new BackgroundRuns((payload) => publish({ kind: "TaskChanged", payload }));
      const registry = new ToolRegistry();
      const ripgrep = hostRipgrep(paths.data);
      registry.add(withPacks(builtinTools({ runs, ripgrep }), profile.toolPacks));
      return registry;
    },
    telemetry: [],
    gate: (questions) => [
      permissionGate({
        policy,
        session: sessionRules,
        ask: (question, signal) => questions.askPermission(question, signal),
        autoApprove,
        configPath: join(paths.config, "config.toml"),
        onRefused: (refusal, context) => tellRefusal(refusal, context, permissionTimeoutMs),
      }),
    ],
    inner: [],
    requestMiddleware: await requestMiddleware({ logId, profile, workspace, defaults }),
    model: () => slot.current,
    setModel: async (name) => slot.set(await providers.choose(name, undefined, new AbortController().signal)),
    revokeRule: (rule) => sessionRules.revoke(rule),
    roundsMax: defaults.maxTurns ?? config.maxTurns ?? profile.limits.rounds ?? ROUNDS_MAX,
    attended,
    permissionTimeoutMs,
    settle: async () => {
      await runs?.[Symbol.asyncDispose]();
    },
    close: async () => {
      await log.writer[Symbol.asyncDispose]();
    },
  });
}

/** In the normative order: see `RequestMiddleware`. */
async function requestMiddleware({
  logId,
  profile,
  workspace,
  defaults,
}: Pick<Material, "logId" | "profile" | "workspace" | "defaults">): Promise<readonly RequestMiddleware[]> {
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
      contextSources: profile.contextSources,
      onProblems: (problems) => world.log.for("context").write("warn", "context files", { problems }),
    }),
    cacheBreakpoints(logId),
    retry(),
    ...(capUsd === undefined ? [] : [costCap({ capUsd, spend, priceOf })]),
    costMeter(priceOf, spend),
    priceLookup(providers),
  ];
}
