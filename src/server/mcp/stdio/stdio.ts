import type { JSONRPCMessage, JSONRPCRequest, RequestId } from "@modelcontextprotocol/server";
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  parseJSONRPCMessage,
  SUBSCRIPTION_ID_META_KEY,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { defined } from "../../../base/defined.ts";
import { Cancelled, HarnessError } from "../../../base/errors.ts";
import { arrayAt, objectAt, parseJson, wellFormedJson } from "../../../base/json.ts";
import type { World } from "../../../base/world.ts";
import type { Authority, TokenGrant } from "../../../session/access/authority.ts";
import type { EnginePort } from "../../../session/engine-port.ts";
import type { AgentClientDependencies } from "../agent-client.ts";
import { AgentClient } from "../agent-client.ts";
import { STDIO_FEATURE } from "../mcp-names.ts";
import { mcpServer } from "../mcp-server.ts";
import { INVALID_REQUEST, logFailure, PARSE_ERROR, rpcRefusal } from "../refusals.ts";
import { ResourceSubscriptions } from "../resource-subscriptions.ts";
import { INPUT_LINE_BYTES_MAX, readInputLines } from "./lines.ts";
import { McpStdioTransport } from "./stdio-transport.ts";

/** Requests of one client that wait for their answers. */
export const UNANSWERED_REQUESTS_MAX = 64;
/** Time limit for requests that came just before the client closed its end. */
export const LAST_ANSWERS_MS_MAX = 1_000;

/** Facts of a client that may be served. */
export interface AdmittedClient extends Pick<AgentClientDependencies, "session" | "fresh" | "onSession"> {
  readonly engine: EnginePort;
  readonly authority: Pick<Authority, "verify" | "watch">;
  readonly token: string;
}

export interface StdioDependencies {
  readonly input: AsyncIterable<Uint8Array>;
  /** Ends once the system has taken the text. */
  readonly write: (text: string) => Promise<void>;
  readonly world: Pick<World, "clock" | "log">;
  readonly version: string;
  /**
   * Rejects with the reason if this client is not served: its first request gets it. Called at once; the signal aborts
   * when the client has left, and no person need be asked any more.
   */
  admit(disconnected: AbortSignal): Promise<AdmittedClient>;
  /** Ends it as the end of the input does. */
  readonly signal: AbortSignal;
}

/** End of the service: the input is over, or the client was not admitted, or its token is no longer valid. */
export type StdioEnd = { readonly kind: "closed" } | { readonly kind: "refused"; readonly thrown: unknown };

/**
 * Serves one MCP client over standard input and output, in both eras of the protocol, until its input ends (CTL-08). It
 * is bound to one session, and its token is checked with every message.
 *
 * An unreadable line is answered as JSON-RPC specifies and skipped. A client that does not read is not read from
 * either, and costs nothing more.
 */
export async function serveMcpStdio(parts: StdioDependencies): Promise<StdioEnd> {
  const line = new StdioClient(parts);
  try {
    return await line.run();
  } finally {
    await line[Symbol.asyncDispose]();
  }
}

/** The refusal of a client, on its way out of the loop; never leaves this file. */
class Refused extends Error {}

class StdioClient implements AsyncDisposable {
  readonly #parts: StdioDependencies;
  readonly #wire: McpStdioTransport;
  readonly #unanswered = new Set<RequestId>();
  /** Subscriptions of the modern era, from request to acknowledgement. */
  readonly #listening = new Map<RequestId, { begin(): void }>();
  readonly #over = new AbortController();
  readonly #admission: Promise<AdmittedClient>;
  readonly #inputOver = new AbortController();
  #served: Served | undefined;
  #end: StdioEnd = { kind: "closed" };
  #onAnswered: (() => void) | undefined;

  constructor(parts: StdioDependencies) {
    this.#parts = parts;
    this.#wire = new McpStdioTransport(parts.write, (message) => this.#leaving(message));
    this.#admission = parts.admit(this.#inputOver.signal);
    this.#admission.catch(() => undefined); // the first request gets it
  }

