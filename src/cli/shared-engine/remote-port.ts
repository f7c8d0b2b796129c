import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Random } from "../../base/world.ts";
import type { RemoteConnection, RemoteState } from "../../client/remote/connect-remote.ts";
import { connectRemote } from "../../client/remote/connect-remote.ts";
import type { CommandKind } from "../../protocol/commands/commands.ts";
import type { Connection, NewsOptions } from "../../protocol/connection.ts";
import type { EventKind } from "../../protocol/events/events.ts";
import type { Handshake } from "../../protocol/handshake.ts";
import type { QueryKind } from "../../protocol/kinds.ts";
import type { QueryOf, ResultOf } from "../../protocol/queries/queries.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import { UploadMemory } from "../../server/hub/upload-memory.ts";
import type { AttachRequest } from "../../session/access/attach-request.ts";
import { EVERYTHING } from "../../session/access/scope.ts";
import type { AskQuery } from "../../session/commands/query-handlers.ts";
import type { EnginePort, ServedConnection } from "../../session/engine-port.ts";
import type { AskEngineDependencies } from "./ask-engine.ts";
import { askEngine } from "./ask-engine.ts";
import { remoteLog } from "./remote-log.ts";

export interface RemotePortDependencies extends AskEngineDependencies {
  readonly random: Pick<Random, "number">;
  /** Called when the engine of a client goes away and comes back. */
  readonly onState?: (state: RemoteState) => void;
  /** Called when a session is resumed in a restarted engine. */
  readonly onResumed?: () => void;
}

/** The port of an engine that runs in another process. Disposing it disconnects. */
export interface RemotePort extends EnginePort, AsyncDisposable {}

/**
 * Connects to an engine over its transports: a WebSocket for each client that attaches, and requests for queries.
 *
 * A client has no id before its handshake.
 * @throws HarnessError EngineUnreachable, EngineStopping, HandshakeVersionMismatch, the refusal of the token.
 */
export async function openRemotePort(
  parts: RemotePortDependencies,
  signal: AbortSignal,
): Promise<RemotePort> {
  const ask = askEngine(parts);
  const owner = { identityClass: "human", scope: EVERYTHING, signal } as const;
  const shaken = (await ask(`/v1/handshake?version=${PROTOCOL_VERSION}`, owner)) as Handshake;
  const open = new Set<RemoteClient>();
  const uploads = new UploadMemory();
  const attach = (request: AttachRequest) => {
    const client: RemoteClient = new RemoteClient({ ...parts, uploads }, request, () => open.delete(client));
    open.add(client);
    return client;
  };
  const query: AskQuery = async (asked, { identityClass, scope = EVERYTHING, signal: until }) => {
    const [{ buildRestRequest: restRequest }, { readResult }] = await Promise.all([
      import("../../protocol/queries/rest-request.ts"),
      import("../../protocol/queries/read-query.ts"),
    ]);
    const { path, body } = restRequest(asked);
    const more = defined({ body });
    return readResult(asked.kind, await ask(path, { identityClass, scope, signal: until, ...more }));
  };
  const { engine: engineId } = await query({ kind: "GetRuntime" }, owner);
  return {
    // Its list is only displayed, never relied upon.
    served: {
      commands: shaken.command_kinds as CommandKind[],
      events: shaken.event_kinds as EventKind[],
      features: shaken.features,
    },
    attach,
    query,
    log: remoteLog(query, attach),
    engineId,
    async [Symbol.asyncDispose]() {
      await Promise.all([...open].map((client) => client[Symbol.asyncDispose]()));
    },
  };
}

interface RemoteClientParts extends RemotePortDependencies {
  readonly uploads: UploadMemory;
}

/** One client of a remote engine, which connects with its handshake. */
class RemoteClient implements ServedConnection {
  readonly #parts: RemoteClientParts;
  readonly #request: AttachRequest;
  readonly #left = new AbortController();
  readonly #onLeft: () => void;
  #opening: Promise<RemoteConnection> | undefined;
  #open: RemoteConnection | undefined;

  constructor(parts: RemoteClientParts, request: AttachRequest, onLeft: () => void) {
    this.#parts = parts;
    this.#request = request;
    this.#onLeft = onLeft;
  }

  get clientId() {
    return this.#remote.clientId;
  }

  get identityClass() {
    return this.#open?.identityClass ?? this.#request.identityClass;
  }

  async handshake(clientVersion: string): Promise<Handshake> {
    this.#opening ??= this.#connect();
    try {
      this.#open = await this.#opening;
    } catch (thrown) {
      this.#opening = undefined;
      throw thrown;
    }
    return await this.#open.handshake(clientVersion);
  }

  async send(command: Parameters<Connection["send"]>[0]) {
    return await this.#remote.send(command);
  }

  async attach(...args: Parameters<RemoteConnection["attach"]>) {
    return await this.#remote.attach(...args);
  }

  holdUpload() {
    return this.#parts.uploads.hold();
  }

  async query<Kind extends QueryKind>(query: QueryOf<Kind>, signal?: AbortSignal): Promise<ResultOf<Kind>> {
    return await this.#remote.query(query, signal);
  }

  subscribe(...args: Parameters<Connection["subscribe"]>) {
    return this.#remote.subscribe(...args);
  }

  news(options: NewsOptions) {
    return this.#remote.news(options);
  }

  async *newsInBatches(options: NewsOptions) {
    for await (const item of this.#remote.news(options)) yield [item];
  }

  /** The engine elsewhere knows by itself how this client comes. */
  over() {
    return this;
  }

  runOf(session: Parameters<RemoteConnection["runOf"]>[0]) {
    return this.#open?.runOf(session) ?? session;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#left.abort(new Error("the client has detached"));
    this.#onLeft();
    await this.#open?.[Symbol.asyncDispose]();
  }

  get #remote(): RemoteConnection {
    if (this.#open === undefined) throw new HarnessError("HandshakeRequired", {});
    return this.#open;
  }

  #connect(): Promise<RemoteConnection> {
    const { url, wire, tokens, clock, random, onState, onResumed } = this.#parts;
    const { label } = this.#request;
    const parts = {
      url,
      token: () => tokens.tokenFor(this.#request),
      openSocket: wire.openSocket,
      fetch: wire.fetch,
      clock,
      random,
      label,
      ...defined({ onState }),
      ...(onResumed === undefined ? {} : { onResumed: () => onResumed() }),
    };
    return connectRemote(parts, this.#left.signal);
  }
}
