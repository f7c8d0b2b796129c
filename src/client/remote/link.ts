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
  const { clock, label } = dependencies;
  const token = await dependencies.token();
  const url = socketUrl(dependencies.url, "ws", target);
  const socket = dependencies.openSocket(url, ["cinch.v1", `cinch.token.${token}`]);
  const opening = Promise.withResolvers<Greeting>();
  let [isOpen, isGreeted, isClosed] = [false, false, false];
  let refusal: HarnessError | undefined;
  let beat: Disposable | undefined;

  function awaitNextBeat(): void {
    beat?.[Symbol.dispose]();
    beat = clock.timer(PING_MS, () => {
      socket.send(JSON.stringify({ frame: "ping" }));
      beat = clock.timer(PONG_MS_MAX, over);
    });
  }
  /** Reports the end at once: a socket without a peer may take long to emit `close`. */
  function over(): void {
    if (isClosed) return;
    isClosed = true;
    beat?.[Symbol.dispose]();
    signal.removeEventListener("abort", over);
    socket.close();
    if (isGreeted) reader.closed();
    else opening.reject(refusal ?? new SocketClosed(isOpen));
  }
  function take(frame: ServerFrame | undefined): void {
    if (frame === undefined) return;
    if (isGreeted) {
      reader.frame(frame);
    } else if (frame.kind === "handshake") {
      isGreeted = true;
      awaitNextBeat();
      opening.resolve(frame.greeting);
    } else if (frame.kind === "error") {
      refusal = frame.error;
      over();
    }
  }

  socket.addEventListener("open", () => {
    isOpen = true;
    if (isClosed) return;
    const body = {
      protocol_version: PROTOCOL_VERSION,
      label,
      ...(target.client === undefined ? {} : { client: target.client }),
    };
    socket.send(JSON.stringify({ frame: "handshake", id: 0, body }));
  });
  socket.addEventListener("error", () => undefined); // it has no detail, and `close` follows
  socket.addEventListener("close", over);
  socket.addEventListener("message", ({ data }) => {
    if (isClosed) return;
    if (isGreeted) awaitNextBeat(); // frames before the greeting do not extend its time limit
    try {
      take(readServerFrame(data));
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) throw thrown;
      if (isGreeted) reader.frame({ kind: "error", error: thrown });
      refusal = thrown;
      over();
    }
  });
  signal.addEventListener("abort", over, { once: true });
  beat = clock.timer(OPEN_MS_MAX, over);
  try {
    const greeting = await opening.promise;
    return {
      greeting,
      get isOpen() {
        return !isClosed;
      },
      send: (frame) => socket.send(JSON.stringify(frame)),
      close: over,
    };
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof HarnessError) throw thrown;
    throw await whyNot(dependencies, target, token, { signal, wasOpen: isOpen });
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
