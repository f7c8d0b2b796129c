import { defined } from "../base/defined.ts";
import { HarnessError } from "../base/errors.ts";
import type { LogId, SessionId } from "../base/ids.ts";
import type { Reason } from "../base/reasons.ts";
import { profileReference } from "../config/run-profile.ts";
import { KEY_STORE_FILE } from "../credentials/store/key-store.ts";
import type { CommandOf } from "../protocol/commands/commands.ts";
import type { Connection, IdentityClass } from "../protocol/connection.ts";
import { COMMAND_KINDS, EVENT_KINDS } from "../protocol/kinds.ts";
import { connectInproc } from "../server/hub/inproc.ts";
import { Multiplexer } from "../server/hub/multiplexer.ts";
import type { ProviderKeyHandler } from "../server/hub/provider-key.ts";
import type { AttachRequest } from "../session/access/attach-request.ts";
import type { StoredSessionHandler } from "../session/commands/stored-session-commands.ts";
import { carryOutStored } from "../session/commands/stored-session-commands.ts";
import type { EnginePort } from "../session/engine-port.ts";
import type { ResumeRequest } from "../session/options.ts";
import type { SessionWishes } from "../session/plan.ts";
import type { People } from "../session/questions/people.ts";
import { LossNotices } from "../session/store/loss-notices.ts";
import type { OpenedSession } from "../session/turns/opened-session.ts";
import type { HealthSources } from "./doctor/health.ts";
import { bootStep } from "./engine/boot.ts";
import type { Engine } from "./engine/engine.ts";
import type { EngineAnswers } from "./engine/engine-answers.ts";
import type { EngineResources } from "./engine/open-resources.ts";
import { openResources } from "./engine/open-resources.ts";
import { configuredProviders } from "./engine/open-store.ts";
import type { HarnessOptions } from "./engine/options.ts";
import { servedFeatures } from "./engine/served-features.ts";
import { readDump } from "./models/raw-dump.ts";
import { wishesFor } from "./plan/session-wishes.ts";
import { openSession } from "./session/open-session.ts";
import { findLog } from "./sessions/find.ts";
import type { SessionsSources } from "./sessions/stored-session-commands.ts";

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
  /**
   * Opens the session of one prompt of the owner, in which nobody is asked (PERM-12): as `openHarness` opens the first
   * one, by the wishes of the prompt alone. config.toml must not have changed since the start. `notices` are for the
   * person who typed it.
   * @throws HarnessError if it cannot be opened.
   */
  openPrompt(
    prompt: PromptOpening,
  ): Promise<{ readonly session: SessionId; readonly notices: readonly string[] }>;
  /** Returns true if the session to resume runs in this engine. */
  runsHere(resume: ResumeRequest, workingDir: string): Promise<boolean>;
  /** True if a turn runs, or a task in the background. */
  readonly busy: boolean;
  /** People who are subscribed to one of its sessions. */
  readonly people: Pick<People, "ask" | "isAnybody">;
}