  async run(): Promise<StdioEnd> {
    const { signal } = this.#parts;
    const stop = () => this.#over.abort();
    const ended = () => this.#inputOver.abort(new Cancelled("client", "the client has gone"));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    try {
      for await (const line of readInputLines(until(this.#parts.input, this.#over.signal, ended))) {
        await this.#wire.room();
        if (this.#wire.isClosed) break;
        if (line.kind === "too-long") this.#refuseLine(INVALID_REQUEST, tooLong());
        else await this.#take(line.bytes);
        if (this.#over.signal.aborted) break;
      }
      await this.#answered();
    } catch (thrown) {
      if (!(thrown instanceof Refused)) throw thrown;
    } finally {
      signal.removeEventListener("abort", stop);
      ended();
    }
    return this.#end;
  }

  /** Waits a moment for answers to requests from just before the end. */
  async #answered(): Promise<void> {
    if (this.#unanswered.size === 0 || this.#over.signal.aborted || this.#wire.isClosed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onAnswered = resolve;
    this.#over.signal.addEventListener("abort", () => resolve(), { once: true });
    using _limit = this.#parts.world.clock.timer(LAST_ANSWERS_MS_MAX, resolve);
    await promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const served = this.#served;
    await served?.close();
    await this.#wire.flushed();
  }

  async #take(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0 || (bytes.length === 1 && bytes[0] === CARRIAGE_RETURN)) return;
    const message = readMessage(bytes);
    if (typeof message === "string") {
      this.#refuseLine(message === NO_MESSAGE ? INVALID_REQUEST : PARSE_ERROR, message);
      return;
    }
    const served = await this.#admitted(message);
    if (served === undefined) return;
    try {
      await served.verify();
      if (isJSONRPCRequest(message)) await this.#takeRequest(message, served);
    } catch (thrown) {
      logFailure(this.#parts.world.log, thrown);
      if (isJSONRPCRequest(message)) this.#refuse(message.id, thrown);
      return;
    }
    if (isJSONRPCNotification(message)) this.#takeNotification(message, served);
    this.#wire.deliver(message);
  }

  /** Counts a request, and reads its subscriptions, since the protocol's own part does not. */
  async #takeRequest(message: JSONRPCRequest, { following }: Served): Promise<void> {
    const { id, method, params } = message;
    if (this.#unanswered.size >= UNANSWERED_REQUESTS_MAX)
      throw new HarnessError("TooManyFrames", { count: `${this.#unanswered.size}` });
    if (method === "subscriptions/listen") {
      const uris = arrayAt(objectAt(params, "notifications"), "resourceSubscriptions").filter(isText);
      const send = async (update: object) => {
        await this.#wire.room();
        const _meta = { ...objectAt(update, "_meta"), [SUBSCRIPTION_ID_META_KEY]: id };
        const updateParams = { ...update, _meta };
        await this.#wire.send({
          jsonrpc: "2.0",
          method: "notifications/resources/updated",
          params: updateParams,
        });
      };
      this.#listening.set(id, await following.start(listenName(id), uris, send));
      return; // it is answered when it ends
    }
    this.#unanswered.add(id);
  }

  #takeNotification(message: JSONRPCMessage, { following }: Served): void {
    if (Reflect.get(message, "method") !== "notifications/cancelled") return;
    const id: unknown = Reflect.get(objectAt(message, "params") ?? {}, "requestId");
    if (typeof id !== "string" && typeof id !== "number") return;
    this.#settled(id); // it gets no answer
    this.#listening.delete(id);
    following.stop(listenName(id));
  }

