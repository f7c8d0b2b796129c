import type { Duplex } from "node:stream";
import { messageOf } from "../../base/errors.ts";
import type { World } from "../../base/world.ts";
import { isPublicAddress } from "../../trust/public-address.ts";
import type { HostEntry } from "../hosts.ts";
import { entryFor, isLiteral, parseHostEntry } from "../hosts.ts";
import { HEAD_BYTES_MAX, parseProxyRequest } from "./request-head.ts";

/** Streams of bytes, as this machine opens them. */
export interface Sockets {
  /** Listens at a path, readable and writable for this user alone. */
  listen(path: string, connected: (stream: Duplex) => void): Promise<AsyncDisposable>;
  /** @throws the system's error, or the signal's reason. */
  connect(address: string, port: number, signal: AbortSignal): Promise<Duplex>;
}

export interface ProxyOptions {
  readonly world: Pick<World, "clock" | "resolve">;
  readonly sockets: Sockets;
  /** Where it listens: in a folder that no command sees. */
  readonly path: string;
  /** As `parseHostEntry` reads them; one that is none lets nothing through. */
  readonly hosts: readonly string[];
  /** Told why a request was not let through: programs show little of the answer that they get. */
  onRefused?(why: string): void;
}

const CONNECTIONS_MAX = 128;
const OPENING_MS_MAX = 30_000;

/**
 * The way out for confined commands: an HTTP proxy that lets through the hosts of a list and no other (SBX-01, S55, S57).
 *
 * Names are resolved here, once, and the connection goes to an address that was looked at: it must be a public one, unless
 * the list names that very address, or `localhost`. An empty list lets nothing through. What goes through a tunnel is not
 * looked into: who lets a host through trusts all that it serves, also under other names.
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
    if (streams.size >= CONNECTIONS_MAX) {
      client.end(answer(503, "too many connections"));
      return;
    }
    streams.add(client);
    client.on("error", () => client.destroy()); // the other end went away: nobody is left to be told
    client.once("close", () => streams.delete(client));
    void serve(client, { world, sockets, entries, onRefused, signal: closing.signal });
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
  readonly onRefused: (why: string) => void;
  readonly signal: AbortSignal;
}

/** Never rejects. */
async function serve(client: Duplex, at: Serving): Promise<void> {
  const limit = new AbortController();
  const signal = AbortSignal.any([at.signal, limit.signal]);
  using _timer = at.world.clock.timer(OPENING_MS_MAX, () => limit.abort(new Error("it took too long")));
  signal.addEventListener("abort", () => client.destroy(), { once: true });
  try {
    const { head, rest } = await readHead(client);
    const request = parseProxyRequest(head);
    if (request === undefined) return refuse(client, 400, "this is no request to a proxy");
    const { host, port } = request;
    const entry = entryFor(at.entries, host, port);
    if (entry === undefined)
      return forbid(client, `${host}:${port} is not on the list of [sandbox] network`, at);
    const found = await addressOf(host, entry, at.world, signal);
    if ("refused" in found) return forbid(client, found.refused, at);
    const server = await at.sockets.connect(found.address, port, signal);
    server.on("error", () => client.destroy());
    client.once("close", () => server.destroy());
    server.once("close", () => client.destroy());
    if (request.kind === "tunnel") client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    else server.write(request.head, "latin1");
    if (rest.length > 0) server.write(rest);
    client.pipe(server);
    server.pipe(client);
  } catch (thrown) {
    refuse(client, 502, `cinch: ${messageOf(thrown)}`);
  }
}

/** The address to connect to, or why there is none that may be. */
async function addressOf(
  host: string,
  entry: HostEntry,
  { resolve }: ProxyOptions["world"],
  signal: AbortSignal,
): Promise<{ readonly address: string } | { readonly refused: string }> {
  const bare = host.replace(/^\[|\]$/g, "");
  const meansThisMachine = !entry.below && (isLiteral(host) || host === "localhost");
  const addresses = isLiteral(host) ? [bare] : await resolve(host, signal);
  const address = addresses.find((each) => meansThisMachine || isPublicAddress(each));
  if (address !== undefined) return { address };
  const [first] = addresses;
  if (first === undefined) return { refused: `${host} has no address` };
  return {
    refused: `${host} has the address ${first}, which is not public`,
  };
}

/** @throws Error where the client ends or says too much before its head is whole. */
async function readHead(client: Duplex): Promise<{ readonly head: string; readonly rest: Uint8Array }> {
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
      if (end < 0 && read.length <= HEAD_BYTES_MAX) return;
      stop();
      client.pause();
      if (end < 0) reject(new Error("the head of the request is too long"));
      else resolve({ head: read.toString("latin1", 0, end), rest: read.subarray(end + 4) });
    }
    client.on("data", take).once("end", ended).once("close", ended);
  });
}

function forbid(client: Duplex, why: string, { onRefused }: Serving): void {
  onRefused(why);
  refuse(client, 403, `cinch: ${why}`);
}

function refuse(client: Duplex, status: number, why: string): void {
  if (!client.destroyed) client.end(answer(status, why));
}

function answer(status: number, why: string): string {
  const body = `${why}\n`;
  // What refuses a tunnel is shown by few programs but in their logs, which have the headers, or the line itself.
  const line = why.replaceAll(/[^ -~]/g, "?");
  return `HTTP/1.1 ${status} ${line}\r\nX-Cinch-Refused: ${line}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
}
