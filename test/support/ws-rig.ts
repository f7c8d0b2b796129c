import { connect } from "node:net";
import { join } from "node:path";
import type { ListenOptions, ServerSocket } from "../../src/base/world.ts";
import type { ConnectRemoteOptions, RemoteConnection } from "../../src/client/remote/connect-remote.ts";
import { connectRemote } from "../../src/client/remote/connect-remote.ts";
import type { LinkDependencies } from "../../src/client/remote/link.ts";
import { hostClock } from "../../src/platform/clock.ts";
import type { Envelope } from "../../src/protocol/events/envelope.ts";
import type { Event } from "../../src/protocol/events/events.ts";
import { PROTOCOL_VERSION } from "../../src/protocol/version.ts";
import { openAuthority } from "../../src/server/auth/open-authority.ts";
import type { HttpServer } from "../../src/server/http/server.ts";
import { serveHttp } from "../../src/server/http/server.ts";
import type { WebSockets } from "../../src/server/ws/web-sockets.ts";
import { openWebSockets } from "../../src/server/ws/web-sockets.ts";
import type { Authority, ClaimsRequest } from "../../src/session/access/authority.ts";
import type { Rig, RigOptions } from "./rig.ts";
import { openRig } from "./rig.ts";
import { rigPort } from "./rig-port.ts";
import { temporaryDirectory } from "./world.ts";

export interface WsRigOptions extends RigOptions {
  readonly origins?: readonly string[];
  /** Absent: any that is free. */
  readonly port?: number;
  /** Folder for tokens. Default: none, so that they are not kept. */
  readonly stateDirectory?: string;
  /** Stands between the engine and each socket. */
  readonly wrap?: (socket: ServerSocket) => ServerSocket;
}

/** The real engine behind real WebSockets on a port of this machine, with a scripted model and a fake clock. */
export interface WsRig extends AsyncDisposable {
  readonly rig: Rig;
  readonly authority: Authority;
  readonly sockets: WebSockets;
  readonly server: HttpServer;
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly port: number;
  mint(claims?: Partial<ClaimsRequest>): string;
  /** Publishes an event while no call is under way. */
  tell(event: Event): void;
  /** A bare socket: nothing is sent on it by itself. */
  open(options?: OpenOptions): Promise<WsTester>;
  remote(
    options?: Partial<ConnectRemoteOptions> & { readonly claims?: Partial<ClaimsRequest> },
  ): Promise<RemoteConnection>;
}

export interface OpenOptions {
  readonly token?: string;
  /** Behind `/v1/ws`; absent: the session of the rig. */
  readonly query?: string;
  /** Makes the handshake and waits for its answer; absent: true. */
  readonly shake?: boolean;
}

export async function openWsRig(options: WsRigOptions): Promise<WsRig> {
  const directory = temporaryDirectory();
  let tell: (event: Event) => void = () => undefined;
  const rig = await openRig({
    ...options,
    onTell(given) {
      tell = given;
      options.onTell?.(given);
    },
  });
  const { world } = rig;
  const engine = rigPort(rig);
  const stateDirectory = options.stateDirectory ?? join(directory.path, "state");
  const authority = await openAuthority({ world, stateDirectory, channels: () => [] });
  const sockets = openWebSockets({ engine, authority, world: { ...world, random: fresh } });
  const { wrap = (socket) => socket } = options;
  const server = await serveHttp({
    world: { ...world, listen: (asked) => world.listen({ ...asked, handle: wrapped(asked.handle, wrap) }) },
    engine,
    authority,
    routes: sockets.routes,
    targets: [{ kind: "loopback", hostname: "127.0.0.1", port: options.port ?? 0 }],
    ...(options.origins === undefined ? {} : { origins: options.origins }),
  });
  const url = server.addresses[0] ?? "";
  const mint = (claims: Partial<ClaimsRequest> = {}) =>
    authority.mint({ identityClass: "human", ...claims }, "engine");
  return {
    rig,
    authority,
    sockets,
    server,
    url,
    port: Number(new URL(url).port),
    mint,
    tell: (event) => tell(event),
    async open({ token = mint(), query = `?session=${rig.session.id}`, shake = true } = {}) {
      const tester = new WsTester(`${url.replace("http", "ws")}/v1/ws${query}`, token);
      if (shake) await tester.shake();
      return tester;
    },
    async remote({ claims, ...more } = {}) {
      const token = mint(claims);
      return await connectRemote({ ...remoteParts(url), token: () => token, ...more }, never);
    },
    async [Symbol.asyncDispose]() {
      try {
        server.quiesce();
        await rig[Symbol.asyncDispose]();
        await sockets[Symbol.asyncDispose]();
        await server[Symbol.asyncDispose]();
      } finally {
        await authority[Symbol.asyncDispose]();
        await directory[Symbol.asyncDispose]();
      }
    },
  };
}

function wrapped(
  handle: ListenOptions["handle"],
  wrap: (socket: ServerSocket) => ServerSocket,
): ListenOptions["handle"] {
  return async (request, exchange) => {
    const answer = await handle(request, exchange);
    if (answer instanceof Response) return answer;
    return { ...answer, webSocket: (socket) => answer.webSocket(wrap(socket)) };
  };
}

const { signal: never } = new AbortController();
/** Each engine has a name of its own, whatever the seed of its world. */
const fresh = {
  bytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)),
  number: () => Math.random(),
};

export function remoteParts(
  url: string,
): Omit<LinkDependencies, "token"> & Pick<ConnectRemoteOptions, "random"> {
  return {
    url,
    fetch: (address, init) => fetch(address, init),
    openSocket: (address, protocols) => new WebSocket(address, protocols),
    clock: hostClock,
    random: fresh,
    label: "test",
  };
}

