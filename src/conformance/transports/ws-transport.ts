import { defined } from "../../base/defined.ts";
import type { JsonObject } from "../../base/json.ts";
import { isObject, objectAt, parseJson, stringAt } from "../../base/json.ts";
import type { WebSocketLike } from "../../view/web-socket.ts";
import type { HttpAccess } from "../http-access.ts";
import { Mismatch } from "../mismatch.ts";
import { answerOf, askRest } from "./rest-transport.ts";
import type {
  AttachOptions,
  Client,
  CommandAnswer,
  FollowOptions,
  SilenceLimit,
  SuiteTransport,
} from "./transport.ts";
import { EventStream, Refused, refusedAnswer } from "./transport.ts";

/** Returns the transport WebSocket (docs/websocket.md). */
export function wsTransport(http: HttpAccess): SuiteTransport {
  return {
    name: "ws",
    async attach(token, options) {
      const client = new WsClient(http, token, options);
      await client.open();
      return client;
    },
  };
}

type SocketOptions = Pick<AttachOptions, "signal" | "patience"> & { readonly token: string };

/** An open socket that sends text and receives JSON. */
export class WsSocket implements AsyncDisposable {
  readonly frames: JsonObject[] = [];
  readonly #socket: WebSocketLike;
  readonly #signal: AbortSignal;
  readonly #patience: SilenceLimit | undefined;
  readonly #closed = Promise.withResolvers<void>();
  readonly #wakes = new Set<() => void>();
  #end: { readonly code: number; readonly reason: string } | undefined;
  #isOpen = false;
  onFrame: (frame: JsonObject) => void = () => undefined;
  onClosed: () => void = () => undefined;

  constructor(http: HttpAccess, query: string, { token, signal, patience }: SocketOptions) {
    this.#signal = signal;
    this.#patience = patience;
    this.#socket = http.openSocket(`/v1/ws${query}`, ["cinch.v1", `cinch.token.${token}`]);
    this.#socket.addEventListener("open", () => {
      this.#isOpen = true;
      this.#wake();
    });
    this.#socket.addEventListener("error", () => undefined); // the cause is not reported; the socket is closed then
    this.#socket.addEventListener("message", ({ data }) => {
      const value = typeof data === "string" ? parseJson(data)?.value : undefined;
      const frame = isObject(value) ? value : { frame: "(unreadable)", body: {} };
      this.frames.push(frame);
      this.onFrame(frame);
      this.#wake();
    });
    this.#socket.addEventListener("close", (end) => {
      this.#end = end;
      this.#closed.resolve();
      this.onClosed();
      this.#wake();
    });
  }

  get end(): { readonly code: number; readonly reason: string } | undefined {
    return this.#end;
  }

  /** Waits until the socket is open. @throws Refused if it was closed before it opened. */
  async open(): Promise<void> {
    await this.#until("the socket opens", () => this.#isOpen || this.#end !== undefined);
    if (!this.#isOpen) throw new Refused("the socket", refusedAnswer({ message: this.#end?.reason ?? "" }));
  }

  send(frame: unknown): void {
    this.#socket.send(
      typeof frame === "string" || frame instanceof Uint8Array ? (frame as string) : JSON.stringify(frame),
    );
  }

  /** Waits for the first frame that satisfies `wanted`. @throws Mismatch if the socket closes first. */
  async until(what: string, wanted: (frame: JsonObject) => boolean): Promise<JsonObject> {
    let found: JsonObject | undefined;
    await this.#until(what, () => {
      found ??= this.frames.find(wanted);
      return found !== undefined || this.#end !== undefined;
    });
    if (found !== undefined) return found;
    throw new Mismatch(what, "it comes", `the socket was closed: ${this.#end?.code} ${this.#end?.reason}`);
  }

  async closed(what: string): Promise<{ readonly code: number; readonly reason: string }> {
    await this.#until(what, () => this.#end !== undefined);
    return this.#end ?? { code: 0, reason: "" };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close();
    // If the server sends no close, the wait ends with the scenario.
    this.#signal.addEventListener("abort", () => this.#closed.resolve(), { once: true });
    if (!this.#signal.aborted) await this.#closed.promise;
  }

  async #until(what: string, isDone: () => boolean): Promise<void> {
    const onAbort = () => this.#wake();
    this.#signal.addEventListener("abort", onAbort);
    try {
      const { ms = 0 } = this.#patience ?? {};
      let isSilent = false;
      while (!isDone()) {
        if (this.#signal.aborted)
          throw new Mismatch(what, "it comes", `nothing after ${this.frames.length} frames`);
        if (isSilent)
          throw new Mismatch(
            what,
            "it comes",
            `nothing for ${ms / 1_000} s after ${this.frames.length} frames`,
          );
        using _limit = this.#patience?.timer(ms, () => {
          isSilent = true;
          this.#wake();
        });
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wakes.add(resolve);
        await promise;
        this.#wakes.delete(resolve);
      }
    } finally {
      this.#signal.removeEventListener("abort", onAbort);
    }
  }

  #wake(): void {
    for (const wake of [...this.#wakes]) wake();
  }
}

