import type { Duplex } from "node:stream";
import { messageOf } from "../../../base/errors.ts";
import type { World } from "../../../base/world.ts";
import type { HostEntry, ProxyRefusal } from "../../../session/guard/hosts.ts";
import { entryFor, entryText, parseHostEntry } from "../../../session/guard/hosts.ts";
import { addressesFor } from "./addresses.ts";
import { requestBody } from "./request-body.ts";
import { parseProxyRequest, REQUEST_HEAD_BYTES_MAX } from "./request-head.ts";

/** Byte streams of this machine. */
export interface Sockets {
  /** Listens at a path, readable and writable for this user alone. */
  listen(path: string, connected: (stream: Duplex) => void): Promise<AsyncDisposable>;
  /** @throws the system's error, or the signal's reason. */
  connect(address: string, port: number, signal: AbortSignal): Promise<Duplex>;
}

export interface ProxyOptions {
  readonly world: Pick<World, "clock" | "resolve">;
  readonly sockets: Sockets;
  /** Path to listen at: in a folder that no command sees. */
  readonly path: string;
  /** Host entries for `parseHostEntry`; an invalid one allows nothing. */
  readonly hosts: readonly string[];
  /** Receives each refused request: programs show little of the answer that they get. */
  onRefused?(refusal: ProxyRefusal): void;
}

const CONNECTIONS_MAX = 128;
/** Limit from the first byte to an open connection; a slower client gets none. */
const OPENING_MS_MAX = 30_000;
/** Limit for a client to read the last answer. */
const CLOSING_MS_MAX = 5_000;

/**
 * Opens the way out for confined commands: an HTTP proxy that allows the hosts of a list and no other (SBX-01,
 * S55, S57).
 *
 * Names are resolved here, once, and the connection goes to an address that was checked: it must be public, unless
 * the list names that very address, or `localhost`. An empty list allows nothing. A connection carries one request,
 * or one tunnel. The content of a tunnel is not inspected: allowing a host means trusting all that it serves, also
 * under other names.
 */
export async function openProxy({
  world,
  sockets,
  path,
  hosts,
  onRefused = () => undefined,
}: ProxyOptions): Promise<AsyncDisposable> {
  const parsed = hosts.map(parseHostEntry);
  const entries = parsed.flatMap((entry) => ("problem" in entry ? [] : [entry]));
  const closing = new AbortController();
  const streams = new Set<Duplex>();
  const listener = await sockets.listen(path, (client) => {
    client.on("error", () => client.destroy()); // the other end closed: nobody is left to answer
    const at = { world, sockets, entries, onRefused, signal: closing.signal };
    const isOneTooMany = streams.size >= CONNECTIONS_MAX;
    streams.add(client);
    client.once("close", () => streams.delete(client));
    if (isOneTooMany) refuse(client, 503, "cinch: too many connections", at);
    else void serve(client, at);
  });
  return {
    async [Symbol.asyncDispose]() {
      closing.abort(new Error("the proxy is closed"));
      for (const stream of streams) stream.destroy();
      await listener[Symbol.asyncDispose]();
    },
  };
}

interface Serving {
  readonly world: ProxyOptions["world"];
  readonly sockets: Sockets;
  readonly entries: readonly HostEntry[];
  readonly onRefused: (refusal: ProxyRefusal) => void;
  readonly signal: AbortSignal;
}

/** Never rejects. */
async function serve(client: Duplex, at: Serving): Promise<void> {
  const limit = new AbortController();
  const signal = AbortSignal.any([at.signal, limit.signal]);
  using _timer = at.world.clock.timer(OPENING_MS_MAX, () => limit.abort(new Error("it took too long")));
  const stop = () => client.destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const read = await readHead(client);
    if (read === undefined) return refuse(client, 431, "cinch: the head of the request is too long", at);
    const request = parseProxyRequest(read.head);
    if (request === undefined) return refuse(client, 400, "cinch: this is not a proxy request", at);
    const { host, port } = request;
    const entry = entryFor(at.entries, host, port);
    if (entry === undefined) {
      const why = `${host}:${port} is not on the list of [sandbox] network`;
      return forbid(client, { why, host: entryText(host, port) }, at);
    }
    const found = await addressesFor(host, entry, at.world.resolve, signal);
    if ("refused" in found) return forbid(client, { why: found.refused }, at);
    const server = await connectAny(found.addresses, port, at.sockets, signal);
    server.on("error", () => client.destroy());
    server.once("close", () => client.destroy());
    if (client.destroyed) {
      server.destroy(); // the client closed meanwhile
      return;
    }
    client.once("close", () => server.destroy());
    if (request.kind === "tunnel") {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      if (read.rest.length > 0) server.write(read.rest);
      client.pipe(server);
    } else {
      server.write(request.head, "latin1");
      const body = requestBody(request.body).on("error", () => client.destroy());
      body.write(read.rest);
      client.pipe(body).pipe(server);
    }
    server.pipe(client);
  } catch (thrown) {
    refuse(client, 502, `cinch: ${messageOf(thrown)}`, at);
  } finally {
    signal.removeEventListener("abort", stop); // what is open now is closed with the proxy
  }
}

/** Connects to the first address that accepts, in order. @throws the last address's error if none does. */
async function connectAny(
  addresses: readonly string[],
  port: number,
  sockets: Sockets,
  signal: AbortSignal,
): Promise<Duplex> {
  let last: unknown;
  for (const address of addresses) {
    try {
      return await sockets.connect(address, port, signal);
    } catch (thrown) {
      signal.throwIfAborted();
      last = thrown;
    }
  }
  throw last;
}

/** Returns undefined for a head beyond the limit. @throws Error if the client ends before its head is complete. */
async function readHead(
  client: Duplex,
): Promise<{ readonly head: string; readonly rest: Uint8Array } | undefined> {
  let read = Buffer.alloc(0);
  return await new Promise((resolve, reject) => {
    const stop = () => client.off("data", take).off("end", ended).off("close", ended);
    const ended = () => {
      stop();
      reject(new Error("the request ended before it was whole"));
    };
    function take(chunk: Buffer): void {
      read = Buffer.concat([read, chunk]);
      const end = read.indexOf("\r\n\r\n");
      if (end < 0 && read.length <= REQUEST_HEAD_BYTES_MAX) return;
      stop();
      client.pause();
      if (end < 0 || end > REQUEST_HEAD_BYTES_MAX) resolve(undefined);
      else resolve({ head: read.toString("latin1", 0, end), rest: read.subarray(end + 4) });
    }
    client.on("data", take).once("end", ended).once("close", ended);
  });
}

function forbid(client: Duplex, refusal: ProxyRefusal, at: Serving): void {
  at.onRefused(refusal);
  refuse(client, 403, `cinch: ${refusal.why}`, at);
}

/**
 * Answers and closes. Discards what the client still sends, so that it gets to read the answer; then closes in
 * any case.
 */
function refuse(client: Duplex, status: number, why: string, { world }: Serving): void {
  if (client.destroyed) return;
  const timer = world.clock.timer(CLOSING_MS_MAX, () => client.destroy());
  client.once("close", () => timer[Symbol.dispose]());
  client.end(answer(status, why));
  client.resume();
}

function answer(status: number, why: string): string {
  const body = `${why}\n`;
  // Few programs show a refused tunnel except in their logs, which have the headers, or the status line itself.
  const line = why.replaceAll(/[^ -~]/g, "?");
  return `HTTP/1.1 ${status} ${line}\r\nX-Cinch-Refused: ${line}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
}