/** The session of one prompt: all that its command line says of it. */
export interface PromptOpening extends Pick<HarnessOptions, "profile" | "model" | "resume" | "workingDir"> {
  readonly wishes: SessionWishes;
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
 * Starts an engine that others attach to. Unlike `openHarness` it starts without a first session if the folder or
 * the model refuses one (`unbegun`): clients may work in another folder, and each session they ask for gives its
 * own reason.
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
    openPrompt: engine.openPrompt,
    runsHere: engine.runsHere,
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
  await using undo = new AsyncDisposableStack();
  const resources = undo.use(await openResources(options, signal));
  const { running, live, agents, features, sessions, host, workingDir } = resources;
  const { world, store } = host;
  const engine: Engine = {
    ...{ options, workingDir, host, providers: resources.providers, features, live },
    losses: new LossNotices(store, world.log),
    retention: resources.retention,
    onAsked: (session, tool) => agents.onPermissionAsked(session, tool),
    removeUnused: removerOf(sessions),
    async delegate(parent, request) {
      const { delegateTask } = await import("./engine/delegate-task.ts");
      return await delegateTask(parent, request, { engine, multiplexer });
    },
  };
  const opener = sessionOpener(engine, resources, signal);
  const answers = answersOnDemand(options, resources);
  const multiplexer: Multiplexer = new Multiplexer({
    world,
    store,
    sessions: running,
    queries: async (hub) => (await answers(hub)).handlers,
    news: async () => (await answers(multiplexer)).news,
    async openSession(request, client) {
      const { session, changed, openNotices } = await opener.open(request, client?.identityClass);
      const { notices, expiring } = await opener.notices(openNotices, options.wishes);
      return { session, notices: [...changed, ...notices], ...defined({ expiring }) };
    },
    async prepareSwitch(command, turn) {
      const prepare = live.find(command.sessionId)?.prepareSwitch;
      if (prepare === undefined) throw new HarnessError("UnknownSession", { id: command.sessionId });
      return await prepare(command, turn);
    },
    onAgentSession: (session, { label }) => agents.began(session, label),
    keeping: keepingOf(sessions),
    storeKey: providerKeysOf(resources),
  });
  undo.defer(() => multiplexer.close("binary-shutdown"));
  const served = { commands: COMMAND_KINDS, events: EVENT_KINDS, features: servedFeatures(features.all) };
  const opened = undo.move();
  return {
    async openFirst() {
      const { profile, model, session, openNotices } = await opener.openFirst();
      multiplexer.add(session);
      const { id, logId } = session;
      const { notices } = await opener.notices(openNotices, options.wishes);
      return { session: id, logId, profile, model, notices };
    },
    attach: (client) => Promise.resolve(connectInproc(multiplexer, { ...client, wire: "process" }, served)),
    async openUnattended(request) {
      const nobody = { attended: false, asksTrust: false, autoApprove: false, unread: true as const };
      const { session } = await opener.open(request, "human", nobody);
      await multiplexer.adopt({ session, isAgents: true });
      return session.id;
    },
    ...promptsOf(resources, opener, multiplexer),
    async port(added) {
      const { log, engineId } = await answers(multiplexer);
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
      return running.busy;
    },
    people: running.people,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** Returns what an engine does for prompts of its owner. */
function promptsOf(
  { running, host }: Pick<EngineResources, "running" | "host">,
  opener: ReturnType<typeof sessionOpener>,
  multiplexer: Pick<Multiplexer, "adopt">,
): Pick<OpenEngine, "openPrompt" | "runsHere"> {
  return {
    async openPrompt(prompt) {
      const { session, openNotices } = await opener.openPrompt(prompt);
      await multiplexer.adopt({ session });
      const { notices } = await opener.notices(openNotices, prompt.wishes);
      return { session: session.id, notices };
    },
    async runsHere(resume, workingDir) {
      const log = await findLog(resume, host.store, workingDir);
      return running.all.some(({ logId }) => logId === log?.logId);
    },
  };
}

/** Opens the sessions of one engine. */
function sessionOpener(engine: Engine, { config, sessions }: EngineResources, signal: AbortSignal) {
  const { options, providers, workingDir } = engine;
  const { store } = engine.host;
  const model = defined({ model: options.model });
  return {
    /** Returns all notices for the start of a session, with those of the session itself. */
    async notices(
      own: readonly string[],
      { attended }: Pick<SessionWishes, "attended">,
    ): Promise<Required<Pick<OpenedSession, "notices">> & Pick<OpenedSession, "expiring">> {
      const ofKeys = await providers.credentials.notices();
      const expiring = attended ? await warningOf(sessions) : undefined;
      const notices = [...ofKeys, ...own];
      return expiring === undefined ? { notices } : { notices: [...notices, expiring], expiring };
    },
    /** Opens a session besides the first: config.toml may have changed by then. */
    async open(
      command: CommandOf<"CreateSession">,
      by: IdentityClass | undefined,
      instead: Partial<SessionWishes> = {},
    ) {
      const { configNow, withNotices } = await import("./plan/config-now.ts");
      const { config: now, notices: changed } = await configNow(options, config);
      const wishes = { ...wishesFor(options.wishes, command, by), ...instead };
      try {
        const request = { command, wishes, config: now, ...model };
        const { session, notices: openNotices } = await openSession(engine, request, signal);
        return { session, changed, openNotices };
      } catch (thrown) {
        throw withNotices(thrown, changed);
      }
    },
    /** Opens the session that the options name, or resumes it. */
    async openFirst() {
      // A served first session is that of the minimal server, whose document has calls run one at a time.
      const wishes: SessionWishes = {
        ...options.wishes,
        ...(options.listeners === undefined ? {} : { sequentialCalls: true }),
      };
      return await openNamed({ ...options, workingDir, wishes });
    },
    /** Opens the session of a prompt, whose config.toml is still that of the start. */
    openPrompt: (prompt: PromptOpening) => openNamed(prompt),
  };

  /** Opens the session that these options name, or resumes it. */
  async function openNamed(named: PromptOpening) {
    const { wishes } = named;
    const wanted = defined({ model: named.model });
    const resume = await bootStep(engine.host.world.log, "finding the session to resume", () =>
      findLog(named.resume, store, named.workingDir),
    );
    const profile = profileReference({
      named: named.profile,
      before: resume,
      config,
      workingDir: named.workingDir,
    });
    const command = {
      kind: "CreateSession",
      ...(named.profile === undefined && resume !== undefined ? {} : { profile }), // its log names it
      ...wanted,
      ...(named.workingDir === workingDir ? {} : { workingDir: named.workingDir }),
      ...(resume === undefined ? {} : { resume: resume.logId }),
    } as const;
    const first = await openSession(engine, { command, wishes, config, ...wanted }, signal);
    return { profile, model: first.model, session: first.session, openNotices: first.notices };
  }
}

/** Returns a loader of the answers to an engine's queries. They are loaded with the first query. */
function answersOnDemand(
  options: HarnessOptions,
  { host, providers, config, running, live, sessions, features }: EngineResources,
): (multiplexer: Multiplexer) => Promise<EngineAnswers> {
  const { world, paths, store, caches } = host;
  const startedAt = new Date(world.clock.now()).toISOString();
  const health: HealthSources = {
    world,
    paths,
    credentials: providers.credentials,
    offered: live,
    live: () => running.size,
    listeners: options.listeners ?? (() => []),
    origins: options.origins ?? [],
    features: () => features.health(),
  };
  let loading: Promise<EngineAnswers> | undefined;
  return async (multiplexer) => {
    loading ??= import("./engine/engine-answers.ts").then(({ engineAnswers }) =>
      engineAnswers({
        ...{ options, config, caches, providers, store, multiplexer, startedAt, health, host },
        offered: live,
        secrets: sessions.secrets,
      }),
    );
    return await loading;
  };
}

/** Yields the content of a raw dump (`cinch debug --show`). */
export async function* showDump(options: HarnessOptions, path: string): AsyncGenerator<Uint8Array> {
  const { providers } = await configuredProviders(options);
  yield* readDump(options.world, path, await providers.credentials.logKey());
}

/** Returns the handler of commands about stored sessions; its code is loaded with the first of them. */
function keepingOf(sources: SessionsSources): StoredSessionHandler {
  return async (command, client) => {
    const { storedSessionCommands } = await import("./sessions/stored-session-commands.ts");
    return await carryOutStored(storedSessionCommands(sources), command, client);
  };
}

/** Returns what removes sessions that nobody has used; its code is loaded with the first of them. */
function removerOf(sources: SessionsSources): Engine["removeUnused"] {
  return async (logId) => {
    const { removeUnused } = await import("./sessions/unused.ts");
    await removeUnused(sources, logId);
  };
}

/** Returns what stores the keys of providers. The key is passed on, and kept nowhere here (CRED-03). */
function providerKeysOf({
  providers,
  host,
}: Pick<EngineResources, "providers" | "host">): ProviderKeyHandler {
  return async ({ provider, key }) => {
    const { replaced, source } = await providers.credentials.store({ provider, key });
    host.world.log.for("engine").write("info", "a provider's key was stored", { provider, replaced, source });
    return { provider, replaced, used: source === KEY_STORE_FILE, source };
  };
}

async function warningOf(sources: SessionsSources): Promise<string | undefined> {
  const { expiryWarning } = await import("./sessions/expiry-warning.ts");
  return await expiryWarning(sources);
}
