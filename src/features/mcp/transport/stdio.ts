import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { messageOf } from "../../../base/errors.ts";
import { isObject, parseMessage } from "../../../base/json.ts";
import type { Log } from "../../../base/log.ts";
import { decode, encode, shortened } from "../../../base/text/text.ts";
import type { Child, Clock, Exit } from "../../../base/world.ts";
import { visible } from "../../../safety/hidden.ts";
import { NotSent } from "../server/outcome.ts";
import { MESSAGES_PER_SECOND_MAX, Pace } from "./pace.ts";

/** One message: more than the largest result that is taken. */
export const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
/** Bytes that are no messages, in a row. */
export const GARBAGE_BYTES_MAX = 1024 * 1024;
/** What waits to be written to a server that does not read. */
const WAITING_BYTES_MAX = 32 * 1024 * 1024;
const ERROR_BYTES_PER_SECOND_MAX = 1024 * 1024;
/** Few messages can be much work too: more than the longest of them is not taken apart in a second. */
const BYTES_PER_SECOND_MAX = 20 * 1024 * 1024;
/** Lines of a server's that are kept in the operational log. */
const LOGGED_LINES_MAX = 200;
const LOGGED_LINE_CHARACTERS_MAX = 500;
const LAST_WORDS_CHARACTERS_MAX = 200;
/** How long a server may take to end by itself once its input was closed ([A] § Idle-shutdown). */
export const SHUTDOWN_MS_MAX = 5_000;
/** A server that has closed its output is on its way out: how it ends is waited for so long, and then it is ended. */
export const LAST_WORDS_MS_MAX = 1_000;
const NEWLINE = 10;

