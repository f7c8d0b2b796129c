import type { Socket } from "bun";

const HEADERS_END = "\r\n\r\n";

export interface Received {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * One connection of a client, HTTP/1.1 written by hand.
 *
 * A server library stands between a test and the bytes: it holds headers back until the first byte of a body, and it
 * ends a broken answer politely. Here every stall and every cut is where the test wants it.
 */
export class Connection {
  readonly number: number;
  readonly #socket: Socket<Connection | undefined>;
  readonly #closed = new AbortController();
  #incoming = Buffer.alloc(0);
  #outgoing: Uint8Array[] = [];
  #drained: (() => void) | undefined;

  constructor(number: number, socket: Socket<Connection | undefined>) {
    this.number = number;
    this.#socket = socket;
  }

  /** Aborts when the client has gone, or was sent away. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Takes bytes in; answers with the requests that are now whole. */
  take(bytes: Buffer): readonly Received[] {
    this.#incoming = Buffer.concat([this.#incoming, bytes]);
    const requests: Received[] = [];
    for (let next = this.#cutRequest(); next !== undefined; next = this.#cutRequest()) requests.push(next);
    return requests;
  }

  #cutRequest(): Received | undefined {
    const end = this.#incoming.indexOf(HEADERS_END);
    if (end === -1) return undefined;
    const [first = "", ...lines] = this.#incoming.toString("latin1", 0, end).split("\r\n");
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const colon = line.indexOf(":");
      headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
    }
    const start = end + HEADERS_END.length;
    const length = Number(headers["content-length"] ?? "0");
    if (this.#incoming.length < start + length) return undefined;
    const body = this.#incoming.toString("utf8", start, start + length);
    this.#incoming = this.#incoming.subarray(start + length);
    const [method = "", target = ""] = first.split(" ");
    return { method, target, headers, body };
  }

  /** A whole answer with its length. */
  async answer(status: number, headers: Readonly<Record<string, string>>, body: string): Promise<void> {
    const bytes = Buffer.from(body);
    await this.write(head(status, { ...headers, "content-length": String(bytes.length) }));
    await this.write(bytes);
  }

  async startStream(headers: Readonly<Record<string, string>>): Promise<void> {
    await this.write(head(200, { ...headers, "transfer-encoding": "chunked" }));
  }

  async chunk(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return; // a chunk of no length would end the body
    await this.write(
      Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]),
    );
  }

  async endStream(): Promise<void> {
    await this.write(Buffer.from("0\r\n\r\n"));
  }

  /** Resolves once the bytes are in the kernel's hands, or the client has gone. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#outgoing.push(bytes);
    this.flush();
    if (this.#outgoing.length === 0) return;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
  }

  flush(): void {
    while (this.#outgoing.length > 0) {
      const [next = new Uint8Array()] = this.#outgoing;
      const written = Math.max(this.#socket.write(next), 0);
      if (written < next.length) {
        this.#outgoing[0] = next.subarray(written);
        return;
      }
      this.#outgoing.shift();
    }
    this.#drained?.();
    this.#drained = undefined;
  }

  hangUp(): void {
    this.#socket.terminate();
    this.ended();
  }

  ended(): void {
    this.#closed.abort();
    this.#outgoing = [];
    this.#drained?.();
  }
}

function head(status: number, headers: Readonly<Record<string, string>>): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`HTTP/1.1 ${status} Mock\r\n${lines.join("")}\r\n`);
}
