const MARK = new TextEncoder().encode("«redacted:api-key»");

/**
 * Removes a key from bytes that arrive in pieces, wherever it is split. An answer that echoes its key does not carry
 * it further (CRED-03, S54).
 *
 * Only a possible beginning of the key waits for the next piece. An answer that encodes the key differently, or
 * spreads it over events of a stream, is not detected here.
 */
export class KeyRemover {
  readonly #key: Buffer;
  #held: Uint8Array = new Uint8Array();

  constructor(key: string) {
    this.#key = Buffer.from(key);
  }

  push(chunk: Uint8Array): Uint8Array {
    const bytes = this.#held.length === 0 ? bufferOf(chunk) : Buffer.concat([this.#held, chunk]);
    const parts: Uint8Array[] = [];
    let from = 0;
    for (let at = bytes.indexOf(this.#key); at >= 0; at = bytes.indexOf(this.#key, from)) {
      parts.push(bytes.subarray(from, at), MARK);
      from = at + this.#key.length;
    }
    const rest = bytes.subarray(from);
    const open = rest.length - this.#beginningAtEnd(rest);
    this.#held = rest.subarray(open);
    parts.push(rest.subarray(0, open));
    return parts.length === 1 ? (parts[0] ?? rest) : Buffer.concat(parts);
  }

  /** Returns the rest at the end of the bytes. */
  end(): Uint8Array {
    const heldKey = this.#held;
    this.#held = new Uint8Array();
    return heldKey;
  }

  /** Counts the last bytes that equal the beginning of the key. */
  #beginningAtEnd(bytes: Buffer): number {
    const [first = 0] = this.#key;
    const start = Math.max(0, bytes.length - this.#key.length + 1);
    for (let at = bytes.indexOf(first, start); at >= 0; at = bytes.indexOf(first, at + 1)) {
      if (bytes.subarray(at).equals(this.#key.subarray(0, bytes.length - at))) return bytes.length - at;
    }
    return 0;
  }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Returns the answer with the key removed from headers and body. The body is read only on demand. */
export function removeKey(response: Response, key: string): Response {
  const headers = new Headers();
  for (const [name, value] of response.headers) {
    headers.append(name, value.replaceAll(key, "[redacted]"));
  }
  const reader = response.body?.getReader();
  if (reader === undefined) return new Response(null, { status: response.status, headers });
  const cutter = new KeyRemover(key);
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (true) {
          const { done, value } = await reader.read();
          const bytes = done ? cutter.end() : cutter.push(value);
          if (bytes.length > 0) controller.enqueue(bytes);
          if (done) return controller.close();
          if (bytes.length > 0) return;
        }
      },
      cancel: async (reason) => await reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status: response.status, headers });
}
