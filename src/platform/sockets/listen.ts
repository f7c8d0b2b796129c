import type { Server, ServerWebSocket } from "bun";
import { messageOf } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { Listen, ListenOptions, ServerSocket, SocketReader, WebSocketAnswer } from "../../base/world.ts";

const BODY_BYTES_MAX = 128 * 1024 * 1024;
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
/** What may wait in a socket before its sender is told to wait. */
const SOCKET_BUFFER_BYTES = 256 * 1024;
/** A peer that takes nothing and answers no ping for so long is gone. */
const SOCKET_IDLE_MS_MAX = 120_000;
const IDLE_S_MAX = 255;

/** "development: false" alone shares a port with another engine, which gets some of the requests. */
const ALONE = { reusePort: false };

/** What belongs to one WebSocket from its upgrade on. */
interface SocketState {
  readonly begin: WebSocketAnswer["webSocket"];
  reader?: SocketReader;
  /** Wakes whoever waits for room. */
  drained?: PromiseWithResolvers<void>;
  isClosed: boolean;
}

/** Opens HTTP listeners of this machine. A new Unix socket is 0600 from its first instant. */
export function hostListen(log: Log): Listen {
  return async (options) => {
    const { target, tls } = options;
    const serve = {
      development: false, // else the page of a 500 holds what was thrown
      fetch: (request: Request, server: Server<SocketState>) => answer(request, server, options),
      error: (thrown: Error) => {
        log.for("host.listen").write("error", "a request was not handled", { what: messageOf(thrown) });
        return new Response(null, { status: 500 });
      },
      websocket: sockets(options),
      maxRequestBodySize: options.bodyBytesMax ?? BODY_BYTES_MAX,
      ...(tls === undefined ? {} : { tls }),
    };
    // The types do not know that a Unix socket has this limit too.
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
  const headers = protocol === undefined ? {} : { "Sec-WebSocket-Protocol": protocol };
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

/** What is sent waits for room first, so the runtime never has to drop any of it. */
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
      // At once where there is room: whoever closes right behind it still has it sent.
      if (socket.getBufferedAmount() > SOCKET_BUFFER_BYTES) await atMost(SOCKET_BUFFER_BYTES);
      if (data.isClosed) return false;
      socket.send(text);
      return true;
    },
    flushed: () => atMost(0),
    close: (code, reason) => socket.close(code, reason),
  };
}
