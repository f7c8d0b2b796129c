const HEADER_BYTES = 2;

/**
 * Decompresses a body of the encoding "deflate". The standard means zlib's format, but some servers send the bare
 * algorithm: the first two bytes tell them apart.
 */
export function inflateBody(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let plain: ReadableStreamDefaultReader<Uint8Array> | undefined;

  async function begin(): Promise<ReadableStreamDefaultReader<Uint8Array>> {
    let head = new Uint8Array();
    while (head.length < HEADER_BYTES) {
      const { done, value } = await reader.read();
      if (done) break;
      head = Uint8Array.from([...head, ...value]);
    }
    const whole = new ReadableStream<Uint8Array>(
      {
        start: (controller) => controller.enqueue(head),
        async pull(controller) {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
    const format = isZlib(head) ? "deflate" : "deflate-raw";
    return whole.pipeThrough(new DecompressionStream(format) as Decompression).getReader();
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        plain ??= await begin();
        const { done, value } = await plain.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => (plain ?? reader).cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

type Decompression = ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array>;

/**
 * Returns true for method 8, a window of at most 32 KiB, and a valid check: both bytes as one number are a multiple
 * of 31 (RFC 1950).
 */
function isZlib([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && first >> 4 <= 7 && ((first << 8) | second) % 31 === 0;
}
