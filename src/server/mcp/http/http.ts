import { createMcpHandler, isInitializeRequest, isLegacyRequest } from "@modelcontextprotocol/server";
import { HarnessError, hasReason } from "../../../base/errors.ts";
import type { TokenId } from "../../../base/ids.ts";
import { arrayAt, objectAt, stringAt } from "../../../base/json.ts";
import type { World } from "../../../base/world.ts";
import type { Authority, GrantWatch, TokenGrant } from "../../../session/access/authority.ts";
import type { EnginePort } from "../../../session/engine-port.ts";
import { jsonAnswer } from "../../http/answers.ts";
import type { RouteRequest } from "../../http/route.ts";
import { AgentClient } from "../agent-client.ts";
import { HTTP_FEATURE } from "../mcp-names.ts";
import { mcpServer } from "../mcp-server.ts";
import { INVALID_REQUEST, logFailure, PARSE_ERROR, rpcRefusal } from "../refusals.ts";
import { ResourceSubscriptions } from "../resource-subscriptions.ts";
import { HttpSession } from "./http-session.ts";
import { StreamPace } from "./stream-pace.ts";

/** Sessions of the older era that a token has, all of them in use; and the lifetime of an unused one. */
export const SESSIONS_PER_TOKEN_MAX = 64;
export const SESSION_IDLE_MS = 3_600_000;
const SESSION_ID_BYTES = 16;
/** Time that a shutdown waits for events that are still to be sent. */
export const LAST_EVENTS_MS_MAX = 2_000;
/** Code of MCP for a missing session. */
const SESSION_MISSING = -32_001;

export interface McpHttpDependencies {
  readonly engine: EnginePort;
  readonly authority: Authority;
  readonly world: Pick<World, "clock" | "log" | "random">;
  /** The version of this program. */
  readonly version: string;
}

/**
 * Serves MCP over streamable HTTP, in both eras of the protocol (CTL-09). Host, Origin and token were checked before; a
 * token is checked with every request, and a stream ends with it.
 */
export class McpHttp implements AsyncDisposable {
  readonly #parts: McpHttpDependencies;
  readonly #sessions = new Map<string, HttpSession>();
  /** Clients of the newer era, which has no sessions: one for each token, as elsewhere over HTTP. */
  readonly #clients = new Map<TokenId, { readonly client: AgentClient; readonly expiresAt: number }>();
  /** Subscriptions of requests of the newer era, with a function that ends each. */
  readonly #listening = new Map<ResourceSubscriptions, () => void>();

  constructor(parts: McpHttpDependencies) {
    this.#parts = parts;
  }

  /** Number of open sessions. */
  get open(): number {
    return this.#sessions.size;
  }

