import type { Placed } from "./envelope.ts";
import { checkedEnvelope } from "./envelope.ts";
import { CinchError, invalidAnswer, refusalOf, unreachable } from "./errors.ts";
import type { Http } from "./http.ts";
import type { Limits } from "./limits.ts";
import { PROTOCOL_VERSION } from "./protocol.ts";
import type { OpenStretch, Target } from "./stretch.ts";

/** The part of the web's WebSocket that is used here. */
export interface WebSocketLike {
  send(text: string): void;
  close(): void;
  addEventListener(kind: "open" | "error", listener: () => void): void;
  addEventListener(kind: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(
    kind: "close",
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
}

export type WebSocketClass = new (url: string, protocols: string[]) => WebSocketLike;

/** Events that wait for their reader. One that is slower gets the rest in the next stretch, from the engine's log. */
const WAITING_MAX = 4_096;
/** The close codes of refusals: this and an HTTP status. */
const REFUSED = 4_000;
const STATUS_MIN = 400;

export interface SocketParts {
  readonly http: Http;
  readonly limits: Limits;
  readonly socketClass: WebSocketClass;
  readonly label: string | undefined;
}

/**
 * Events over WebSockets. The token goes in a subprotocol: pages can set no header. A WebSocket cannot be read
 * slowly, so one whose reader is far behind is closed, and the next goes on where that has come to.
 */
export function socketStretches(parts: SocketParts): OpenStretch {
  return async function* socketStretch(target) {
    const token = await parts.http.token();
    target.signal.throwIfAborted();
    const socket = new SocketStretch(parts, target, token);
    try {
      yield* socket.read();
    } finally {
      socket.close();
    }
    if (socket.hasOpened || target.signal.aborted) return;
    throw await whyNot(parts.http, target);
  };
}

class SocketStretch {
  readonly #parts: SocketParts;
  readonly #target: Target;
  readonly #socket: WebSocketLike;
  readonly #waiting: Placed[] = [];
  #wake: () => void = () => undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;
  #failure: Error | undefined;
  hasOpened = false;

  constructor(parts: SocketParts, target: Target, token: string) {
    [this.#parts, this.#target] = [parts, target];
    const address = `${parts.http.url.replace(/^http/, "ws")}${socketPath(target)}`;
    this.#socket = new parts.socketClass(address, ["cinch.v1", `cinch.token.${token}`]);
    this.#socket.addEventListener("open", () => this.#shake());
    // What it was, nobody is told. Not every platform closes it then.
    this.#socket.addEventListener("error", () => this.close());
    this.#socket.addEventListener("message", ({ data }) => this.#message(data));
    this.#socket.addEventListener("close", ({ code, reason }) => this.#closed(code, reason));
    target.signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#awaitSign(parts.limits.answerMs);
  }

  async *read(): AsyncGenerator<Placed, void> {
    while (true) {
      const placed = this.#waiting.shift();
      if (placed !== undefined) yield placed;
      else if (this.#failure !== undefined) throw this.#failure;
      else if (this.#isOver) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#target.signal.throwIfAborted();
    }
  }

  /** Harmless where it was closed: some platforms tell of an error within the closing. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#target.signal.removeEventListener("abort", this.#onAbort);
    this.#socket.close();
    this.#wake();
  }

  readonly #onAbort = () => this.close();

  #shake(): void {
    const { label } = this.#parts;
    const body = { protocol_version: PROTOCOL_VERSION, ...(label === undefined ? {} : { label }) };
    if (!this.#isOver) this.#socket.send(JSON.stringify({ frame: "handshake", id: 0, body }));
  }

  #message(data: unknown): void {
    if (this.#isOver) return;
    try {
      this.#take(data);
    } catch (thrown) {
      this.#fail(thrown as Error);
    }
    // Whoever talks and never greets is no engine, and has only the time for an answer.
    if (this.hasOpened && !this.#isOver) this.#awaitSign(this.#parts.limits.silenceMs);
  }

  /** Frames of a kind that this version does not know are passed over. */
  #take(data: unknown): void {
    const { url } = this.#parts.http;
    if (typeof data !== "string") throw invalidAnswer(url, "a message that is no text");
    if (data.length > this.#parts.limits.answerBytesMax)
      throw invalidAnswer(url, "a message above the limit");
    const { frame, body } = Object(parsedFrame(data, url)) as {
      readonly frame?: unknown;
      readonly body?: unknown;
    };
    if (frame === "error") this.#fail(refusalOf(body, url));
    if (frame === "handshake") this.hasOpened = true;
    if (this.hasOpened) this.#target.onSign();
    if (frame !== "event") return;
    this.#waiting.push(checkedEnvelope(body));
    this.#wake();
    if (this.#waiting.length > WAITING_MAX) this.close();
  }

  #closed(code: number, reason: string): void {
    const isRefusal = code >= REFUSED + STATUS_MIN && reason !== "";
    if (isRefusal && !this.#isOver && this.#failure === undefined)
      this.#fail(
        new CinchError(reason, `The engine has closed the socket: ${reason}`, { status: code - REFUSED }),
      );
    this.close();
  }

  #fail(failure: Error): void {
    this.#failure ??= failure;
    this.close();
  }

  /**
   * A wire that was cut says nothing, so the engine is asked for a sign of life, and has the rest of the time for it.
   */
  #awaitSign(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.hasOpened) this.#socket.send(JSON.stringify({ frame: "ping" }));
      this.#timer = setTimeout(
        () => this.#fail(unreachable(this.#parts.http.url, `its socket brings nothing, for ${ms} ms`)),
        ms / 2,
      );
    }, ms / 2);
  }
}

function parsedFrame(text: string, url: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalidAnswer(url, "a message that is no JSON", { cause });
  }
}

function socketPath({ session, since, args }: Target): string {
  return `/v1/ws?session=${encodeURIComponent(session)}&lastEventId=${since}${args ? "&args=true" : ""}`;
}

/** A WebSocket does not say why it was refused; the same address does, to a plain request. */
async function whyNot(http: Http, target: Target): Promise<unknown> {
  const noSocket = unreachable(http.url, "it opens no WebSocket");
  try {
    await http.request("GET", socketPath(target), { signal: target.signal });
    return noSocket;
  } catch (thrown) {
    const isWell = thrown instanceof CinchError && thrown.status === 426; // it wants a WebSocket, as it should
    return isWell ? noSocket : thrown;
  }
}
