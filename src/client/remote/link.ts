import { HarnessError } from "../../base/errors.ts";
import type { EventSeq, SessionId } from "../../base/ids.ts";
import { parseJson } from "../../base/json.ts";
import type { Clock } from "../../base/world.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import type { WebSocketLike } from "../../view/web-socket.ts";
import type { Greeting, ServerFrame } from "./wire.ts";
import { answerText, readServerFrame, refusalOf, socketUrl, unreachable } from "./wire.ts";

/** How long a socket may take to open and to greet. */
export const OPEN_MS_MAX = 15_000;
/** The engine is asked for a sign of life so often, and has so long to give it: a wire that was cut says nothing. */
export const PING_MS = 30_000;
export const PONG_MS_MAX = 15_000;

export interface LinkParts {
  /** `http://127.0.0.1:PORT`; for a Unix socket any, with a `fetch` and an `openSocket` that go there. */
  readonly url: string;
  /** Asked before each socket, so that it may be a new one. */
  readonly token: () => string | Promise<string>;
  readonly openSocket: (url: string, protocols: string[]) => WebSocketLike;
  readonly fetch: (
    url: string,
    init: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
  ) => Promise<Response>;
  readonly clock: Clock;
  /** What the client calls itself, for people. */
  readonly label: string;
}

export interface LinkTarget {
  readonly session?: SessionId;
  readonly since?: EventSeq;
  /** The client to go on as. */
  readonly client?: string;
}

/** One open socket that has been greeted. */
export interface Link {
  readonly greeting: Greeting;
  readonly isOpen: boolean;
  send(frame: object): void;
  close(): void;
}

export interface LinkReader {
  /** Every frame but the greeting, in order. */
  frame(frame: ServerFrame): void;
  /** Called once. */
  closed(): void;
}

/**
 * Opens a socket and makes the handshake.
 * @throws HarnessError what the engine refuses it with, EngineUnreachable, HandshakeVersionMismatch; the signal's reason.
 */
export async function openLink(
  parts: LinkParts,
  target: LinkTarget,
  reader: LinkReader,
  signal: AbortSignal,
): Promise<Link> {
  signal.throwIfAborted();
  const { clock, label } = parts;
  const token = await parts.token();
  const url = socketUrl(parts.url, "ws", target);
  const socket = parts.openSocket(url, ["cinch.v1", `cinch.token.${token}`]);
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
  /** It may be long until a socket that nobody answers on says that it has closed. */
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
  socket.addEventListener("error", () => undefined); // what it was, nobody is told; it is closed then
  socket.addEventListener("close", over);
  socket.addEventListener("message", ({ data }) => {
    if (isClosed) return;
    if (isGreeted) awaitNextBeat(); // what comes before the greeting gains it no time
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
    throw await whyNot(parts, target, token, { signal, wasOpen: isOpen });
  }
}

/** A WebSocket does not say why it was refused: the same address does, to a plain request. */
async function whyNot(
  parts: LinkParts,
  target: LinkTarget,
  token: string,
  { signal, wasOpen }: { readonly signal: AbortSignal; readonly wasOpen: boolean },
): Promise<HarnessError> {
  const { url, clock } = parts;
  if (wasOpen) return unreachable(url, new SocketClosed(true));
  const limit = new AbortController();
  using _timer = clock.timer(OPEN_MS_MAX, () => limit.abort(new Error("it does not answer")));
  let answer: Response;
  let text: string;
  try {
    answer = await parts.fetch(socketUrl(url, "http", target), {
      headers: { "x-harness-token": token },
      signal: AbortSignal.any([signal, limit.signal]),
    });
    text = await answerText(answer);
  } catch (thrown) {
    signal.throwIfAborted();
    return unreachable(url, thrown);
  }
  const body = parseJson(text)?.value;
  if (answer.ok || answer.status === 426 || body === undefined) {
    return unreachable(url, new Error(`it answers a request with ${answer.status}, and opens no WebSocket`));
  }
  return refusalOf(body);
}

class SocketClosed extends Error {
  override readonly name = "SocketClosed";
  constructor(wasOpen: boolean) {
    super(wasOpen ? "the socket was closed before the handshake" : "the socket did not open");
  }
}
