import { createServer, connect as netConnect } from "node:net";
import type { Duplex } from "node:stream";

/** Byte streams of this machine, for connections without HTTP. */
export const hostSockets = {
  /** Listens at a path; the socket is 0600 from the start. */
  listen(path: string, connected: (stream: Duplex) => void): Promise<AsyncDisposable> {
    return listening({ path }, connected);
  },

  /** Listens at a port of this machine's loopback address. */
  listenLocally(port: number, connected: (stream: Duplex) => void): Promise<AsyncDisposable> {
    return listening({ host: "127.0.0.1", port }, connected);
  },

  connect(address: string, port: number, signal: AbortSignal): Promise<Duplex> {
    return connected({ host: address, port }, signal);
  },

  connectPath(path: string, signal: AbortSignal): Promise<Duplex> {
    return connected({ path }, signal);
  },
};

type ListenAddress = { readonly path: string } | { readonly host: string; readonly port: number };

async function listening(
  place: ListenAddress,
  connected: (stream: Duplex) => void,
): Promise<AsyncDisposable> {
  const server = createServer({ allowHalfOpen: false }, connected);
  const before = process.umask(0o177);
  try {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.once("error", reject);
    server.listen(place, resolve);
    await promise;
  } finally {
    process.umask(before);
  }
  return {
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function connected(place: ListenAddress, signal: AbortSignal): Promise<Duplex> {
  signal.throwIfAborted();
  const socket = netConnect(place);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = () => {
    socket.destroy();
    reject(signal.reason);
  };
  signal.addEventListener("abort", stop, { once: true });
  socket.once("connect", resolve).once("error", reject);
  try {
    await promise;
  } finally {
    signal.removeEventListener("abort", stop);
  }
  return socket;
}
