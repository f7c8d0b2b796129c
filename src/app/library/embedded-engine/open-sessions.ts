import { join } from "node:path";
import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { LogId, SessionId } from "../../../base/ids.ts";
import type { World } from "../../../base/world.ts";
import { openScratchFolder } from "../../../platform/files/scratch-folder.ts";
import type { Connection } from "../../../protocol/connection.ts";
import { PROTOCOL_VERSION } from "../../../protocol/version.ts";
import type { Provider } from "../../../providers/provider.ts";
import type { OrphanFate } from "../../../session/history/unfinished.ts";
import type { Plugin } from "../../../session/plugins/plugin.ts";
import type { SessionStore } from "../../../session/store/store.ts";
import type { Embedding } from "../../engine/options.ts";
import { openEngine } from "../../harness.ts";
import type { FeatureSet } from "../../plan/feature-set.ts";

/** Parts of an engine inside a program, and the wishes of its sessions. */
export interface EmbeddedDependencies extends Omit<Embedding, "providers"> {
  readonly world: World;
  readonly provider: Provider;
  readonly model: string;
  readonly features: FeatureSet;
  readonly plugins?: readonly Plugin[];
  /** True if the program answers questions. */
  readonly attended: boolean;
  /** Fate of calls that a killed process left open. Default: a question. */
  readonly orphans?: OrphanFate;
  /** Absolute. Default: a temporary folder, whose name begins with `prefix`. */
  readonly directory?: string;
  readonly prefix: string;
}

/** Sessions of an engine inside a program, as one client of it. */
export interface EmbeddedSessions extends AsyncDisposable {
  readonly connection: Connection;
  /** Begins a session, or a new run on a log. @throws HarnessError if it cannot be opened. */
  open(resume?: LogId): Promise<SessionIds>;
  /** Finds a session by the id of its log or of a run. @throws HarnessError SessionMissing. */
  find(id: string): Promise<SessionIds>;
}

export interface SessionIds {
  readonly id: SessionId;
  readonly logId: LogId;
}

/**
 * Opens an engine with the parts of a program: no file of the user, no project, no environment. Its sessions are
 * composed like those of every other engine. What was opened is freed if it fails.
 */
export async function openEmbeddedSessions(dependencies: EmbeddedDependencies): Promise<EmbeddedSessions> {
  const {
    world,
    provider,
    model,
    plugins,
    features,
    attended,
    orphans,
    prefix,
    directory: givenDirectory,
    ...embedding
  } = dependencies;
  const { store } = embedding;
  await using undo = new AsyncDisposableStack();
  const directory = givenDirectory ?? undo.use(openScratchFolder(prefix)).path;
  const ending = new AbortController();
  const engine = undo.use(
    await openEngine(
      {
        world,
        paths: {
          config: join(directory, "config"),
          data: join(directory, "data"),
          state: join(directory, "state"),
        },
        workingDir: "/", // stored with each session: it has to exist when one is resumed
        keyDirectory: directory,
        model: `${provider.name}:${model}`,
        wishes: {
          environment: {},
          autoApprove: false,
          strictPermissions: false,
          attended,
          asksTrust: false,
          withoutProject: true,
          withoutShared: true,
          level: "DangerFullAccess",
          ...defined({ orphans }),
        },
        features,
        ...defined({ plugins }),
        embedding: { ...embedding, providers: [provider] },
      },
      ending.signal,
    ),
  );
  undo.defer(() => ending.abort(new HarnessError("EngineStopping", {})));
  const connection = undo.use(await engine.attach({ identityClass: "human", label: "library" }));
  await connection.handshake(PROTOCOL_VERSION);
  const opened = undo.move();
  return {
    connection,
    async open(resume) {
      const command = { kind: "CreateSession", ...defined({ resume }) } as const;
      const { sessionId } = await connection.send(command);
      return await idsOf(`${sessionId}`, store);
    },
    find: (id) => idsOf(id, store),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function idsOf(id: string, store: Pick<SessionStore, "find">): Promise<SessionIds> {
  const found = await store.find(id as SessionId);
  if (found === undefined) throw new HarnessError("SessionMissing", { id });
  return { id: found.session, logId: found.logId };
}
