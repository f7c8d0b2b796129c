import { join } from "node:path";
import { CacheBudget } from "../base/cache-budget.ts";
import { HarnessError } from "../base/errors.ts";
import type { LogId, SessionId } from "../base/ids.ts";
import type { Reason } from "../base/reasons.ts";
import type { World } from "../base/world.ts";
import { DEFAULT_PROFILE, listProfiles } from "../config/profile-files.ts";
import type { CommandOf } from "../protocol/commands/commands.ts";
import type { Connection, IdentityClass } from "../protocol/connection.ts";
import { COMMAND_KINDS, EVENT_KINDS } from "../protocol/kinds.ts";
import { redactor } from "../safety/redact.ts";
import { secretsByForm } from "../safety/secrets/secret-variables.ts";
import { connectInproc } from "../server/hub/inproc.ts";
import { Multiplexer } from "../server/hub/multiplexer.ts";
import type { AttachRequest } from "../session/access/attach-request.ts";
import type { StoredSessionCommands } from "../session/commands/stored-session-commands.ts";
import type { EnginePort } from "../session/engine-port.ts";
import type { EngineHost } from "../session/host.ts";
import type { SessionWishes } from "../session/plan.ts";
import type { People } from "../session/questions/people.ts";
import { LossNotices } from "../session/store/loss-notices.ts";
import type { HealthSources } from "./doctor/health.ts";
import { bootStep } from "./engine/boot.ts";
import type { Engine } from "./engine/engine.ts";
import type { EngineAnswers } from "./engine/engine-answers.ts";
import { engineHandles } from "./engine/engine-handles.ts";
import { LiveSessions } from "./engine/live-sessions.ts";
import { openStore, providersOf } from "./engine/open-store.ts";
import type { HarnessOptions } from "./engine/options.ts";
import { SERVED_FEATURES as SERVED } from "./engine/served-features.ts";
import { FEATURES } from "./features.ts";
import { readDump, removeOldDumps } from "./models/raw-dump.ts";
import { wishesFor } from "./plan/session-wishes.ts";
import { userConfig } from "./plan/user-config.ts";
import { EngineFeatures } from "./session/open-features.ts";
import { openSession } from "./session/open-session.ts";
import { AgentSessions } from "./sessions/agent-sessions.ts";
import { RetentionSweep } from "./sessions/retention.ts";
import type { SessionsSources } from "./sessions/session-keeping.ts";
import { findLog } from "./sessions/sessions-find.ts";

/** One running engine. Disposing it ends every session and frees everything (LIFE-02). */
export interface OpenEngine extends AsyncDisposable {
  attach(client: AttachRequest): Promise<Connection>;
  /** Returns the engine for transports. `features` are those that they add to its own in the handshake. */
  port(features: readonly string[]): Promise<EnginePort>;
  /**
   * Opens a session in which nobody is ever asked, and which has none of the permissions that this engine was started
   * with (ENG-24).
   * @throws HarnessError if it cannot be opened.
   */
  openUnattended(request: CommandOf<"CreateSession">): Promise<SessionId>;
  /** True if a turn runs, or a task in the background. */
  readonly busy: boolean;
  /** People who are subscribed to one of its sessions. */
  readonly people: Pick<People, "ask" | "isAnybody">;
}

/** One running engine with its first session. */
export interface OpenHarness extends OpenEngine {
  readonly session: SessionId;
  readonly logId: LogId;
  readonly profile: string;
  /** `provider:name`. */
  readonly model: string;
  /** Sentences for the person at the start: a fallback model, unknown keys, omitted files. */
  readonly notices: readonly string[];
}

/** One running engine with its first session, or with the reason why it has none. */
export interface OpenServing extends OpenEngine, Partial<FirstSession> {
  readonly unbegun?: HarnessError;
}

type FirstSession = Pick<OpenHarness, "session" | "logId" | "profile" | "model" | "notices">;

/** Refusals of a first session that an engine can serve without: the folder or the configured model is the cause. */
const OF_A_SESSION: ReadonlySet<string> = new Set<Reason>([
  "NoModel",
  "ProviderKeyMissing",
  "NonInteractiveAckRefused",
  "TrustRefused",
]);

/**
 * Starts an engine: reads the configuration, opens the session store, and opens or resumes the first session ([A] §
 * Lifecycle, LIFE-01). A failed step undoes all of it.
 *
 * @throws BootFailure, a HarnessError that names the step; the signal's reason when it was aborted.
 */
export async function openHarness(options: HarnessOptions, signal: AbortSignal): Promise<OpenHarness> {
  return await openWith(options, signal, (engine) => engine.openFirst());
}

