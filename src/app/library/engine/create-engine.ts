import { join } from "node:path";
import { HarnessError } from "../../../base/errors.ts";
import type { HarnessPaths } from "../../../base/files/harness-paths.ts";
import type { LogId, SessionId } from "../../../base/ids.ts";
import { SILENT } from "../../../base/log.ts";
import type { World } from "../../../base/world.ts";
import { compactionFeature } from "../../../features/compaction/feature.ts";
import { limitsFeature } from "../../../features/limits/feature.ts";
import { pluginsFeature } from "../../../features/plugins/feature.ts";
import { markedScratchFolder } from "../../../platform/files/scratch-folder.ts";
import { hostWorld } from "../../../platform/host.ts";
import type { Connection } from "../../../protocol/connection.ts";
import { PROTOCOL_VERSION } from "../../../protocol/version.ts";
import type { SessionStore } from "../../../session/store/store.ts";
import { ToolRegistry } from "../../../tools/registry.ts";
import { openEngine } from "../../harness.ts";
import { unsupportedRuntime } from "../runtime.ts";
import { EngineSession } from "./engine-session.ts";
import { settingsOfSetup } from "./engine-settings.ts";
import { engineTool } from "./engine-tool.ts";
import { libraryFeature } from "./library-feature.ts";
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
  return await openIn(hostWorld(SILENT), setup);
}

async function openIn(world: World, setup: EngineSetup): Promise<LibraryEngine> {
  const { provider, model, systemPrompt, tools: given = [], onQuestion, plugins } = setup;
  const { unfinishedCalls = onQuestion === undefined ? "failed" : "ask" } = setup;
  const settings = settingsOfSetup(setup);
  const tools = { name: "library", tools: () => given.map(engineTool) };
  new ToolRegistry().add(tools); // throws for a tool that is not as it must be
  const store = setup.store ?? memoryStore();
  await using undo = new AsyncDisposableStack();
  const directory = setup.directory ?? undo.use(markedScratchFolder("cinch-engine-")).path;
  const ending = new AbortController();
  const engine = undo.use(
    await openEngine(
      {
        world,
        paths: pathsBelow(directory),
        workingDir: "/", // it is stored with each session, and has to be there when one is resumed
        keyDirectory: directory,
        environment: {},
        model: `${provider.name}:${model}`,
        autoApprove: false,
        strictPermissions: false,
        attended: onQuestion !== undefined,
        asksTrust: false,
        withoutProject: true,
        withoutShared: true,
        level: "DangerFullAccess",
        ...(unfinishedCalls === "ask" ? {} : { orphans: { kind: unfinishedCalls } }),
        ...(plugins === undefined ? {} : { plugins }),
        embedding: {
          ...settings,
          store,
          providers: [provider],
          features: [
            limitsFeature,
            pluginsFeature,
            libraryFeature({ tools, ...(systemPrompt === undefined ? {} : { systemPrompt }) }),
            compactionFeature,
          ],
        },
      },
      ending.signal,
    ),
  );
  undo.defer(() => ending.abort(new HarnessError("EngineStopping", {})));
  const connection = undo.use(await engine.attach({ identityClass: "human", label: "library" }));
  await connection.handshake(PROTOCOL_VERSION);
  const handles = { connection, store, log: world.log, ...(onQuestion === undefined ? {} : { onQuestion }) };
  const opened = undo.move();
  return {
    store,
    async createSession() {
      const { sessionId } = await connection.send({ kind: "CreateSession" });
      return new EngineSession(await idsOf(sessionId, store), handles);
    },
    async resumeSession(id) {
      const { logId } = await idsOf(id, store);
      const { sessionId } = await connection.send({ kind: "CreateSession", resume: logId });
      const session = new EngineSession(await idsOf(sessionId, store), handles);
      await settle(session, connection);
      return session;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
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

async function idsOf(
  id: string | undefined,
  store: Pick<SessionStore, "find">,
): Promise<{ readonly id: SessionId; readonly logId: LogId }> {
  const found = id === undefined ? undefined : await store.find(id as SessionId);
  if (found === undefined) throw new HarnessError("SessionMissing", { id: `${id}` });
  return { id: found.session, logId: found.logId };
}

function pathsBelow(directory: string): HarnessPaths {
  return {
    config: join(directory, "config"),
    data: join(directory, "data"),
    state: join(directory, "state"),
  };
}