/** A frame as the server sent it. */
export interface WireFrame {
  readonly frame: string;
  readonly id?: number;
  readonly body: { readonly reason?: string; readonly message?: string } & Record<string, unknown>;
  readonly client?: string;
  readonly since?: number;
}

/** A client that does as the test says. */
export class WsTester implements AsyncDisposable {
  readonly socket: WebSocket;
  readonly frames: WireFrame[] = [];
  readonly events: Envelope[] = [];
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly #wakes = new Set<() => void>();
  #isClosed = false;

  constructor(url: string, token: string) {
    this.socket = new WebSocket(url, ["cinch.v1", `cinch.token.${token}`]);
    const { promise, resolve } = Promise.withResolvers<{ readonly code: number; readonly reason: string }>();
    this.closed = promise;
    this.socket.addEventListener("message", ({ data }) => {
      const frame = JSON.parse(String(data)) as WireFrame;
      this.frames.push(frame);
      if (frame.frame === "event") this.events.push(frame.body as unknown as Envelope);
      this.#wake();
    });
    this.socket.addEventListener("close", ({ code, reason }) => {
      this.#isClosed = true;
      resolve({ code, reason });
      this.#wake();
    });
  }

  async opened(): Promise<void> {
    if (this.socket.readyState === WebSocket.OPEN) return;
    await new Promise<void>((resolve, reject) => {
      this.socket.addEventListener("open", () => resolve());
      this.socket.addEventListener("close", () => reject(new Error("the socket was refused")));
    });
  }

  async shake(): Promise<WireFrame> {
    await this.opened();
    this.send({ frame: "handshake", id: 0, body: { protocol_version: PROTOCOL_VERSION } });
    return await this.until((frame) => frame.frame === "handshake");
  }

  send(frame: unknown): void {
    this.socket.send(JSON.stringify(frame));
  }

  /** Sends a command and gives its answer. */
  async command(id: number, body: object): Promise<WireFrame> {
    this.send({ frame: "command", id, body });
    return await this.until((frame) => frame.id === id && frame.frame !== "event");
  }

  async until(holds: (frame: WireFrame) => boolean): Promise<WireFrame> {
    for (let from = 0; ; ) {
      const found = this.frames.slice(from).find(holds);
      if (found !== undefined) return found;
      from = this.frames.length;
      await this.#news();
    }
  }

  async untilEvent(kind: string, nth = 1): Promise<Envelope> {
    let left = nth;
    for (let at = 0; ; at++) {
      while (this.events.length <= at) await this.#news();
      const event = this.events[at];
      if (event?.kind === kind) left -= 1;
      if (event !== undefined && left === 0) return event;
    }
  }

  async untilEvents(count: number): Promise<void> {
    while (this.events.length < count) await this.#news();
  }

  async #news(): Promise<void> {
    if (this.#isClosed) throw new Error(`it never came: ${JSON.stringify(this.frames.slice(-3))}`);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wakes.add(resolve);
    await promise;
    this.#wakes.delete(resolve);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.close();
    await this.closed;
  }

  #wake(): void {
    for (const wake of [...this.#wakes]) wake();
  }
}

/** The bytes of an upgrade, as a client that obeys nothing writes them. */
export function upgradeRequest(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
): string {
  const all = {
    Host: `127.0.0.1:${port}`,
    Upgrade: "websocket",
    Connection: "Upgrade",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

/** A WebSocket whose bytes the test writes itself. */
export class RawSocket implements AsyncDisposable {
  readonly #socket;
  readonly closed: Promise<void>;
  got = "";
  readonly #wakes = new Set<() => void>();
  #isClosed = false;

  constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.on("data", (chunk) => {
      this.got += chunk.toString("latin1");
      for (const wake of [...this.#wakes]) wake();
    });
    this.#socket.on("error", () => undefined); // a reset is a close
    this.closed = new Promise((resolve) =>
      this.#socket.on("close", () => {
        this.#isClosed = true;
        for (const wake of [...this.#wakes]) wake();
        resolve();
      }),
    );
  }

  write(bytes: string | Uint8Array): void {
    if (typeof bytes === "string") this.#socket.write(bytes, "latin1");
    else this.#socket.write(bytes);
  }

  /** Takes nothing from the wire any more. */
  stall(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  async until(holds: (got: string) => boolean): Promise<string> {
    while (!holds(this.got)) {
      if (this.#isClosed) throw new Error(`closed after: ${this.got.slice(-300)}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wakes.add(resolve);
      await promise;
      this.#wakes.delete(resolve);
    }
    return this.got;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy();
    await this.closed;
  }
}

const TEXT = 1;

/** One frame as a client has to write it: masked. */
export function clientFrame(
  payload: string | Uint8Array,
  { opcode = TEXT, fin = true }: { readonly opcode?: number; readonly fin?: boolean } = {},
): Uint8Array {
  const bytes = typeof payload === "string" ? new TextEncoder().encode(payload) : payload;
  const mask = [1, 2, 3, 4];
  const { length } = bytes;
  const size =
    length < 126
      ? [length]
      : length < 65_536
        ? [126, length >> 8, length & 255]
        : [127, 0, 0, 0, 0, (length >>> 24) & 255, (length >> 16) & 255, (length >> 8) & 255, length & 255];
  const [first = 0, ...more] = size;
  const masked = bytes.map((byte, at) => byte ^ (mask[at % 4] ?? 0));
  return Uint8Array.from([(fin ? 128 : 0) | opcode, 128 | first, ...more, ...mask, ...masked]);
}
