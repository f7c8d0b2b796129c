import { Transform } from "node:stream";

/** Framing of a request's body: the way in which its length is given. */
export type BodyFraming =
  | { readonly kind: "none" }
  | { readonly kind: "length"; readonly bytes: number }
  | { readonly kind: "chunked" };

const LINE_BYTES_MAX = 1_024;
/** Limit for the lines after the last chunk. */
const TRAILER_BYTES_MAX = 16_384;
const CHUNK_SIZE = /^([0-9a-f]{1,12})[ \t]*(?:;[^\r\n]*)?$/i;

/**
 * Passes the body of one request, byte for byte, and drops what follows: a second request on the same connection is
 * for a host that was not checked (S57).
 *
 * Fails with an error on a malformed chunk.
 */
export function requestBody(framing: BodyFraming): Transform {
  const body = new BodyEnd(framing);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        const bodyBytes = body.take(chunk);
        done(null, bodyBytes === 0 ? undefined : chunk.subarray(0, bodyBytes));
      } catch (thrown) {
        done(thrown instanceof Error ? thrown : new Error(String(thrown)));
      }
    },
  });
}

type State = "line" | "data" | "trailer" | "over";

/** Finds the end of a body, in whatever pieces it arrives. */
class BodyEnd {
  #state: State;
  /** Bytes of data still to come, including the line feed after a chunk. */
  #left = 0;
  #line = "";
  #trailer = 0;
  readonly #isChunked: boolean;

  constructor(framing: BodyFraming) {
    this.#isChunked = framing.kind === "chunked";
    this.#left = framing.kind === "length" ? framing.bytes : 0;
    this.#state = this.#isChunked ? "line" : this.#left > 0 ? "data" : "over";
  }

  /** Returns how many of these bytes belong to the body. @throws Error if it is malformed. */
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
      throw new Error("a line of the body is malformed");
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

  /** True if the empty line after the data of a chunk is still to come. */
  #isAfterData = false;
}
