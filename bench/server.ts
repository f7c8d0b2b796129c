import type { Socket } from "bun";
import { bytesOf, STREAM_HEAD, STREAM_TAIL } from "./wire.ts";

/** One request as the server saw it. */
export interface Asked {
  /** From 1. */
  readonly number: number;
  /** When its first byte was there, in milliseconds of `performance.now`. */
  readonly atMs: number;
  /** When the last byte of its answer had been handed to the kernel; absent while it has not. */
  readonly answeredAtMs?: number;
}

export type Answer =
  /** All events of a stream at once, each in a chunk of its own. */
  | { readonly kind: "events"; readonly events: readonly string[] }
  /** One event after the other, so many a second; told when one is handed to the kernel. */
  | {
      readonly kind: "paced";
      readonly events: readonly string[];
      readonly everyMs: number;
      readonly onSent?: (event: number) => void;
    }
  /** Nothing, and the connection stays open. */
  | { readonly kind: "stall" };

export interface ServerOptions {
  readonly answer: (number: number) => Answer;
  /** Called at the first byte of each request. */
  readonly onRequest?: (number: number) => void;
}

export interface BenchServer extends Disposable {
  readonly baseUrl: string;
  readonly asked: readonly Asked[];
  readonly connections: number;
  /** The body of the first request. */
  firstBody(): string;
  /** Resolves at the first byte of request `number`. */
  request(number: number): Promise<void>;
}

/**
 * A model provider that costs next to nothing: it finds the ends of requests and writes bytes that were made before.
 * It keeps the first body only, and understands none.
 */
export function openServer(options: ServerOptions): BenchServer {
  const asked: Asked[] = [];
  const waiting = new Map<number, () => void>();
  let connections = 0;
  let first = "";

  const server = Bun.listen<Client>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open(socket) {
        connections += 1;
        socket.data = new Client(socket, { begin, whole });
      },
      data: (socket, bytes) => socket.data.take(bytes),
      drain: (socket) => socket.data.flush(),
    },
  });

  function begin(): void {
    const number = asked.length + 1;
    asked.push({ number, atMs: performance.now() });
    options.onRequest?.(number);
    waiting.get(number)?.();
  }

  function whole(client: Client, body: () => string): void {
    const number = asked.length;
    if (number === 1) first = body();
    const answer = options.answer(number);
    const done = () => {
      const entry = asked[number - 1];
      if (entry !== undefined) asked[number - 1] = { ...entry, answeredAtMs: performance.now() };
    };
    if (answer.kind === "events") client.write(bytesOf(answer.events), done);
    else if (answer.kind === "paced") pace(client, answer, done);
  }

  return {
    baseUrl: `http://127.0.0.1:${server.port}/v1`,
    asked,
    get connections() {
      return connections;
    },
    firstBody: () => first,
    request: (number) =>
      asked.length >= number
        ? Promise.resolve()
        : new Promise((resolve) => waiting.set(number, () => resolve())),
    [Symbol.dispose]: () => server.stop(true),
  };
}

/** By the clock, not by pauses between events: a late timer is followed by several events at once. */
function pace(client: Client, answer: Extract<Answer, { kind: "paced" }>, done: () => void): void {
  const { events, everyMs, onSent = () => undefined } = answer;
  const startMs = performance.now();
  let sent = 0;
  client.write(STREAM_HEAD, () => undefined);
  const timer = setInterval(() => {
    const due = Math.min(events.length, Math.floor((performance.now() - startMs) / everyMs));
    for (; sent < due; sent++) {
      const event = sent;
      client.write(bytesOf(events.slice(event, event + 1), "middle"), () => onSent(event));
    }
    if (sent < events.length) return;
    clearInterval(timer);
    client.write(STREAM_TAIL, done);
  }, everyMs);
}

interface ClientHooks {
  readonly begin: () => void;
  readonly whole: (client: Client, body: () => string) => void;
}

/** One connection: where requests begin and end, and what waits to be written. */
class Client {
  readonly #socket: Socket<Client>;
  readonly #hooks: ClientHooks;
  #received: Uint8Array[] = [];
  #head = "";
  #missing: number | undefined;
  #waiting: { bytes: Uint8Array; readonly done: () => void }[] = [];

  constructor(socket: Socket<Client>, hooks: ClientHooks) {
    this.#socket = socket;
    this.#hooks = hooks;
  }

  take(bytes: Uint8Array): void {
    if (this.#received.length === 0) this.#hooks.begin();
    this.#received.push(new Uint8Array(bytes));
    if (this.#missing === undefined) this.#readHead();
    else this.#missing -= bytes.length;
    if (this.#missing !== 0) return;
    const { length } = this.#head;
    const parts = this.#received;
    this.#received = [];
    this.#head = "";
    this.#missing = undefined;
    this.#hooks.whole(this, () => Buffer.concat(parts).subarray(length).toString("utf8"));
  }

  /** The head of a request may come in pieces; its body is counted, not looked at. */
  #readHead(): void {
    const received = Buffer.concat(this.#received);
    const end = received.indexOf("\r\n\r\n");
    if (end === -1) return;
    this.#head = received.toString("latin1", 0, end + 4);
    const length = Number(/^content-length: *(\d+)/im.exec(this.#head)?.[1] ?? "0");
    this.#missing = this.#head.length + length - received.length;
  }

  write(bytes: Uint8Array, done: () => void): void {
    this.#waiting.push({ bytes, done });
    this.flush();
  }

  flush(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const written = Math.max(this.#socket.write(next.bytes), 0);
      next.bytes = next.bytes.subarray(written);
      if (next.bytes.length > 0) return;
      this.#waiting.shift();
      next.done();
    }
  }
}
