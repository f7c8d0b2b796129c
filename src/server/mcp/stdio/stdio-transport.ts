import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { serializeMessage } from "@modelcontextprotocol/server";

/** Characters that wait to be written; above this nothing more is read, and no event is sent. */
const PENDING_CHARS_MAX = 1_048_576;

/**
 * Writes the messages of a server over standard input and output: one after the other, as fast as they are read at the
 * other end. Writers can wait for room.
 */
export class McpStdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Called with each message before it is written. */
  readonly #leaving: (message: JSONRPCMessage) => void;
  readonly #write: (text: string) => Promise<void>;
  #order: Promise<void> = Promise.resolve();
  #pendingChars = 0;
  #waiting: (() => void)[] = [];
  #isClosed = false;

  constructor(write: (text: string) => Promise<void>, leaving: (message: JSONRPCMessage) => void) {
    this.#write = write;
    this.#leaving = leaving;
  }

  async start(): Promise<void> {
    // Input comes through `deliver`.
  }

  /** Hands the server a message. */
  deliver(message: JSONRPCMessage): void {
    if (!this.#isClosed) this.onmessage?.(message);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return;
    this.#leaving(message);
    const text = serializeMessage(message);
    this.#pendingChars += text.length;
    const written = this.#order.then(() => this.#write(text));
    this.#order = written.then(
      () => this.#countRead(text.length),
      (thrown: unknown) => {
        this.#countRead(text.length);
        this.onerror?.(thrown instanceof Error ? thrown : new Error(String(thrown)));
        void this.close(); // nobody reads any more
      },
    );
    await this.#order;
  }

  /** Resolves when little waits to be written, or when nothing ever will be again. */
  async room(): Promise<void> {
    if (this.#isClosed || this.#pendingChars <= PENDING_CHARS_MAX) return;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Resolves when everything that was sent has been written. */
  async flushed(): Promise<void> {
    await this.#order;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#wake();
    this.onclose?.();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  #countRead(chars: number): void {
    this.#pendingChars -= chars;
    if (this.#pendingChars <= PENDING_CHARS_MAX) this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
