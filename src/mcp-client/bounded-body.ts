/** Bytes of one message that a server may send; more breaks the answer off. */
export const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;

/** What is thrown into whoever reads an answer that is too long. */
export class TooLong extends Error {
  override readonly name = "TooLong";
}

/**
 * An answer of a server, broken off where one message of it is longer than `MESSAGE_BYTES_MAX`.
 *
 * In a stream of events each event counts by itself, so that a stream may go on for ever; any other body counts as a whole.
 * The body is read no faster than its reader reads, and leaving it ends the request.
 */
export function boundedAnswer(response: Response, bytesMax = MESSAGE_BYTES_MAX): Response {
  if (response.body === null) return response;
  const { status, headers } = response;
  const isStream = /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");
  const count = isStream ? eventBytes() : wholeBytes();
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        if (count(value) <= bytesMax) return controller.enqueue(value);
        const tooLong = new TooLong(`a message of the server is longer than ${bytesMax} bytes`);
        controller.error(tooLong);
        await reader.cancel(tooLong);
      },
      cancel: async (reason) => await reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status, headers });
}

type Count = (bytes: Uint8Array) => number;

function wholeBytes(): Count {
  let size = 0;
  return (bytes) => {
    size += bytes.length;
    return size;
  };
}

/** The length of the longest event so far, whole or not. An empty line ends one. */
function eventBytes(): Count {
  let size = 0;
  let lineIsEmpty = true;
  return (bytes) => {
    let longest = 0;
    for (const byte of bytes) {
      size += 1;
      if (byte === CARRIAGE_RETURN) continue;
      if (byte !== LINE_FEED) {
        lineIsEmpty = false;
        continue;
      }
      longest = Math.max(longest, size);
      if (lineIsEmpty) size = 0;
      lineIsEmpty = true;
    }
    return Math.max(longest, size);
  };
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
