import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import type { EventSeq, SessionId } from "../../base/ids.ts";
import { parseJson } from "../../base/json.ts";
import type { Clock } from "../../base/world.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import type { WebSocketLike } from "../../view/web-socket.ts";
import type { Greeting, ServerFrame } from "./server-frames.ts";
import {
  answerText,
  readServerFrame,
  refusalFromBody,
  socketUrl,
  unreachableError,
} from "./server-frames.ts";

/** Time limit for a socket to open and to complete the handshake. */
export const OPEN_MS_MAX = 15_000;
/** Interval of pings and time limit of a pong: a cut connection sends no close. */
export const PING_MS = 30_000;
export const PONG_MS_MAX = 15_000;

export interface LinkDependencies {
  /** `http://127.0.0.1:PORT`; for a Unix socket any, with a `fetch` and an `openSocket` that connect to it. */
  readonly url: string;
  /** Returns the token; called before each socket, so that it may be a new one. */
  readonly token: () => string | Promise<string>;
  readonly openSocket: (url: string, protocols: string[]) => WebSocketLike;
  readonly fetch: (
    url: string,
    init: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
  ) => Promise<Response>;
  readonly clock: Clock;
  /** The client's name for people. */
  readonly label: string;
}

export interface LinkTarget {
  readonly session?: SessionId;
  readonly since?: EventSeq;
  /** True: with the arguments of calls while the model writes them. */
  readonly args?: boolean;
  /** Id of the client to continue as. */
  readonly client?: string;
}

/** An open socket whose handshake is done. */
export interface Link {
  readonly greeting: Greeting;
  readonly isOpen: boolean;
  send(frame: object): void;
  close(): void;
}

export interface LinkReader {
  /** Receives every frame except the greeting, in order. */
  frame(frame: ServerFrame): void;
  /** Called once. */
  closed(): void;
}

/**
 * Opens a socket and makes the handshake.
 * @throws HarnessError the engine's refusal, EngineUnreachable or HandshakeVersionMismatch; else the signal's reason.
 */
export async function openLink(
  dependencies: LinkDependencies,
  target: LinkTarget,
  reader: LinkReader,
  signal: AbortSignal,
): Promise<Link> {
  signal.throwIfAborted();
  const token = await dependencies.token();
  const url = socketUrl(dependencies.url, "ws", target);
  const socket = dependencies.openSocket(url, ["cinch.v1", `cinch.token.${token}`]);
  const link = new SocketLink(socket, { ...dependencies, target, reader, signal });
  try {
    const greeting = await link.greeting;
    return {
      greeting,
      get isOpen() {
        return !link.isClosed;
      },
      send: (frame) => link.send(frame),
      close: () => link.close(),
    };
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof HarnessError) throw thrown;
    throw await whyNot(dependencies, target, token, { signal, wasOpen: link.wasOpen });
  }
}

interface SocketLinkOptions extends Pick<LinkDependencies, "clock" | "label"> {
  readonly target: LinkTarget;
  readonly reader: LinkReader;
  readonly signal: AbortSignal;
}

/** A socket on its way to the handshake, then until it is closed. A time limit or a missing pong closes it too. */
class SocketLink {
  readonly #socket: WebSocketLike;
  readonly #options: SocketLinkOptions;
  readonly #greeting = Promise.withResolvers<Greeting>();
  readonly #onAbort = () => this.close();
  /** The time limit that runs: of the handshake, then of the next ping or pong. */
  #limit: Disposable;
  #state: "opening" | "open" | "greeted" = "opening";
  #refusal: HarnessError | undefined;
  #isClosed = false;

  constructor(socket: WebSocketLike, options: SocketLinkOptions) {
    this.#socket = socket;
    this.#options = options;
    socket.addEventListener("open", () => this.#introduce());
    socket.addEventListener("error", () => undefined); // it has no detail, and `close` follows
    socket.addEventListener("close", () => this.close());
    socket.addEventListener("message", ({ data }) => this.#receive(data));
    options.signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#limit = options.clock.timer(OPEN_MS_MAX, () => this.close());
  }

  /** Rejects with the engine's refusal, or if the socket was closed before the handshake. */
  get greeting(): Promise<Greeting> {
    return this.#greeting.promise;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** True if the socket has opened, handshake or not. */
  get wasOpen(): boolean {
    return this.#state !== "opening";
  }

  send(frame: object): void {
    this.#socket.send(JSON.stringify(frame));
  }

  /** Reports the end at once: a socket without a peer may take long to emit `close`. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#limit[Symbol.dispose]();
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    this.#socket.close();
    if (this.#state === "greeted") this.#options.reader.closed();
    else this.#greeting.reject(this.#refusal ?? new SocketClosed(this.wasOpen));
  }

  #introduce(): void {
    this.#state = "open";
    if (this.#isClosed) return;
    const { label, target } = this.#options;
    const body = {
      protocol_version: PROTOCOL_VERSION,
      label,
      ...defined({ client: target.client }),
    };
    this.send({ frame: "handshake", id: 0, body });
  }

  #receive(data: unknown): void {
    if (this.#isClosed) return;
    if (this.#state === "greeted") this.#awaitNextBeat(); // frames before the greeting do not extend its time limit
    try {
      const frame = readServerFrame(data);
      if (frame !== undefined) this.#take(frame);
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) throw thrown;
      if (this.#state === "greeted") this.#options.reader.frame({ kind: "error", error: thrown });
      this.#refusal = thrown;
      this.close();
    }
  }

  #take(frame: ServerFrame): void {
    if (this.#state === "greeted") {
      this.#options.reader.frame(frame);
    } else if (frame.kind === "handshake") {
      this.#state = "greeted";
      this.#awaitNextBeat();
      this.#greeting.resolve(frame.greeting);
    } else if (frame.kind === "error") {
      this.#refusal = frame.error;
      this.close();
    }
  }

  #awaitNextBeat(): void {
    const { clock } = this.#options;
    this.#limit[Symbol.dispose]();
    this.#limit = clock.timer(PING_MS, () => {
      this.send({ frame: "ping" });
      this.#limit = clock.timer(PONG_MS_MAX, () => this.close());
    });
  }
}

/**
 * Returns why a WebSocket was refused: asks the same address with a plain request, because a WebSocket has no reason.
 */
async function whyNot(
  dependencies: LinkDependencies,
  target: LinkTarget,
  token: string,
  { signal, wasOpen }: { readonly signal: AbortSignal; readonly wasOpen: boolean },
): Promise<HarnessError> {
  const { url, clock } = dependencies;
  if (wasOpen) return unreachableError(url, new SocketClosed(true));
  const limit = new AbortController();
  using _timer = clock.timer(OPEN_MS_MAX, () => limit.abort(new Error("it does not answer")));
  let answer: Response;
  let text: string;
  try {
    answer = await dependencies.fetch(socketUrl(url, "http", target), {
      headers: { "x-harness-token": token },
      signal: AbortSignal.any([signal, limit.signal]),
    });
    text = await answerText(answer);
  } catch (thrown) {
    signal.throwIfAborted();
    return unreachableError(url, thrown);
  }
  const body = parseJson(text)?.value;
  if (answer.ok || answer.status === 426 || body === undefined) {
    return unreachableError(
      url,
      new Error(`it answers a request with ${answer.status}, and opens no WebSocket`),
    );
  }
  return refusalFromBody(body);
}

class SocketClosed extends Error {
  override readonly name = "SocketClosed";
  constructor(wasOpen: boolean) {
    super(wasOpen ? "the socket was closed before the handshake" : "the socket did not open");
  }
}
