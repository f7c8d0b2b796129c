import { messageOf } from "../../base/errors.ts";
import { encode, grouped } from "../../base/text/text.ts";
import type { Files } from "../../base/world.ts";
import { redactor } from "../../safety/redact.ts";
import type { PieceFilter } from "../tool.ts";
import { stripTerminalCodes } from "./strip-terminal-codes.ts";

/** Bytes of the beginning and of the end of a long output that the model sees. */
export const OUTPUT_HEAD_BYTES_MAX = 8_192;
export const OUTPUT_TAIL_BYTES_MAX = 24_576;
/** Bytes kept in memory before they are written to the spill file. */
export const MEMORY_BYTES_MAX = 1_048_576;
/** Limit of the spill file; the rest is counted and dropped. */
export const SPILL_BYTES_MAX = 64 * 1_048_576;
/** Bytes kept of the output after that limit, to find secrets that reach into the shown end. */
const REST_BYTES_MAX = 65_536;
/** A cut moves to a line end within this distance. */
const LINE_BYTES_MAX = 1_024;

/**
 * Captures the output of a command: its beginning and end in memory, and all of a long output in a file (TOOL-02, R21).
 *
 * Secrets are redacted before anything is kept or cut, since half a secret cannot be recognised (SES-05).
 *
 * Memory stays below 1.3 MiB for any output. A file that cannot be written loses its part of the output, never the
 * command; the text then says so.
 */
export class OutputCapture {
  readonly path: string;
  readonly #files: Files;
  readonly #secrets: () => PieceFilter;
  readonly #shown: PieceFilter;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** The unfiltered end of the output after the file was full. */
  #rest = new Uint8Array(0);
  #total = 0;
  #head = new Uint8Array(0);
  #tail = new Uint8Array(0);
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #kept = 0;
  #written = 0;
  #writing: Promise<void> = Promise.resolve();
  #problem: string | undefined;

  /**
   * @param path names the spill file, which is created when needed.
   * @param secrets redacts secrets. Default: only those recognised by their form.
   */
  constructor(files: Files, path: string, secrets: () => PieceFilter = () => redactor([]).stream()) {
    this.#files = files;
    this.path = path;
    this.#secrets = secrets;
    this.#shown = secrets();
  }

  /** Bytes received so far. */
  get total(): number {
    return this.#total;
  }

