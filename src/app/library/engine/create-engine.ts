import { SILENT_LOG } from "../../../base/log.ts";
import type { World } from "../../../base/world.ts";
import { compactionFeature } from "../../../features/compaction/feature.ts";
import { limitsFeature } from "../../../features/limits/feature.ts";
import { pluginsFeature } from "../../../features/plugins/feature.ts";
import { hostWorld } from "../../../platform/host.ts";
import type { Connection } from "../../../protocol/connection.ts";
import type { SessionStore } from "../../../session/store/store.ts";
import { ToolRegistry } from "../../../tools/registry.ts";
import { unsupportedRuntime } from "../runtime.ts";
import { EngineSession } from "./engine-session.ts";
import { settingsOfSetup } from "./engine-settings.ts";
import { engineTool } from "./engine-tool.ts";
import { libraryFeature } from "./library-feature.ts";
import { openEmbeddedSessions } from "./open-sessions.ts";
import type { EngineSetup } from "./setup.ts";
import { memoryStore } from "./stores.ts";

/** An engine inside a program. Disposing it ends its sessions and frees everything but the store that the program gave. */
export interface LibraryEngine extends AsyncDisposable {
  /** The store that its sessions are kept in. */
  readonly store: SessionStore;
  /**
   * Begins a session.
   * @throws HarnessError if it cannot be opened.
   */
  createSession(): Promise<EngineSession>;
  /**
   * Goes on with a session of the store, by the id of its log or of one of its runs: after its end, or after its process was
   * killed. A turn that broke off has ended by then; a call that it left open is settled as `unfinishedCalls` says.
   *
   * @throws HarnessError SessionMissing for an unknown id; LogHeld while another process has it; OrphanUnsettled if nobody
   *   decided about an open call.
   */
  resumeSession(id: string): Promise<EngineSession>;
}

/**
 * Builds an engine of the program's own provider, tools and store. It reads no configuration, no project and no environment, and
 * has none of cinch's own tools.
 *
 * @throws HarnessError UsageInvalid for a wrong limit or tool, RuntimeUnsupported where this is not Bun.
 */
export async function createEngine(setup: EngineSetup): Promise<LibraryEngine> {
  if (typeof Bun === "undefined") throw unsupportedRuntime();
  return await openIn(hostWorld(SILENT_LOG), setup);
}

async function openIn(world: World, setup: EngineSetup): Promise<LibraryEngine> {
  const { provider, model, systemPrompt, tools: given = [], onQuestion, plugins, directory } = setup;
  const { unfinishedCalls = onQuestion === undefined ? "failed" : "ask" } = setup;
  const settings = settingsOfSetup(setup);
  const tools = { name: "library", tools: () => given.map(engineTool) };
  new ToolRegistry().add(tools); // throws for a tool that is not as it must be
  const store = setup.store ?? memoryStore();
  const sessions = await openEmbeddedSessions({
    ...settings,
    ...{ world, provider, model, store },
    prefix: "cinch-engine-",
    attended: onQuestion !== undefined,
    isGated: true,
    features: [limitsFeature, pluginsFeature, libraryFeature({ tools, systemPrompt }), compactionFeature],
    ...(unfinishedCalls === "ask" ? {} : { orphans: { kind: unfinishedCalls } }),
    ...(plugins === undefined ? {} : { plugins }),
    ...(directory === undefined ? {} : { directory }),
  });
  const { connection } = sessions;
  const handles = { connection, store, log: world.log, ...(onQuestion === undefined ? {} : { onQuestion }) };
  return {
    store,
    createSession: async () => new EngineSession(await sessions.open(), handles),
    async resumeSession(id) {
      const { logId } = await sessions.find(id);
      const session = new EngineSession(await sessions.open(logId), handles);
      await settle(session, connection);
      return session;
    },
    [Symbol.asyncDispose]: () => sessions[Symbol.asyncDispose](),
  };
}

/** Settles what an earlier run left open, so that whoever reads the history sees every call answered. */
async function settle(session: EngineSession, connection: Connection): Promise<void> {
  try {
    await connection.send({ kind: "AttachSession", sessionId: session.id });
  } catch (thrown) {
    await session.end();
    throw thrown;
  }
}
