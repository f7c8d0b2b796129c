import type { HttpAnswer, Listen, ListenOptions, ServerSocket, SocketReader } from "../../src/base/world.ts";
import type { HttpAccess } from "../../src/conformance/http-access.ts";
import type { WebSocketLike } from "../../src/view/web-socket.ts";

/** A listener without sockets: what is asked at its door goes straight to its handler, and back. */
export interface MemoryListener {
  readonly listen: Listen;
  readonly door: HttpAccess;
}

/** Stands between the wire and the handler of a server: what a broken one does wrong there. */
export interface WireFault {
  /** An answer instead of a request: the handler is not asked. */
  request?(request: Request): Request | Response | Promise<Request | Response>;
  response?(response: Response, request: Request): Response | Promise<Response>;
  /** A frame of a client; undefined: it is swallowed. */
  incoming?(text: string | Uint8Array, close: () => void): string | Uint8Array | undefined;
  outgoing?(text: string): string;
}

const PORT = 4_242;
const ORIGIN = `http://127.0.0.1:${PORT}`;

export function memoryListener(fault: WireFault = {}): MemoryListener {
  let handle: ListenOptions["handle"] | undefined;

  async function answered(request: Request): Promise<HttpAnswer> {
    if (handle === undefined) throw new Error("nobody listens");
    const asked = (await fault.request?.(request)) ?? request;
    if (asked instanceof Response) return asked;
    const answer = await handle(asked, { keepOpen: () => undefined });
    return answer instanceof Response ? ((await fault.response?.(answer, asked)) ?? answer) : answer;
  }

  return {
    async listen(options) {
      handle = options.handle;
      return {
        address: ORIGIN,
        async [Symbol.asyncDispose]() {
          handle = undefined;
        },
      };
    },
    door: {
      async fetch(path, { method = "GET", headers = {}, body, signal }) {
        signal.throwIfAborted();
        const request = new Request(`${ORIGIN}${path}`, {
          method,
          headers: { host: `127.0.0.1:${PORT}`, ...lengthOf(body), ...headers },
          ...(body === undefined ? {} : { body }),
          signal,
        });
        const gone = Promise.withResolvers<never>();
        const leave = () => gone.reject(signal.reason);
        signal.addEventListener("abort", leave, { once: true });
        gone.promise.catch(() => undefined); // it counts only while the answer is waited for
        const answer = await Promise.race([answered(request), gone.promise]);
        if (!(answer instanceof Response)) return new Response(null, { status: 426 });
        return answer.body === null ? answer : new Response(left(answer.body, signal), answer);
      },
      openSocket: (path, protocols) => openPair(path, protocols),
    },
  };

  function openPair(path: string, protocols: readonly string[]): WebSocketLike {
    const listeners = new Map<string, ((event: never) => void)[]>();
    const tell = (kind: string, event: unknown) => {
      for (const listener of listeners.get(kind) ?? []) listener(event as never);
    };
    let reader: SocketReader | undefined;
    let isClosed = false;
    const closed = (code: number, reason: string) => {
      if (isClosed) return;
      isClosed = true;
      queueMicrotask(() => tell("close", { code, reason }));
      queueMicrotask(() => reader?.closed());
    };
    const server: ServerSocket = {
      send(text) {
        if (isClosed) return Promise.resolve(false);
        const data = fault.outgoing?.(text) ?? text;
        queueMicrotask(() => tell("message", { data }));
        return Promise.resolve(true);
      },
      flushed: () => Promise.resolve(),
      close: closed,
    };
    const request = new Request(`${ORIGIN}${path}`, {
      headers: {
        host: `127.0.0.1:${PORT}`,
        upgrade: "websocket",
        connection: "Upgrade",
        "sec-websocket-protocol": protocols.join(", "),
      },
    });
    void answered(request).then((answer) => {
      if (answer instanceof Response) return closed(1_006, `${answer.status}`);
      reader = answer.webSocket(server);
      tell("open", {});
    });
    return {
      send(data) {
        const told =
          fault.incoming === undefined ? data : fault.incoming(data, () => closed(1_011, "broken"));
        if (told !== undefined && !isClosed) queueMicrotask(() => reader?.message(told));
      },
      close: () => closed(1_000, ""),
      addEventListener(kind: string, listener: (event: never) => void) {
        listeners.set(kind, [...(listeners.get(kind) ?? []), listener]);
      },
    };
  }
}

/** The header that a wire puts before a body. */
function lengthOf(body: string | Uint8Array<ArrayBuffer> | undefined): Readonly<Record<string, string>> {
  return body === undefined ? {} : { "content-length": `${new Blob([body]).size}` };
}

/** A body that breaks off when its reader has gone, as one does on a socket. */
function left(body: ReadableStream<Uint8Array>, signal: AbortSignal): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        signal.addEventListener(
          "abort",
          () => {
            void reader.cancel().catch(() => undefined);
            controller.error(signal.reason);
          },
          { once: true },
        );
      },
      async pull(controller) {
        const { done, value } = await reader.read();
        if (signal.aborted) return;
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => reader.cancel(),
    },
    { highWaterMark: 0 },
  );
}