/**
 * Starts an engine that others attach to. Unlike `openHarness` it starts without a first session if the folder or the
 * model refuses one (`unbegun`): clients may work in another folder, and each session they ask for gives its own
 * reason.
 * @throws HarnessError as `openHarness`, for every other reason.
 */
export async function openServing(options: HarnessOptions, signal: AbortSignal): Promise<OpenServing> {
  return await openWith(options, signal, async (engine): Promise<Partial<OpenServing>> => {
    try {
      return await engine.openFirst();
    } catch (thrown) {
      if (!(thrown instanceof HarnessError) || !OF_A_SESSION.has(thrown.reason)) throw thrown;
      return { unbegun: thrown };
    }
  });
}

async function openWith<First>(
  options: HarnessOptions,
  signal: AbortSignal,
  begin: (engine: BareEngine) => Promise<First>,
): Promise<OpenEngine & First> {
  await using undo = new AsyncDisposableStack();
  const engine = undo.use(await openEngine(options, signal));
  const first = await begin(engine);
  signal.throwIfAborted();
  const opened = undo.move();
  return {
    ...first,
    attach: engine.attach,
    port: engine.port,
    openUnattended: engine.openUnattended,
    get busy() {
      return engine.busy;
    },
    people: engine.people,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** An engine that has no session yet. */
interface BareEngine extends OpenEngine {
  /** Opens the session that the options name, or resumes it. */
  openFirst(): Promise<FirstSession>;
}

/**
 * Starts an engine without a session: its clients ask for theirs (CTL-11). A failed step undoes all of it.
 * @throws BootFailure, a HarnessError that names the step.
 */
export async function openEngine(options: HarnessOptions, signal: AbortSignal): Promise<BareEngine> {
  const { world, paths } = options;
  await using undo = new AsyncDisposableStack();
  const [config, workingDir] = await Promise.all([
    bootStep(world.log, "reading the configuration", () => userConfig(options)),
    bootStep(world.log, "looking at the working directory", () =>
      resolveDirectory(world, options.workingDir),
    ),
  ]);
  const caches = new CacheBudget();
  const providers = providersOf(options, config, caches);
  for (const provider of options.embedding?.providers ?? []) providers.extend(provider.name, () => provider);
  const store =
    options.embedding?.store ??
    undo.use(
      await bootStep(world.log, "opening the session store", () => openStore(options, providers, signal)),
    );
  await removeOldDumps(world, join(paths.state, "debug"));
  const retention = undo.use(
    new RetentionSweep({ world, paths, config, store, running: () => multiplexer.running }),
  );
  const secrets = async () =>
    redactor(await providers.credentials.prints(), secretsByForm(options.environment));
  const agents = new AgentSessions({
    world,
    live: () => multiplexer.sessions,
    peopleIn: (session) => multiplexer.peopleIn(session),
    tellPeople: (event) => multiplexer.people.send(event),
    ...(options.tellDesktop === undefined ? {} : { tellDesktop: options.tellDesktop }),
  });
  const live = new LiveSessions(async () => {
    const profiles = await listProfiles(world, join(paths.config, "profiles"));
    return profiles.map(({ name }) => name);
  });
  const sessions: SessionsSources = {
    world,
    paths,
    config,
    store,
    secrets,
    agents,
    signal,
  };
  const host: EngineHost = {
    ...engineHandles(options, config, providers),
    store,
    caches,
  };
  const features = undo.use(new EngineFeatures(host, options.embedding?.features ?? FEATURES));
  const engine: Engine = {
    options,
    workingDir,
    host,
    providers,
    features,
    live,
    losses: new LossNotices(store, world.log),
    retention,
    onAsked: (session, tool) => agents.asked(session, tool),
    async delegate(parent, request) {
      const { delegateTask } = await import("./engine/delegate-task.ts");
      return await delegateTask(parent, request, { engine, multiplexer });
    },
  };
  const model = options.model === undefined ? {} : { model: options.model };
  /** Returns all notices for the start of a session, with those of the session itself. */
  const notices = async (own: readonly string[]) => {
    const told = await providers.credentials.notices();
    const warning = options.attended ? await warningOf(sessions) : undefined;
    return [...told, ...own, ...(warning === undefined ? [] : [warning])];
  };
  /** Opens a session besides the first: config.toml may have changed by then. */
  const openNow = async (
    command: CommandOf<"CreateSession">,
    by: IdentityClass | undefined,
    instead: Partial<SessionWishes> = {},
  ) => {
    const { configNow, withNotices } = await import("./plan/config-now.ts");
    const { config: now, notices: changed } = await configNow(options, config);
    const wishes = { ...wishesFor<SessionWishes>(options, command, by), ...instead };
    try {
      const request = { command, wishes, config: now, ...model };
      const { session, notices: told } = await openSession(engine, request, signal);
      return { session, changed, told };
    } catch (thrown) {
      throw withNotices(thrown, changed);
    }
  };
  const startedAt = new Date(world.clock.now()).toISOString();
  const health: HealthSources = {
    world,
    paths,
    credentials: providers.credentials,
    offered: live,
    live: () => multiplexer.live,
    listeners: options.listeners ?? (() => []),
  };
  let loading: Promise<EngineAnswers> | undefined;
  const answers = async () => {
    loading ??= import("./engine/engine-answers.ts").then(({ engineAnswers }) =>
      engineAnswers({
        options,
        config,
        caches,
        providers,
        store,
        multiplexer,
        offered: live,
        startedAt,
        health,
      }),
    );
    return await loading;
  };
  const multiplexer: Multiplexer = new Multiplexer({
    world,
    store,
    queries: async () => (await answers()).handlers,
    async openSession(request, client) {
      const { session, changed, told } = await openNow(request, client?.identityClass);
      return { session, notices: [...changed, ...(await notices(told))] };
    },
    async prepareSwitch(command, turn) {
      const prepare = live.find(command.sessionId)?.prepareSwitch;
      if (prepare === undefined) throw new HarnessError("UnknownSession", { id: command.sessionId });
      return await prepare(command, turn);
    },
    onAgentSession: (session, { label }) => agents.began(session, label),
    keeping: keepingOf(sessions),
  });
  undo.defer(() => multiplexer.close("binary-shutdown"));
  const served = { commands: COMMAND_KINDS, events: EVENT_KINDS, features: SERVED };
  const opened = undo.move();
  return {
    async openFirst() {
      const resume = await bootStep(world.log, "finding the session to resume", () =>
        findLog(options.resume, store, workingDir),
      );
      const profile = options.profile ?? resume?.profile ?? config.defaultProfile ?? DEFAULT_PROFILE;
      const request = {
        kind: "CreateSession",
        ...(options.profile === undefined && resume !== undefined ? {} : { profile }), // its log names it
        ...(options.model === undefined ? {} : { model: options.model }),
        ...(resume === undefined ? {} : { resume: resume.logId }),
      } as const;
      // A served first session is that of the minimal server, whose document has calls run one at a time.
      const wishes =
        options.listeners === undefined ? options : { ...options, sequentialCalls: true as const };
      const first = await openSession(engine, { command: request, wishes, config, ...model }, signal);
      const { session, notices: told } = first;
      multiplexer.add(session);
      const { id, logId } = session;
      return { session: id, logId, profile, model: first.model, notices: await notices(told) };
    },
    attach: (client) => Promise.resolve(connectInproc(multiplexer, client, served)),
    async openUnattended(request) {
      const nobody = { attended: false, asksTrust: false, autoApprove: false, unread: true as const };
      const { session } = await openNow(request, "human", nobody);
      await multiplexer.adopt({ session, isAgents: true });
      return session.id;
    },
    async port(added) {
      const { log, engineId } = await answers();
      const port: EnginePort = {
        served: { ...served, features: [...new Set([...served.features, ...added])] },
        attach: (request) => connectInproc(multiplexer, request, port.served),
        query: multiplexer.query,
        log,
        engineId,
      };
      await features.serve(port);
      return port;
    },
    get busy() {
      return multiplexer.busy;
    },
    people: multiplexer.people,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** Yields the content of a raw dump (`cinch debug --show`). */
export async function* showDump(options: HarnessOptions, path: string): AsyncGenerator<Uint8Array> {
  const { world, paths } = options;
  const config = await userConfig({ world, paths });
  const { credentials } = providersOf(options, config);
  yield* readDump(world, path, await credentials.logKey());
}

/** Returns handlers for stored sessions, loaded when the first of them is called. */
function keepingOf(sources: SessionsSources): StoredSessionCommands {
  const load = async () => (await import("./sessions/session-keeping.ts")).sessionKeeping(sources);
  return {
    BranchSession: async (command, client) => await (await load()).BranchSession(command, client),
    PinSession: async (command, client) => await (await load()).PinSession(command, client),
    ExportSession: async (command, client) => await (await load()).ExportSession(command, client),
    DismissExpiring: async (command, client) => await (await load()).DismissExpiring(command, client),
    MuteSession: async (command, client) => await (await load()).MuteSession(command, client),
  };
}

async function warningOf(sources: SessionsSources): Promise<string | undefined> {
  const { expiryWarning } = await import("./sessions/sessions-warning.ts");
  return await expiryWarning(sources);
}

async function resolveDirectory(world: World, path: string): Promise<string> {
  const info = await world.files.stat(path);
  if (info?.kind !== "directory")
    throw new HarnessError("PathMissing", { what: "The working directory", path });
  return await world.files.realpath(path);
}
