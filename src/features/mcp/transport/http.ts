import type {
  JSONRPCMessage,
  MessageExtraInfo,
  Transport,
  TransportSendOptions,
} from "@modelcontextprotocol/client";
import { SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { deadline, whileAlive } from "../../../base/async/deadline.ts";
import { defined } from "../../../base/defined.ts";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import type { Clock } from "../../../base/world.ts";
import { STREAM_ENDED } from "../server/outcome.ts";
import { TooLong } from "./bounded-body.ts";
import type { RemoteDependencies, RemoteFetch, RemoteServer } from "./remote-fetch.ts";
import { remoteFetch } from "./remote-fetch.ts";

/** Consecutive attempts to open a broken stream again, each after the last event received. */
const RECONNECTIONS_MAX = 5;
const RECONNECTION_MS_MIN = 100;
const RECONNECTION_MS_MAX = 30_000;
/** Pairs an answer with its message within this file. It is removed before a request is sent. */
const MARK = "x-cinch-message";
/** The longest wait for a server to end our session. */
const GOODBYE_MS_MAX = 2_000;

export interface HttpTransportOptions {
  /** The longest time for a call. Its answer may begin after it. */
  readonly callMsMax?: number;
}

/**
 * Opens a connection to a server over HTTP, for the library's client (MCP-01).
 *
 * Streamable HTTP: broken streams are opened again with `Last-Event-ID`, at most ten times a second. A call whose
 * stream or body ends without its answer fails at once. A session that the server has forgotten (404) closes the
 * connection, so that a new one can be made. The older HTTP with server-sent events closes with its stream. Closing
 * ends the session at the server, and waits for that at most 2 s.
 * @throws nothing; `start` and `send` reject with HarnessError McpLoginNeeded or McpScopeMissing, or with the failure.
 */
export function openHttpTransport(
  server: RemoteServer,
  ports: RemoteDependencies,
  { callMsMax }: HttpTransportOptions = {},
): Promise<Transport> {
  const fetch = remoteFetch(server, ports, callMsMax);
  const url = new URL(server.url);
  return Promise.resolve(
    server.transport === "sse" ? openSseTransport(url, fetch) : new StreamableHttp(url, fetch, ports.clock),
  );
}

/** Returns the refusal of a server, wherever it stands in the chain of causes. */
export function findRefusal(thrown: unknown): HarnessError | undefined {
  let cause = thrown;
  for (let depth = 0; depth < 8 && cause instanceof Error; depth++) {
    if (cause instanceof HarnessError) return cause;
    ({ cause } = cause);
  }
  return undefined;
}

class StreamableHttp implements Transport {
  readonly hasPerRequestStream = true;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  readonly #inner: StreamableHTTPClientTransport;
  readonly #clock: Clock;
  readonly #unanswered = new Set<string | number>();
  #sent = 0;
  /** Marks of the messages that are being answered by a stream. */
  readonly #streamed = new Set<string>();
  #isClosing = false;

  constructor(url: URL, fetch: RemoteFetch, clock: Clock) {
    this.#clock = clock;
    this.#inner = new StreamableHTTPClientTransport(url, {
      fetch: (target, init) => this.#reach(fetch, target, init),
      onInsufficientScope: "throw",
      reconnectionOptions: {
        initialReconnectionDelay: 1_000,
        maxReconnectionDelay: RECONNECTION_MS_MAX,
        reconnectionDelayGrowFactor: 1.5,
        maxRetries: RECONNECTIONS_MAX,
      },
      reconnectionScheduler(reconnect, delayMs) {
        const ms = Math.min(Math.max(delayMs, RECONNECTION_MS_MIN), RECONNECTION_MS_MAX);
        const timer = clock.timer(ms, reconnect);
        return () => timer[Symbol.dispose]();
      },
    });
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  async start(): Promise<void> {
    this.#inner.onmessage = (message: JSONRPCMessage) => {
      if (!("method" in message) && message.id !== undefined) this.#unanswered.delete(message.id);
      this.onmessage?.(message);
    };
    this.#inner.onerror = (error) => {
      this.onerror?.(error);
      if (error instanceof TooLong || error.message.includes("TooLong")) void this.#leave();
    };
    this.#inner.onclose = () => this.onclose?.();
    await this.#inner.start();
  }

  async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    const id = "method" in message && "id" in message ? message.id : undefined;
    if (id !== undefined) this.#unanswered.add(id);
    this.#sent += 1;
    const mark = String(this.#sent);
    try {
      await this.#inner.send(message, {
        ...defined(options), // the library accepts no undefined option
        headers: { ...options.headers, [MARK]: mark },
        onRequestStreamEnd: () => {
          if (options.onRequestStreamEnd !== undefined) options.onRequestStreamEnd();
          else this.#endedWithout(id);
        },
      });
      if (!this.#streamed.delete(mark)) this.#endedWithout(id);
    } catch (thrown) {
      this.#streamed.delete(mark);
      if (id !== undefined) this.#unanswered.delete(id);
      if (statusOf(thrown) === 404 && this.sessionId !== undefined) await this.#leave();
      throw thrown;
    }
  }

  async #reach(reach: RemoteFetch, target: string | URL, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    const mark = headers.get(MARK);
    headers.delete(MARK);
    const response = await reach(target, { ...init, headers });
    const isStream = response.headers.get("content-type")?.includes("text/event-stream") === true;
    if (mark !== null && isStream) this.#streamed.add(mark);
    return response;
  }

  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    if (this.sessionId !== undefined) await this.#sayGoodbye();
    await this.#inner.close();
  }

  /** Closes after the server has ended the session, or should have. */
  async #leave(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    await this.#inner.close();
  }

  async #sayGoodbye(): Promise<void> {
    using limit = deadline(this.#clock, GOODBYE_MS_MAX, new AbortController().signal);
    try {
      await whileAlive(this.#inner.terminateSession(), limit.signal);
    } catch {
      // The server is gone, or slow, or does not end sessions: leaving continues.
    }
  }

  /**
   * Answers a call with an error when its stream ended without the result, so that its caller does not wait for a
   * time limit.
   */
  #endedWithout(id: string | number | undefined): void {
    if (id === undefined || !this.#unanswered.delete(id)) return;
    const error = { code: STREAM_ENDED, message: "the server ended its answer before the result came" };
    this.onmessage?.({ jsonrpc: "2.0", id, error });
  }
}

