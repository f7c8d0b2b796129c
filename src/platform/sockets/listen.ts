import type { Server, ServerWebSocket } from "bun";
import { defined } from "../../base/defined.ts";
import { messageOf } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { Listen, ListenOptions, ServerSocket, SocketReader, WebSocketAnswer } from "../../base/world.ts";

const BODY_BYTES_MAX = 128 * 1024 * 1024;
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
/** Bytes that may wait in a socket before its sender has to wait. */
const SOCKET_BUFFER_BYTES = 256 * 1024;
/** Time without data or pong after which a peer counts as gone. */
const SOCKET_IDLE_MS_MAX = 120_000;
const IDLE_S_MAX = 255;

/** "development: false" alone shares a port with another engine, which gets some of the requests. */
const ALONE = { reusePort: false };

/** State of one WebSocket from its upgrade on. */
interface SocketState {
  readonly begin: WebSocketAnswer["webSocket"];
  reader?: SocketReader;
  /** Wakes a sender that waits for space. */
  drained?: PromiseWithResolvers<void>;
  isClosed: boolean;
}

/** Returns a function that opens HTTP listeners. A new Unix socket is 0600 from the start. */
export function hostListen(log: Log): Listen {
  return async (options) => {
    const { target, tls } = options;
    const serve = {
      development: false, // else the page of a 500 contains the error
      fetch: (request: Request, server: Server<SocketState>) => answer(request, server, options),
      error: (thrown: Error) => {
        log.for("host.listen").write("error", "a request was not handled", { what: messageOf(thrown) });
        return new Response(null, { status: 500 });
      },
      websocket: sockets(options),
      maxRequestBodySize: options.bodyBytesMax ?? BODY_BYTES_MAX,
      ...defined({ tls }),
    };
    // The types lack that a Unix socket has this limit too.
    const quiet = { idleTimeout: Math.min(IDLE_S_MAX, Math.ceil((options.idleMsMax ?? 0) / 1_000)) };
    const before = process.umask();
    if (target.kind === "unix") process.umask(0o177);
    try {
      const server =
        target.kind === "unix"
          ? Bun.serve<SocketState>({ ...serve, ...(quiet as object), unix: target.path })
          : Bun.serve<SocketState>({
              ...serve,
              ...quiet,
              ...ALONE,
              hostname: target.hostname,
              port: target.port,
            });
      const scheme = tls === undefined ? "http" : "https";
      return {
        address: target.kind === "unix" ? target.path : `${scheme}://${server.hostname}:${server.port}`,
        [Symbol.asyncDispose]: () => server.stop(true),
      };
    } finally {
      process.umask(before);
    }
  };
}

async function answer(
  request: Request,
  server: Server<SocketState>,
  { handle }: ListenOptions,
): Promise<Response | undefined> {
  const answered = await handle(request, { keepOpen: () => server.timeout(request, 0) });
  if (answered instanceof Response) return answered;
  const { webSocket: begin, protocol } = answered;
  const headers = defined({ "Sec-WebSocket-Protocol": protocol });
  if (server.upgrade(request, { data: { begin, isClosed: false }, headers })) return undefined;
  return new Response(null, { status: 426, headers: { Upgrade: "websocket" } });
}

function sockets(options: ListenOptions) {
  return {
    maxPayloadLength: options.messageBytesMax ?? MESSAGE_BYTES_MAX,
    idleTimeout: (options.socketIdleMsMax ?? SOCKET_IDLE_MS_MAX) / 1_000,
    sendPings: true,
    open(socket: ServerWebSocket<SocketState>): void {
      socket.data.reader = socket.data.begin(serverSocket(socket));
    },
    message({ data }: ServerWebSocket<SocketState>, message: string | Buffer): void {
      data.reader?.message(typeof message === "string" ? message : new Uint8Array(message));
    },
    drain: ({ data }: ServerWebSocket<SocketState>) => wake(data),
    close({ data }: ServerWebSocket<SocketState>): void {
      data.isClosed = true;
      wake(data);
      data.reader?.closed();
    },
  };
}

function wake(state: SocketState): void {
  const { drained } = state;
  delete state.drained;
  drained?.resolve();
}

/** Sending waits for space first, so that the runtime never drops data. */
function serverSocket(socket: ServerWebSocket<SocketState>): ServerSocket {
  const { data } = socket;
  async function atMost(bufferedBytes: number): Promise<void> {
    while (!data.isClosed && socket.getBufferedAmount() > bufferedBytes) {
      data.drained ??= Promise.withResolvers();
      const { promise } = data.drained;
      await promise;
    }
  }
  return {
    async send(text) {
      // Immediately if there is space: a caller that closes right after it still has it sent.
      if (socket.getBufferedAmount() > SOCKET_BUFFER_BYTES) await atMost(SOCKET_BUFFER_BYTES);
      if (data.isClosed) return false;
      socket.send(text);
      return true;
    },
    flushed: () => atMost(0),
    close: (code, reason) => socket.close(code, reason),
  };
}