export interface StdioParts {
  /** Started with `talks`; the transport ends it. */
  readonly child: Child;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The wire to a server that is a process of ours: a message a line, on its standard input and output. It is over when the
 * process has ended, and when that can say nothing any more.
 *
 * What it writes is read no faster than it may talk, and never kept: a flood, a message without end or lines that are no
 * messages end this wire, and harm nobody else. What it says on standard error goes to the operational log, as far as
 * there is room for it.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #parts: StdioParts;
  readonly #over = new AbortController();
  #waitingBytes = 0;
  #logged = 0;
  #lastWords = "";
  #problem: string | undefined;
  #closing: Promise<void> | undefined;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(parts: StdioParts) {
    this.#parts = parts;
  }

  /** Why it is over, in words; undefined while it is not, or where we closed it. */
  get problem(): string | undefined {
    return this.#problem;
  }

  start(): Promise<void> {
    const { child } = this.#parts;
    const messages = this.#readMessages();
    const read = Promise.all([messages, this.#readErrors()]);
    this.#reading = Promise.all([read, this.#watch(child.exited, read), this.#watchOutput(messages)]);
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const bytes = encode(`${JSON.stringify(message)}\n`);
    const { input } = this.#parts.child;
    if (input === undefined) await this.#isOver(); // it could not be started: why is about to be told
    if (input === undefined || this.#over.signal.aborted) throw new NotSent(this.#problem ?? "it was ended");
    if (bytes.length > MESSAGE_BYTES_MAX) throw new NotSent("what it was to be sent is too large");
    if (this.#waitingBytes + bytes.length > WAITING_BYTES_MAX)
      throw new NotSent("it does not read what it is sent");
    this.#waitingBytes += bytes.length;
    try {
      await input.write(bytes);
    } catch (thrown) {
      // Mostly it has ended, which is seen a moment later. What lives and does not read is of no use.
      this.#parts.child.kill("SIGKILL");
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

  /** Closes its input, waits for its end, and then ends it with every process that it has started. */
  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    const { child, clock } = this.#parts;
    child.input?.end();
    if (this.#problem === undefined) {
      const patience = new AbortController();
      const waiting = clock.sleep(SHUTDOWN_MS_MAX, patience.signal).catch(() => undefined);
      await Promise.race([child.exited, waiting]);
      patience.abort(new Error("it has ended"));
    }
    this.#end();
    await child[Symbol.asyncDispose]();
    await this.#reading;
  }

  /** Once: whatever waits for it is told. */
  #end(problem?: string): void {
    if (this.#over.signal.aborted) return;
    this.#problem ??= problem;
    this.#over.abort(new Error(problem ?? "it was ended"));
    this.onclose?.();
  }

  async #watch(exited: Promise<Exit>, read: Promise<unknown>): Promise<void> {
    const exit = await exited;
    await read; // an answer may lie in the pipe yet, and its last words
    if (this.#closing !== undefined) return;
    const said = this.#lastWords === "" ? "" : `; it said: ${this.#lastWords}`;
    this.#end(`${exitText(exit)}${said}`);
  }

  /** A process that lives on without an output answers nothing: it is as good as ended. */
  async #watchOutput(read: Promise<void>): Promise<void> {
    await read;
    if (this.#over.signal.aborted || this.#closing !== undefined) return;
    const { child, clock } = this.#parts;
    const waiting = clock.sleep(LAST_WORDS_MS_MAX, this.#over.signal).then(
      () => true,
      () => false, // it is over, and why is known
    );
    if (await Promise.race([waiting, child.exited.then(() => false)])) this.#end("it closed its output");
  }

  async #readMessages(): Promise<void> {
    const { child, clock } = this.#parts;
    const pace = new Pace(clock, MESSAGES_PER_SECOND_MAX);
    const bytesPace = new Pace(clock, BYTES_PER_SECOND_MAX);
    const lines = new Lines();
    let garbage = 0;
    try {
      for await (const bytes of child.stdout) {
        for (const line of lines.push(bytes)) {
          if (this.#over.signal.aborted) return;
          const message = messageFrom(line);
          if (message === undefined) {
            garbage += line.length + 1;
            this.#log("it wrote a line that is no message", decode(line));
          } else {
            garbage = 0;
            this.onmessage?.(message);
            await pace.spend(1, this.#over.signal);
          }
          if (garbage > GARBAGE_BYTES_MAX) return this.#end("it writes what is no message");
        }
        if (lines.length > MESSAGE_BYTES_MAX) return this.#end("it began a message of more than 16 MiB");
        await bytesPace.spend(bytes.length, this.#over.signal);
      }
    } catch (thrown) {
      if (!this.#over.signal.aborted) this.#end(`it cannot be read: ${messageOf(thrown)}`);
    }
  }

  async #readErrors(): Promise<void> {
    const { child, clock } = this.#parts;
    const pace = new Pace(clock, ERROR_BYTES_PER_SECOND_MAX);
    let line = "";
    try {
      for await (const bytes of child.stderr) {
        if (this.#over.signal.aborted) return;
        const texts = (line + decode(bytes)).split("\n");
        line = (texts.pop() ?? "").slice(0, LOGGED_LINE_CHARACTERS_MAX);
        for (const text of texts) this.#said(text);
        await pace.spend(bytes.length, this.#over.signal);
      }
      this.#said(line);
    } catch (thrown) {
      if (!this.#over.signal.aborted)
        this.onerror?.(new Error(`its errors cannot be read: ${messageOf(thrown)}`));
    }
  }

  #said(text: string): void {
    if (text.trim() === "") return;
    this.#lastWords = shortened(visible(text.trim()), LAST_WORDS_CHARACTERS_MAX);
    this.#log("it wrote to standard error", text);
  }

  #log(what: string, text: string): void {
    this.#logged += 1;
    if (this.#logged > LOGGED_LINES_MAX) return;
    const { log } = this.#parts;
    log.write("info", what, { text: shortened(visible(text), LOGGED_LINE_CHARACTERS_MAX) });
    if (this.#logged === LOGGED_LINES_MAX) log.write("info", "what else it writes is not kept");
  }
}

function messageFrom(line: Uint8Array): JSONRPCMessage | undefined {
  const value = parseMessage(decode(line))?.value;
  // What else is wrong with it, the protocol's own reader tells.
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

/** Cuts bytes into lines, wherever they were split. */
export class Lines {
  #parts: Uint8Array[] = [];
  #length = 0;

  /** Bytes of the line that has no end yet. */
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