class WsClient implements Client {
  readonly #http: HttpAccess;
  readonly #token: string;
  readonly #options: AttachOptions;
  readonly #socket: WsSocket;
  readonly #followed = new Set<WsSocket>();
  #id: string | undefined;
  #number = 0;

  constructor(http: HttpAccess, token: string, options: AttachOptions) {
    this.#http = http;
    this.#token = token;
    this.#options = options;
    this.#socket = new WsSocket(http, "", { ...options, token });
  }

  get id(): string | undefined {
    return this.#id;
  }

  /** @throws Refused. */
  async open(): Promise<void> {
    await this.#open(this.#socket, "");
    if (!this.#options.shake) return;
    const answer = await this.handshake(this.#options.version);
    if (answer.kind === "refused") throw new Refused("the handshake", answer);
  }

  async handshake(version: string): Promise<CommandAnswer> {
    return await this.#ask("handshake", { protocol_version: version, label: "conformance" });
  }

  async send(command: JsonObject): Promise<CommandAnswer> {
    return await this.#ask("command", command);
  }

  async follow(session: string, since?: number, { args }: FollowOptions = {}): Promise<EventStream> {
    const { signal, version, patience } = this.#options;
    const last = since === undefined ? "" : `&lastEventId=${since}`;
    const query = `?session=${encodeURIComponent(session)}${last}${args === undefined ? "" : "&args=true"}`;
    const socket = new WsSocket(this.#http, query, { ...this.#options, token: this.#token });
    this.#followed.add(socket);
    const stream = new EventStream(signal, () => socket[Symbol.asyncDispose](), patience);
    socket.onClosed = () => stream.end();
    socket.onFrame = (frame) => {
      const event = frame["frame"] === "event" ? objectAt(frame, "body") : undefined;
      if (event !== undefined) stream.push(event);
    };
    await this.#open(socket, query);
    const client = defined({ client: this.#id });
    socket.send({ frame: "handshake", id: 0, body: { protocol_version: version, ...client } });
    const greeting = await socket.until(
      "an answer to the handshake",
      ({ id, frame }) => id === 0 || frame === "error",
    );
    if (greeting["frame"] === "error") throw new Refused("the event stream", refusedAnswer(greeting["body"]));
    return stream;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#socket, ...this.#followed].map((socket) => socket[Symbol.asyncDispose]()));
  }

  /** Asks with a plain request why the socket did not open. @throws Refused. */
  async #open(socket: WsSocket, query: string): Promise<void> {
    try {
      await socket.open();
    } catch (thrown) {
      const { signal } = this.#options;
      const asked = await askRest(this.#http, `/v1/ws${query}`, { token: this.#token, signal });
      const answer = await answerOf(asked);
      if (answer.kind === "accepted" || answer.reason === "") throw thrown;
      throw new Refused("the socket", answer);
    }
  }

  async #ask(frame: string, body: JsonObject): Promise<CommandAnswer> {
    this.#number += 1;
    const number = this.#number;
    this.#socket.send({ frame, id: number, body });
    const answer = await this.#socket.until(
      `an answer to ${stringAt(body, "kind") ?? frame}`,
      ({ id }) => id === number,
    );
    this.#id ??= stringAt(answer, "client");
    if (answer["frame"] === "error") return refusedAnswer(answer["body"]);
    return { kind: "accepted", body: objectAt(answer, "body") ?? {} };
  }
}
