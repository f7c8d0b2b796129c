import { defined } from "../../../base/defined.ts";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import type { LogId } from "../../../base/ids.ts";
import { SILENT_LOG } from "../../../base/log.ts";
import type { World } from "../../../base/world.ts";
import { hostWorld } from "../../../platform/host.ts";
import type { Connection } from "../../../protocol/connection.ts";
import { ProviderError } from "../../../providers/error.ts";
import { foreignProvider } from "../../../providers/foreign-provider.ts";
import type { Provider } from "../../../providers/provider.ts";
import type { SessionStore } from "../../../session/store/store.ts";
import { ToolRegistry } from "../../../tools/registry.ts";
import { embeddedFeatures } from "../../features.ts";
import { featureSet } from "../../plan/feature-set.ts";
import { STORE_MS_MAX } from "../program-store.ts";
import { unsupportedRuntime } from "../runtime.ts";
import { TurnTimes } from "../turn-times.ts";
import { assertSetup } from "./assert-setup.ts";
import { describeValue } from "./describe-value.ts";
import { assertRunning, EngineSession } from "./engine-session.ts";
import { settingsOfSetup } from "./engine-settings.ts";
import { engineTool } from "./engine-tool.ts";
import { libraryFeature } from "./library-feature.ts";
import { openEmbeddedSessions } from "./open-sessions.ts";
import type { EngineSetup } from "./setup.ts";
import { containedStore, memoryStore } from "./stores.ts";

/**
 * An engine inside a program. Disposing it ends its sessions and frees everything but the store that the program gave.
 */
export interface LibraryEngine extends AsyncDisposable {
  /** The store that its sessions are kept in. */
  readonly store: SessionStore;
  /**
   * Begins a session.
   * @throws HarnessError if it cannot be opened.
   */
  createSession(): Promise<EngineSession>;
  /**
   * Resumes a session of the store, by the id of its log or of one of its runs: after its end, or after its process was
   * killed. A turn that broke off has ended by then; a call that it left open is settled as `unfinishedCalls` says.
   *
   * @throws HarnessError SessionMissing for an unknown id; LogHeld while another process has it; OrphanUnsettled if
   *   nobody decided about an open call.
   */
  resumeSession(id: string): Promise<EngineSession>;
}

/**
 * Builds an engine of the program's own provider, tools and store. It reads no configuration, no project and no
 * environment, and has none of cinch's own tools.
 *
 * @throws HarnessError UsageInvalid for a wrong part of the set-up, by its key and value; ToolInvalid, ToolNameTaken;
 * RuntimeUnsupported where this is not Bun.
 */
export async function createEngine(setup: EngineSetup): Promise<LibraryEngine> {
  if (typeof Bun === "undefined") throw unsupportedRuntime();
  return await openIn(hostWorld(SILENT_LOG), setup);
}

async function openIn(world: World, setup: EngineSetup): Promise<LibraryEngine> {
  assertSetup(setup);
  const { provider, model, systemPrompt, tools: ownTools = [], onQuestion, plugins, directory } = setup;
  const { unfinishedCalls = onQuestion === undefined ? "failed" : "ask" } = setup;
  const settings = settingsOfSetup(setup);
  const tools = { name: "library", tools: () => ownTools.map(engineTool) };
  new ToolRegistry().add(tools); // throws for a tool that is not as it must be
  const ownStore = setup.store ?? memoryStore();
  const { storeMs: msMax = STORE_MS_MAX, timeMs } = setup.limits ?? {};
  const turnTimes = new TurnTimes(world.clock, timeMs);
  const turnTime = (logId: LogId) => turnTimes.signalOf(logId);
  const store = containedStore(ownStore, { clock: world.clock, msMax, turnTime });
  const sessions = await openEmbeddedSessions({
    ...settings,
    ...{ world, provider: contained(provider), model, store },
    prefix: "cinch-engine-",
    attended: onQuestion !== undefined,
    isGated: true,
    features: featureSet(embeddedFeatures(libraryFeature({ tools, systemPrompt }))),
    ...(unfinishedCalls === "ask" ? {} : { orphans: { kind: unfinishedCalls } }),
    ...defined({ plugins, directory }),
  });
  const { connection } = sessions;
  const over = new AbortController();
  const handles = {
    connection,
    store,
    over: over.signal,
    log: world.log,
    turnTimes,
    ...defined({ onQuestion }),
  };
  return {
    store: ownStore,
    async createSession() {
      assertRunning(over.signal);
      return new EngineSession(await sessions.open(), handles);
    },
    async resumeSession(id) {
      assertRunning(over.signal);
      assertId(id);
      const { logId } = await sessions.find(id);
      const session = new EngineSession(await sessions.open(logId), handles);
      await settle(session, connection);
      return session;
    },
    [Symbol.asyncDispose]() {
      over.abort();
      return sessions[Symbol.asyncDispose]();
    },
  };
}

/** @throws HarnessError UsageInvalid for an id that is no text. */
function assertId(id: unknown): void {
  if (typeof id === "string") return;
  throw new HarnessError("UsageInvalid", {
    problem: `the id of a session is ${describeValue(id)}; give its logId`,
  });
}

/** Blames the program's provider, not the engine, for what its code throws. */
function contained(provider: Provider): Provider {
  return foreignProvider(provider, {
    failed(thrown) {
      if (thrown instanceof HarnessError) return thrown;
      const fields = { provider: provider.name, status: "its code threw", detail: messageOf(thrown) };
      return new ProviderError("ProviderFailed", fields, { cause: thrown });
    },
  });
}

/** Settles what an earlier run left open, so that the history has an answer for every call. */
async function settle(session: EngineSession, connection: Connection): Promise<void> {
  try {
    await connection.send({ kind: "AttachSession", sessionId: session.id });
  } catch (thrown) {
    await session.end();
    throw thrown;
  }
}