  /** Returns the part that may be shown now. */
  async write(chunk: Uint8Array): Promise<Uint8Array> {
    if (this.#kept < SPILL_BYTES_MAX) {
      const shown = encode(this.#shown.push(this.#decoder.decode(chunk, { stream: true })));
      await this.#take(shown);
      return shown;
    }
    this.#total += chunk.length;
    this.#rest = lastOf(this.#rest, chunk, REST_BYTES_MAX);
    return new Uint8Array(0);
  }

  /** Ends the output and releases text held back as the possible start of a secret. */
  async end(): Promise<void> {
    await this.#take(encode(this.#shown.push(this.#decoder.decode()) + this.#shown.end()));
    if (this.#rest.length === 0) return;
    const rest = this.#secrets();
    const shown = encode(rest.push(decoded(this.#rest)) + rest.end());
    this.#tail = lastOf(this.#tail, shown, OUTPUT_TAIL_BYTES_MAX);
    this.#rest = new Uint8Array(0);
  }

  async #take(chunk: Uint8Array): Promise<void> {
    this.#total += chunk.length;
    if (this.#head.length < OUTPUT_HEAD_BYTES_MAX) {
      this.#head = concatBytes(this.#head, chunk.subarray(0, OUTPUT_HEAD_BYTES_MAX - this.#head.length));
    }
    this.#tail = lastOf(this.#tail, chunk, OUTPUT_TAIL_BYTES_MAX);
    const part = chunk.subarray(0, SPILL_BYTES_MAX - this.#kept);
    if (part.length === 0) return;
    this.#kept += part.length;
    this.#pending.push(part);
    this.#pendingBytes += part.length;
    if (this.#pendingBytes > MEMORY_BYTES_MAX) await this.#flush();
  }

  /** Returns a short output whole; of a long one the beginning, the end, and the path of the whole. */
  async text(): Promise<string> {
    await this.end();
    const tail = this.#tail;
    if (this.#total <= OUTPUT_HEAD_BYTES_MAX + OUTPUT_TAIL_BYTES_MAX) {
      const rest = this.#total - this.#head.length;
      return stripTerminalCodes(
        decoded(rest === 0 ? this.#head : concatBytes(this.#head, tail.subarray(-rest))),
      );
    }
    await this.#flush();
    const first = headLines(this.#head);
    const last = tailLines(tail);
    const missing = this.#total - first.length - last.length;
    return [
      stripTerminalCodes(decoded(first)).replace(/\n$/, ""),
      `[… ${grouped(missing)} of ${grouped(this.#total)} bytes are left out here. ${this.#whereabouts()} …]`,
      stripTerminalCodes(decoded(last)),
    ].join("\n");
  }

  /**
   * Returns the output from byte `from` on, and the offset for the next call. Output above the limits is cut to its
   * end, with a note.
   */
  async since(from: number): Promise<{ readonly text: string; readonly next: number }> {
    await this.#flush();
    const written = this.#written;
    const start = Math.max(from, written - OUTPUT_HEAD_BYTES_MAX - OUTPUT_TAIL_BYTES_MAX);
    const bytes = wholeCharacters(
      written > start ? await this.#files.readRange(this.path, start, written - start) : new Uint8Array(0),
    );
    const skipped = start - from;
    const notes = [
      ...(skipped > 0 ? [`[… ${grouped(skipped)} bytes are left out here. ${this.#whereabouts()} …]`] : []),
      stripTerminalCodes(decoded(skipped > 0 ? tailLines(bytes) : bytes)),
      ...(this.#total > written ? [`[${this.#whereabouts()}]`] : []),
    ];
    return { text: notes.filter((note) => note !== "").join("\n"), next: start + bytes.length };
  }

  async #flush(): Promise<void> {
    const chunks = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    if (chunks.length > 0) this.#writing = this.#append(this.#writing, chunks);
    await this.#writing;
  }

  async #append(before: Promise<void>, chunks: readonly Uint8Array[]): Promise<void> {
    await before;
    if (this.#problem !== undefined) return;
    try {
      const bytes = Buffer.concat(chunks);
      await this.#files.append(this.path, bytes, 0o600);
      this.#written += bytes.length;
    } catch (thrown) {
      this.#problem = messageOf(thrown);
    }
  }

  #whereabouts(): string {
    if (this.#problem !== undefined) return `The whole could not be kept: ${this.#problem}.`;
    const how = `${this.path}: Read it with offset and limit, or Grep it.`;
    if (this.#total <= SPILL_BYTES_MAX) return `The whole is in ${how}`;
    return `The first ${grouped(SPILL_BYTES_MAX)} of ${grouped(this.#total)} bytes are in ${how} The rest was dropped.`;
  }
}

function concatBytes(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

/** Returns the last bytes, without copying those that a large chunk pushes out. */
function lastOf(tail: Uint8Array, chunk: Uint8Array, bytesMax: number): Uint8Array<ArrayBuffer> {
  const end = chunk.subarray(-bytesMax);
  const room = bytesMax - end.length;
  return concatBytes(tail.subarray(Math.max(0, tail.length - room)), end);
}

/** Cuts after the last line feed, or else between characters. */
function headLines(bytes: Uint8Array): Uint8Array {
  const end = bytes.lastIndexOf(10) + 1;
  return end > 0 && end > bytes.length - LINE_BYTES_MAX ? bytes.subarray(0, end) : wholeCharacters(bytes);
}

/** Removes the first bytes of an incomplete character. */
function wholeCharacters(bytes: Uint8Array): Uint8Array {
  let at = bytes.length;
  while (at > 0 && bytes.length - at < 3 && isContinuation(bytes[at - 1])) at -= 1;
  const lead = bytes[at - 1] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return length > bytes.length - at + 1 ? bytes.subarray(0, at - 1) : bytes;
}

/** Cuts after the first line feed, or else between characters. */
function tailLines(bytes: Uint8Array): Uint8Array {
  const start = bytes.indexOf(10) + 1;
  if (start > 0 && start < LINE_BYTES_MAX) return bytes.subarray(start);
  let at = 0;
  while (at < bytes.length && at < 4 && isContinuation(bytes[at])) at += 1;
  return bytes.subarray(at);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function decoded(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
