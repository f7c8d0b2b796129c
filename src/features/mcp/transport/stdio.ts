import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { messageOf } from "../../../base/errors.ts";
import { isObject, parseMessage } from "../../../base/json.ts";
import type { Log } from "../../../base/log.ts";
import { decode, encode, shortened } from "../../../base/text/text.ts";
import type { Child, Clock, Exit } from "../../../base/world.ts";
import { visibleLine } from "../../../safety/hidden.ts";
import { NotSent } from "../server/outcome.ts";
import { MESSAGES_PER_SECOND_MAX, RateLimit, SERVER_MESSAGE_BYTES_MAX } from "./server-limits.ts";

/** Consecutive bytes that are not messages. */
export const GARBAGE_BYTES_MAX = 1024 * 1024;
/** Bytes waiting for a server that does not read. */
const WAITING_BYTES_MAX = 32 * 1024 * 1024;
const ERROR_BYTES_PER_SECOND_MAX = 1024 * 1024;
/** Bytes parsed per second, more than one longest message: a few long messages cost much work too. */
const BYTES_PER_SECOND_MAX = 20 * 1024 * 1024;
/** Lines of one server written to the operational log. */
const LOGGED_LINES_MAX = 200;
const LOGGED_LINE_CHARACTERS_MAX = 500;
const LAST_WORDS_CHARACTERS_MAX = 200;
/** The longest time for a server to end by itself after its input was closed ([A] § Idle-shutdown). */
export const SHUTDOWN_MS_MAX = 5_000;
/** The longest wait for the exit of a server that has closed its output. Then it is killed. */
export const LAST_WORDS_MS_MAX = 1_000;
const NEWLINE = 10;