/**
 * Opens the older transport: one stream, which is the connection. It is not opened again, because the server would
 * not recognise the client.
 */
function openSseTransport(url: URL, reach: RemoteFetch): Transport {
  let isOpened = false;
  const transport: SSEClientTransport = new SSEClientTransport(url, {
    fetch: async (target, init) => {
      if (init?.method === "POST") return await reach(target, init);
      if (isOpened) {
        queueMicrotask(() => void transport.close());
        throw new Error("the stream of the server has ended");
      }
      const response = await reach(target, init);
      isOpened = response.ok;
      // The library would wait as long as the server likes before it notices the missing second stream.
      return isOpened ? onBodyEnd(response, () => void transport.close()) : response;
    },
  });
  return transport;
}

/** Returns the same answer; calls `over` when its body ends or fails, but not when its reader leaves it. */
function onBodyEnd(response: Response, over: () => void): Response {
  if (response.body === null) return response;
  const { status, headers } = response;
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          controller.close();
        } catch (thrown) {
          controller.error(thrown);
        }
        over();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status, headers });
}

function statusOf(thrown: unknown): number | undefined {
  const status: unknown = thrown instanceof Error ? Reflect.get(thrown, "status") : undefined;
  return typeof status === "number" ? status : undefined;
}

/** Returns why a server cannot be reached, in half a sentence. */
export function remoteProblem(thrown: unknown): string {
  return findRefusal(thrown)?.message ?? messageOf(thrown);
}