  /** Starts updates once the client knows of its subscription. */
  #leaving(message: JSONRPCMessage): void {
    const id: unknown = Reflect.get(message, "id");
    if (typeof id === "string" || typeof id === "number") {
      this.#settled(id);
      if ("error" in message) this.#unlisten(id);
      return;
    }
    if (Reflect.get(message, "method") !== "notifications/subscriptions/acknowledged") return;
    const meta = objectAt(objectAt(message, "params"), "_meta");
    const subscription: unknown = meta?.[SUBSCRIPTION_ID_META_KEY];
    if (typeof subscription !== "string" && typeof subscription !== "number") return;
    const listening = this.#listening.get(subscription);
    this.#listening.delete(subscription);
    // Behind the acknowledgement, which is being written now.
    if (listening !== undefined) queueMicrotask(() => listening.begin());
  }

  #settled(id: RequestId): void {
    if (this.#unanswered.delete(id) && this.#unanswered.size === 0) this.#onAnswered?.();
  }

  #unlisten(id: RequestId): void {
    if (this.#listening.delete(id)) this.#served?.following.stop(listenName(id));
  }

  /** Waits until the client may be served; refuses one that may not, and ends. */
  async #admitted(message: JSONRPCMessage): Promise<Served | undefined> {
    if (this.#served !== undefined) return this.#served;
    try {
      const admitted = await this.#admission;
      const { authority, token } = admitted;
      const grant = await authority.verify(token, "stdio");
      this.#served = this.#serve(admitted, grant);
      return this.#served;
    } catch (thrown) {
      this.#end = { kind: "refused", thrown };
      if (!isJSONRPCRequest(message)) return undefined; // nobody would see it
      this.#refuse(message.id, thrown);
      throw new Refused();
    }
  }

  #serve(admitted: AdmittedClient, grant: TokenGrant): Served {
    const { world, version } = this.#parts;
    const { engine, authority, token, session, fresh, onSession } = admitted;
    const client = new AgentClient({
      engine,
      scope: grant.scope,
      isBound: true,
      ...defined({ session, fresh, onSession }),
    });
    const watch = authority.watch(grant);
    const following = new ResourceSubscriptions({ client, world, watch, grant });
    const onEnded = () => {
      this.#end = { kind: "refused", thrown: watch.ended.reason };
      this.#over.abort();
    };
    if (watch.ended.aborted) onEnded();
    watch.ended.addEventListener("abort", onEnded, { once: true });
    const handle = serveStdio(
      ({ era }) => {
        const server = mcpServer({
          world,
          client,
          version,
          era,
          feature: STDIO_FEATURE,
          following,
          send: async (update) => {
            await this.#wire.room();
            await server.notification({ method: "notifications/resources/updated", params: { ...update } });
          },
        });
        return server;
      },
      { transport: this.#wire, onerror: (error) => this.#tellWire(error) },
    );
    return {
      following,
      verify: async () => void (await authority.verify(token, "stdio")),
      async close() {
        watch.ended.removeEventListener("abort", onEnded);
        following[Symbol.dispose]();
        watch[Symbol.dispose]();
        await handle.close();
        await client[Symbol.asyncDispose]();
      },
    };
  }

  #refuse(id: RequestId, thrown: unknown): void {
    const { code, message, data } = rpcRefusal(thrown);
    void this.#wire.send({ jsonrpc: "2.0", id, error: { code, message, data } });
  }

  /** Refuses a line that is no message and has no id to answer to. */
  #refuseLine(code: number, message: string): void {
    const refusal = { jsonrpc: "2.0", id: null, error: { code, message } };
    void this.#wire.send(refusal as unknown as JSONRPCMessage); // JSON-RPC's own words, which MCP's types lack
  }

  #tellWire(error: Error): void {
    this.#parts.world.log
      .for("control.mcp")
      .write("debug", "a message was not served", { what: error.message });
  }
}

interface Served {
  readonly following: ResourceSubscriptions;
  /** @throws HarnessError if the token is no longer valid. */
  verify(): Promise<void>;
  close(): Promise<void>;
}

const CARRIAGE_RETURN = 13;
const NO_MESSAGE = "it is not a JSON-RPC message";

/** Returns a message, or what is wrong with it. */
function readMessage(bytes: Uint8Array): JSONRPCMessage | string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return "it is not UTF-8";
  }
  const parsed = parseJson(text);
  if (parsed === undefined) return "it is not JSON, or nested too deep";
  try {
    return parseJSONRPCMessage(wellFormedJson(parsed.value));
  } catch {
    return NO_MESSAGE;
  }
}

/**
 * Yields the input, until it ends or the signal aborts. The next piece is requested before the one before is handled,
 * so that an end is seen while an answer is pending.
 */
async function* until(
  input: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  ended: () => void,
): AsyncGenerator<Uint8Array> {
  const iterator = input[Symbol.asyncIterator]();
  let wake: () => void = () => undefined;
  const onAbort = () => wake();
  signal.addEventListener("abort", onAbort, { once: true });
  const read = async () => {
    const next = await iterator.next();
    if (next.done === true) ended();
    return next;
  };
  try {
    for (let reading = read(); !signal.aborted; ) {
      const next = await new Promise<IteratorResult<Uint8Array> | undefined>((resolve, reject) => {
        wake = () => resolve(undefined);
        reading.then(resolve, reject);
      });
      if (next === undefined || next.done === true) return;
      reading = read();
      reading.catch(() => undefined); // it is thrown when it is awaited
      yield next.value;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function tooLong(): string {
  return `the message is longer than ${INPUT_LINE_BYTES_MAX} bytes`;
}

function listenName(id: RequestId): string {
  return `listen ${JSON.stringify(id)}`;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
