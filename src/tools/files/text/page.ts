import { defined } from "../../../base/defined.ts";
import { byteLength, head } from "../../../base/text/text.ts";
import type { OpenFile } from "../../../base/world.ts";
import { WHOLE_BYTES_MAX } from "../seen-files.ts";
import type { FileText } from "./text-file.ts";

export const PAGE_LINE_CHARACTERS_MAX = 2_000;
/** Below the limit of a result block, so that a page arrives whole. */
export const PAGE_BYTES_MAX = 60_000;

const CHUNK_BYTES = 262_144;
const CHUNK_BYTES_MIN = 4_096;
const CARRIAGE_RETURN = 13;
/** A file with a longer line is no text to page through. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;

/** Some lines of a text file. */
export interface Page {
  readonly lines: readonly string[];
  /** Number of the first line that did not fit; absent at the end of the file. */
  readonly next?: number;
  /** Lines of the whole file, if it was read to its end. */
  readonly total?: number;
  /** Hash of the whole file, if it was read to its end and is small enough. */
  readonly sha256?: string;
  /** Set if a line never ends. */
  readonly endless?: true;
}

export interface PageRequest {
  /** Number of the first line, from 1. */
  readonly offset: number;
  readonly limit: number;
  readonly encoding: FileText["encoding"];
  readonly signal: AbortSignal;
}

/**
 * Reads some lines of a text file and keeps no more than the page in memory.
 *
 * A line ends with LF or CR LF, which is removed; a long line is cut with a note of its length. A file of at most
 * `WHOLE_BYTES_MAX` is read to its end, to count and hash it.
 */
export async function readPage(
  file: OpenFile,
  { offset, limit, encoding, signal }: PageRequest,
): Promise<Page> {
  const hash = new Bun.CryptoHasher("sha256");
  const page = new PageBuilder(offset, limit);
  const decoder = new TextDecoder(encoding);
  let at = 0;
  while (true) {
    signal.throwIfAborted();
    // One byte more than expected, so that a small file shows its end in one read.
    const wanted = Math.min(CHUNK_BYTES, Math.max(CHUNK_BYTES_MIN, file.info.size - at + 1));
    const bytes = await file.read(at, wanted);
    at += bytes.length;
    if (at <= WHOLE_BYTES_MAX) hash.update(bytes);
    const ended = bytes.length < wanted;
    page.add(decoder.decode(bytes, { stream: !ended }));
    if (ended) return page.end(at <= WHOLE_BYTES_MAX ? hash.digest("hex") : undefined);
    if (page.endless) return { ...page.soFar(), endless: true };
    if (page.full && (at > WHOLE_BYTES_MAX || file.info.size > WHOLE_BYTES_MAX)) return page.soFar();
  }
}

/** Takes a text in pieces and keeps the requested lines. */
class PageBuilder {
  readonly #offset: number;
  readonly #limit: number;
  readonly #lines: string[] = [];
  #bytes = 0;
  #next: number | undefined;
  #number = 1;
  #line = "";
  #lineLength = 0;
  /** True if the line so far ends in a CR. */
  #returned = false;

  constructor(offset: number, limit: number) {
    this.#offset = offset;
    this.#limit = limit;
  }

  get full(): boolean {
    return this.#next !== undefined;
  }

  get endless(): boolean {
    return this.#lineLength > LINE_BYTES_MAX;
  }

  add(text: string): void {
    let at = 0;
    while (!this.full) {
      const end = text.indexOf("\n", at);
      const piece = end === -1 ? text.length : end;
      if (this.#wanted) this.#line += text.slice(at, Math.min(piece, at + this.#room));
      this.#lineLength += piece - at;
      if (piece > at) this.#returned = text.charCodeAt(piece - 1) === CARRIAGE_RETURN;
      if (end === -1) return;
      this.#endLine(this.#returned);
      at = end + 1;
    }
    this.#count(text, at);
  }

  /** Counts the lines after the page, without a step for each. */
  #count(text: string, at: number): void {
    const end = text.lastIndexOf("\n");
    if (end < at) {
      this.#lineLength += text.length - at;
      return;
    }
    this.#number += text.slice(at, end).split("\n").length;
    this.#lineLength = text.length - end - 1;
  }

  end(sha256: string | undefined): Page {
    if (this.#lineLength > 0) this.#endLine(false);
    return { ...this.soFar(), total: this.#number - 1, ...defined({ sha256 }) };
  }

  soFar(): Page {
    return { lines: this.#lines, ...defined({ next: this.#next }) };
  }

  get #wanted(): boolean {
    return this.#number >= this.#offset && !this.full;
  }

  /** One character more than shown, for a CR that belongs to the line end. */
  get #room(): number {
    return Math.max(0, PAGE_LINE_CHARACTERS_MAX + 1 - this.#line.length);
  }

  #endLine(carriageReturn: boolean): void {
    if (this.#wanted) this.#keep(this.#shownLine(carriageReturn));
    this.#number += 1;
    this.#line = "";
    this.#lineLength = 0;
    this.#returned = false;
  }

  #shownLine(carriageReturn: boolean): string {
    const length = this.#lineLength - (carriageReturn ? 1 : 0);
    const text = this.#line.slice(0, length);
    if (length <= PAGE_LINE_CHARACTERS_MAX) return text;
    return `${head(text, PAGE_LINE_CHARACTERS_MAX)}… [cut: the line has ${length} characters]`;
  }

  #keep(line: string): void {
    const bytes = byteLength(line) + 8; // its number and the separators
    if (
      this.#lines.length === this.#limit ||
      (this.#lines.length > 0 && this.#bytes + bytes > PAGE_BYTES_MAX)
    ) {
      this.#next = this.#number;
      return;
    }
    this.#lines.push(line);
    this.#bytes += bytes;
  }
}