export interface StdioTransportDependencies {
  /** Spawned with `talks`. The transport ends it. */
  readonly child: Child;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The transport to a server that is a child process: one message per line on its standard input and output. It closes
 * when the process has ended, or has closed its output.
 *
 * Output is read at a limited rate and not buffered beyond that. A flood, an endless message or lines that are no
 * messages close this transport and affect nothing else. Standard error goes to the operational log, within limits.
 */
export class ServerStdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #dependencies: StdioTransportDependencies;
  readonly #over = new AbortController();
  #waitingBytes = 0;
  #logged = 0;
  #lastWords = "";
  #problem: string | undefined;
  #closing: Promise<void> | undefined;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(dependencies: StdioTransportDependencies) {
    this.#dependencies = dependencies;
  }

  /** Reason why it closed, in words; undefined while it is open, or if we closed it. */
  get problem(): string | undefined {
    return this.#problem;
  }

  start(): Promise<void> {
    const { child } = this.#dependencies;
    const messages = this.#readMessages();
    const read = Promise.all([messages, this.#readErrors()]);
    this.#reading = Promise.all([read, this.#watch(child.exited, read), this.#watchOutput(messages)]);
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const bytes = encode(`${JSON.stringify(message)}\n`);
    const { input } = this.#dependencies.child;
    if (input === undefined) await this.#isOver(); // it could not be started; the reason follows
    if (input === undefined || this.#over.signal.aborted) throw new NotSent(this.#problem ?? "it was ended");
    if (bytes.length > SERVER_MESSAGE_BYTES_MAX) throw new NotSent("what it was to be sent is too large");
    if (this.#waitingBytes + bytes.length > WAITING_BYTES_MAX)
      throw new NotSent("it does not read its input");
    this.#waitingBytes += bytes.length;
    try {
      await input.write(bytes);
    } catch (thrown) {
      // Usually the process has ended, which is noticed a moment later. One that lives but does not read is useless.
      this.#dependencies.child.kill("SIGKILL");
      await this.#isOver();
      throw new Error(this.#problem ?? messageOf(thrown), { cause: thrown });
    } finally {
      this.#waitingBytes -= bytes.length;
    }
  }

  #isOver(): Promise<void> {
    const { signal } = this.#over;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  }

  /** Closes the input, waits for the process to end, then ends it with all of its descendants. */
  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    const { child, clock } = this.#dependencies;
    child.input?.end();
    if (this.#problem === undefined) {
      const exited = new AbortController();
      const waiting = clock.sleep(SHUTDOWN_MS_MAX, exited.signal).catch(() => undefined);
      await Promise.race([child.exited, waiting]);
      exited.abort(new Error("it has ended"));
    }
    this.#end();
    await child[Symbol.asyncDispose]();
    await this.#reading;
  }

  /** Closes the transport once, and calls `onclose`. */
  #end(problem?: string): void {
    if (this.#over.signal.aborted) return;
    this.#problem ??= problem;
    this.#over.abort(new Error(problem ?? "it was ended"));
    this.onclose?.();
  }

  async #watch(exited: Promise<Exit>, read: Promise<unknown>): Promise<void> {
    const exit = await exited;
    await read; // the pipe may still hold an answer and its last words
    if (this.#closing !== undefined) return;
    const suffix = this.#lastWords === "" ? "" : `; it said: ${this.#lastWords}`;
    this.#end(`${exitText(exit)}${suffix}`);
  }

  /** Closes the transport of a process without an output: it can no longer answer. */
  async #watchOutput(read: Promise<void>): Promise<void> {
    await read;
    if (this.#over.signal.aborted || this.#closing !== undefined) return;
    const { child, clock } = this.#dependencies;
    const waiting = clock.sleep(LAST_WORDS_MS_MAX, this.#over.signal).then(
      () => true,
      () => false, // it closed, with a known reason
    );
    if (await Promise.race([waiting, child.exited.then(() => false)])) this.#end("it closed its output");
  }

  async #readMessages(): Promise<void> {
    const { child, clock } = this.#dependencies;
    const pace = new RateLimit(clock, MESSAGES_PER_SECOND_MAX);
    const bytesPace = new RateLimit(clock, BYTES_PER_SECOND_MAX);
    const lines = new LineBuffer();
    let garbage = 0;
    try {
      for await (const bytes of child.stdout) {
        for (const line of lines.push(bytes)) {
          if (this.#over.signal.aborted) return;
          const message = messageFrom(line);
          if (message === undefined) {
            garbage += line.length + 1;
            this.#log("it wrote a line that is not a message", decode(line));
          } else {
            garbage = 0;
            this.onmessage?.(message);
            await pace.spend(1, this.#over.signal);
          }
          if (garbage > GARBAGE_BYTES_MAX) return this.#end("it writes what is not a message");
        }
        if (lines.length > SERVER_MESSAGE_BYTES_MAX)
          return this.#end("it began a message of more than 16 MiB");
        await bytesPace.spend(bytes.length, this.#over.signal);
      }
    } catch (thrown) {
      if (!this.#over.signal.aborted) this.#end(`it cannot be read: ${messageOf(thrown)}`);
    }
  }

  async #readErrors(): Promise<void> {
    const { child, clock } = this.#dependencies;
    const pace = new RateLimit(clock, ERROR_BYTES_PER_SECOND_MAX);
    let line = "";
    try {
      for await (const bytes of child.stderr) {
        if (this.#over.signal.aborted) return;
        const texts = (line + decode(bytes)).split("\n");
        line = (texts.pop() ?? "").slice(0, LOGGED_LINE_CHARACTERS_MAX);
        for (const text of texts) this.#onStderr(text);
        await pace.spend(bytes.length, this.#over.signal);
      }
      this.#onStderr(line);
    } catch (thrown) {
      if (!this.#over.signal.aborted)
        this.onerror?.(new Error(`its errors cannot be read: ${messageOf(thrown)}`));
    }
  }

  #onStderr(text: string): void {
    if (text.trim() === "") return;
    this.#lastWords = shortened(visibleLine(text.trim()), LAST_WORDS_CHARACTERS_MAX);
    this.#log("it wrote to standard error", text);
  }

  #log(what: string, text: string): void {
    this.#logged += 1;
    if (this.#logged > LOGGED_LINES_MAX) return;
    const { log } = this.#dependencies;
    log.write("info", what, { text: shortened(visibleLine(text), LOGGED_LINE_CHARACTERS_MAX) });
    if (this.#logged === LOGGED_LINES_MAX) log.write("info", "further output is not logged");
  }
}

function messageFrom(line: Uint8Array): JSONRPCMessage | undefined {
  const value = parseMessage(decode(line))?.value;
  // The protocol's own parser reports any other problem.
  return isObject(value) && value["jsonrpc"] === "2.0" ? (value as unknown as JSONRPCMessage) : undefined;
}

function exitText(exit: Exit): string {
  switch (exit.kind) {
    case "code":
      return `it ended with the exit code ${exit.code}`;
    case "signal":
      return `it was ended by ${exit.signal}`;
    case "failed":
      return exit.error.message;
  }
}

/** Splits bytes into lines, however they were chunked. */
export class LineBuffer {
  #parts: Uint8Array[] = [];
  #length = 0;

  /** Bytes of the unfinished line. */
  get length(): number {
    return this.#length;
  }

  *push(bytes: Uint8Array): Generator<Uint8Array> {
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
      const last = bytes.subarray(from, end);
      from = end + 1;
      const line = this.#parts.length === 0 ? last : Buffer.concat([...this.#parts, last]);
      this.#parts = [];
      this.#length = 0;
      if (line.length > 0) yield line;
    }
    if (from === bytes.length) return;
    this.#parts.push(bytes.slice(from));
    this.#length += bytes.length - from;
  }
}