  async handle(call: RouteRequest): Promise<Response> {
    const { request, grant } = call;
    if (grant === undefined) throw new HarnessError("TokenMissing", {});
    let body: unknown;
    if (request.method === "POST") {
      try {
        body = await call.json();
      } catch (thrown) {
        if (!hasReason(thrown, "InvalidBody")) throw thrown;
        return refused(400, PARSE_ERROR, thrown.message);
      }
      if (typeof body !== "object" || body === null)
        return refused(400, INVALID_REQUEST, "The body is not a JSON-RPC message.");
    }
    try {
      if (await isLegacyRequest(request, body)) return await this.#legacy(call, grant, body);
      return await this.#modern(call, grant, body);
    } catch (thrown) {
      logFailure(this.#parts.world.log, thrown);
      throw thrown;
    }
  }

  /** Call it after the engine's sessions have ended: the remaining events are sent first. */
  async [Symbol.asyncDispose](): Promise<void> {
    const sessions = [...this.#sessions.values()];
    const clients = [...this.#clients.values()];
    this.#clients.clear();
    const read = sessions.filter(({ isRead }) => isRead);
    const following = [...this.#listening.keys(), ...read.map((session) => session.following)];
    await Promise.all(following.map((each) => each.settled(LAST_EVENTS_MS_MAX)));
    for (const over of [...this.#listening.values()]) over();
    await Promise.all(sessions.map((session) => session[Symbol.asyncDispose]()));
    await Promise.all(clients.map(({ client }) => client[Symbol.asyncDispose]()));
  }

  async #legacy(call: RouteRequest, grant: TokenGrant, body: unknown): Promise<Response> {
    const { request } = call;
    const named = request.headers.get("mcp-session-id");
    const isFirst = named === null && isInitializeRequest(body);
    if (named === null && !isFirst)
      return refused(
        400,
        INVALID_REQUEST,
        "Begin with initialize; the header Mcp-Session-Id names the session.",
      );
    const started = named === null ? await this.#begin(grant) : undefined;
    const session = started?.session ?? this.#sessions.get(named ?? "");
    // A session of another token looks as missing as one that never was.
    if (session === undefined || session.jti !== grant.jti)
      return refused(404, SESSION_MISSING, "There is no such session. Begin another one with initialize.");
    const release = started?.release ?? session.use();
    let isStreamed = false;
    try {
      const options = body === undefined ? {} : { parsedBody: body };
      const answer = await session.transport.handleRequest(request, options);
      if (isFirst && !answer.ok) session.end();
      if (!isStream(answer)) return answer;
      isStreamed = true;
      const pace = session.paceOf(request);
      return streamed(call, answer, { pace, over: release });
    } finally {
      if (!isStreamed) release();
    }
  }

  /** Opens a session that is in use from its first moment: one that connects must not make room for another. */
  async #begin(grant: TokenGrant): Promise<{ readonly session: HttpSession; readonly release: () => void }> {
    const { engine, authority, world, version } = this.#parts;
    for (const session of [...this.#sessions.values()]) if (session.idleMs > SESSION_IDLE_MS) session.end();
    this.#makeRoom(grant.jti);
    const id = Buffer.from(world.random.bytes(SESSION_ID_BYTES)).toString("hex");
    const session = new HttpSession({
      id,
      client: new AgentClient({ engine, scope: grant.scope }),
      grant,
      authority,
      world,
      version,
      onLeave: () => this.#sessions.delete(id),
    });
    this.#sessions.set(id, session);
    const release = session.use();
    try {
      await session.connect();
    } catch (thrown) {
      release();
      throw thrown;
    }
    return { session, release };
  }

  /**
   * Ends the longest idle session of a token if it has the maximum: most were left by clients that send no DELETE. Its
   * client gets 404 for its next request, and starts again as MCP specifies.
   * @throws HarnessError TooManyClients if all of them are in use.
   */
  #makeRoom(jti: TokenId): void {
    const tokenSessions = [...this.#sessions.values()].filter((session) => session.jti === jti);
    if (tokenSessions.length < SESSIONS_PER_TOKEN_MAX) return;
    const [idlest] = tokenSessions
      .filter(({ isUsed }) => !isUsed)
      .sort((one, other) => other.idleMs - one.idleMs);
    if (idlest === undefined) throw new HarnessError("TooManyClients", { count: `${tokenSessions.length}` });
    idlest.end();
  }

  async #modern(call: RouteRequest, grant: TokenGrant, body: unknown): Promise<Response> {
    const { request } = call;
    const { world, version } = this.#parts;
    const client = this.#clientOf(grant);
    const method = stringAt(body, "method");
    const pace = new StreamPace();
    let following: ResourceSubscriptions | undefined;
    let watch: GrantWatch | undefined;
    const subscriptions: { begin(): void }[] = [];
    const bus = new OneBus(() => {
      for (const each of subscriptions) each.begin();
    });
    if (method === "subscriptions/listen") {
      const uris = arrayAt(objectAt(objectAt(body, "params"), "notifications"), "resourceSubscriptions");
      watch = this.#parts.authority.watch(grant);
      following = new ResourceSubscriptions({ client, world, watch, grant });
      const texts = uris.filter((uri) => typeof uri === "string");
      try {
        // The library acknowledges every subscription: forbidden ones are refused before.
        const started = await following.start("listen", texts, async ({ uri, ...params }) => {
          await pace.waitForRoom();
          bus.publish({ kind: "resource_updated", uri, params: { ...params } });
        });
        subscriptions.push(started);
      } catch (thrown) {
        following[Symbol.dispose]();
        watch[Symbol.dispose]();
        logFailure(world.log, thrown);
        const { code, message, data } = rpcRefusal(thrown);
        return jsonAnswer(200, { jsonrpc: "2.0", id: idOf(body), error: { code, message, data } });
      }
    }
    const handler = createMcpHandler(
      () => mcpServer({ world, client, version, era: "modern", feature: HTTP_FEATURE }),
      {
        legacy: "reject",
        bus,
        // A turn takes time: a stream shows that the server is alive.
        responseMode: method === "tools/call" ? "sse" : "auto",
        onerror: (error) =>
          world.log.for("control.mcp").write("debug", "a message was not served", { what: error.message }),
      },
    );
    const over = () => {
      pace.end();
      if (following !== undefined) this.#listening.delete(following);
      following?.[Symbol.dispose]();
      watch?.[Symbol.dispose]();
      void handler.close();
    };
    if (following !== undefined) this.#listening.set(following, over);
    const answer = await handler.fetch(request, { parsedBody: body });
    if (!isStream(answer)) {
      over();
      return answer;
    }
    return streamed(call, answer, { pace, over });
  }

  #clientOf({ jti, scope, expiresAt }: TokenGrant): AgentClient {
    const now = this.#parts.world.clock.now();
    for (const [known, { client, expiresAt: until }] of this.#clients) {
      if (until > now) continue;
      this.#clients.delete(known);
      void client[Symbol.asyncDispose]();
    }
    const known = this.#clients.get(jti);
    if (known !== undefined) return known.client;
    const client = new AgentClient({ engine: this.#parts.engine, scope });
    this.#clients.set(jti, { client, expiresAt });
    return client;
  }
}

type Published = Parameters<
  NonNullable<NonNullable<Parameters<typeof createMcpHandler>[1]>["bus"]>["publish"]
>[0];

/** Connects the subscription of one request to its stream alone. */
class OneBus {
  readonly #onListener: () => void;
  #listener: ((event: Published) => void) | undefined;

  constructor(onListener: () => void) {
    this.#onListener = onListener;
  }

  publish(event: Published): void {
    this.#listener?.(event);
  }

  subscribe(listener: (event: Published) => void): () => void {
    this.#listener = listener;
    this.#onListener();
    return () => {
      this.#listener = undefined;
    };
  }
}

interface Streaming {
  /** Pieces are sent at the reader's pace. */
  readonly pace: StreamPace | undefined;
  readonly over: () => void;
}

/**
 * Copies the library's stream to the listener's: read as fast as it is taken, and cut when the token ends or the
 * client leaves.
 */
function streamed(call: RouteRequest, answer: Response, { pace, over }: Streaming): Response {
  const { body } = answer;
  const response = call.stream(async function* (signal) {
    const reader = body?.getReader();
    let isOver = false;
    // A reader that stops asks for no more pieces: only the signal reports it.
    const stop = () => {
      if (isOver) return;
      isOver = true;
      void reader?.cancel(signal.reason).catch(() => undefined);
      pace?.close();
      over();
    };
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    const decoder = new TextDecoder();
    try {
      // The headers go out with the first piece.
      yield ": ok\n\n";
      pace?.open();
      for (;;) {
        const next = await reader?.read();
        if (next === undefined || next.done || signal.aborted) return;
        yield decoder.decode(next.value, { stream: true });
        pace?.countRead();
      }
    } finally {
      signal.removeEventListener("abort", stop);
      stop();
    }
  });
  const session = answer.headers.get("mcp-session-id");
  if (session !== null) response.headers.set("mcp-session-id", session);
  return response;
}

function isStream(answer: Response): boolean {
  return (answer.headers.get("content-type") ?? "").startsWith("text/event-stream") && answer.body !== null;
}

function refused(status: number, code: number, message: string): Response {
  return jsonAnswer(status, { jsonrpc: "2.0", id: null, error: { code, message } });
}

function idOf(body: unknown): unknown {
  const id: unknown = objectAt({ body }, "body")?.["id"];
  return typeof id === "string" || typeof id === "number" ? id : null;
}
