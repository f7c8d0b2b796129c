import { Transform } from "node:stream";

/** How the end of a request's body is told. */
export type BodyFraming =
  | { readonly kind: "none" }
  | { readonly kind: "length"; readonly bytes: number }
  | { readonly kind: "chunked" };

const LINE_BYTES_MAX = 1_024;
/** After the last chunk. */
const TRAILER_BYTES_MAX = 16_384;
const CHUNK_SIZE = /^([0-9a-f]{1,12})[ \t]*(?:;[^\r\n]*)?$/i;

/**
 * Lets through the body of one request, byte for byte, and drops what comes behind it: a second request on the same
 * connection is for a host that nobody has looked at (S57).
 *
 * Ends with an error where a chunk is not one.
 */
export function requestBody(framing: BodyFraming): Transform {
  const body = new BodyEnd(framing);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        const own = body.take(chunk);
        done(null, own === 0 ? undefined : chunk.subarray(0, own));
      } catch (thrown) {
        done(thrown instanceof Error ? thrown : new Error(String(thrown)));
      }
    },
  });
}

type State = "line" | "data" | "trailer" | "over";

/** Finds the end of a body, whatever pieces it comes in. */
class BodyEnd {
  #state: State;
  /** Of the data, with the line feed behind a chunk. */
  #left = 0;
  #line = "";
  #trailer = 0;
  readonly #isChunked: boolean;

  constructor(framing: BodyFraming) {
    this.#isChunked = framing.kind === "chunked";
    this.#left = framing.kind === "length" ? framing.bytes : 0;
    this.#state = this.#isChunked ? "line" : this.#left > 0 ? "data" : "over";
  }

  /** How many of these bytes are the body's. @throws Error where it is none. */
  take(bytes: Uint8Array): number {
    let at = 0;
    while (at < bytes.length && this.#state !== "over") {
      if (this.#state === "data") {
        const taken = Math.min(this.#left, bytes.length - at);
        at += taken;
        this.#left -= taken;
        if (this.#left === 0) this.#state = this.#isChunked ? "line" : "over";
      } else {
        const [line, next] = this.#lineFrom(bytes, at);
        at = next;
        if (line !== undefined) this.#ended(line);
      }
    }
    return at;
  }

  #lineFrom(bytes: Uint8Array, from: number): readonly [line: string | undefined, next: number] {
    const end = bytes.indexOf(10, from);
    const next = end < 0 ? bytes.length : end + 1;
    this.#line += Buffer.from(bytes.subarray(from, next)).toString("latin1");
    if (this.#line.length > LINE_BYTES_MAX) throw new Error("a line of the body is too long");
    if (end < 0) return [undefined, next];
    const line = this.#line;
    this.#line = "";
    if (!line.endsWith("\r\n") || /[\r\n\0]/.test(line.slice(0, -2)))
      throw new Error("a line of the body is none");
    return [line.slice(0, -2), next];
  }

  #ended(line: string): void {
    if (this.#state === "trailer") {
      this.#trailer += line.length;
      if (this.#trailer > TRAILER_BYTES_MAX) throw new Error("the end of the body is too long");
      if (line === "") this.#state = "over";
      return;
    }
    if (line === "" && this.#isAfterData) {
      this.#isAfterData = false;
      return;
    }
    const size = this.#isAfterData ? undefined : CHUNK_SIZE.exec(line)?.[1];
    if (size === undefined) throw new Error("a chunk of the body has no size");
    this.#left = Number.parseInt(size, 16);
    this.#isAfterData = this.#left > 0;
    this.#state = this.#left === 0 ? "trailer" : "data";
  }

  /** Whether the line behind the data of a chunk is still to come, which is empty. */
  #isAfterData = false;
}
