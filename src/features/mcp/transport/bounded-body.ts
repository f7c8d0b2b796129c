import type { Clock } from "../../../base/world.ts";
import { MESSAGES_PER_SECOND_MAX, RateLimit, SERVER_MESSAGE_BYTES_MAX } from "./server-limits.ts";

/** Bytes of a stream read per second. */
const BYTES_PER_SECOND_MAX = 16 * 1024 * 1024;

/** Thrown to the reader of an answer that is too long. */
export class TooLong extends Error {
  override readonly name = "TooLong";
}

/**
 * Bounds an answer of a server: it breaks off when one message is longer than `bytesMax`.
 *
 * In an event stream each event counts separately, so a stream may be endless, limited to a number of events and
 * bytes per second. Any other body counts as a whole. The body is read no faster than its reader reads, and leaving
 * it ends the request.
 */
export function boundResponse(
  response: Response,
  clock: Clock,
  bytesMax = SERVER_MESSAGE_BYTES_MAX,
): Response {
  if (response.body === null) return response;
  const { status, headers } = response;
  const isStream = /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");
  const count = isStream ? eventBytes() : wholeBytes();
  const cancelled = new AbortController();
  const paces = [
    new RateLimit(clock, MESSAGES_PER_SECOND_MAX),
    new RateLimit(clock, BYTES_PER_SECOND_MAX),
  ] as const;
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        const { longest, ended } = count(value);
        if (longest <= bytesMax) {
          controller.enqueue(value);
          if (!isStream) return;
          await paces[0].spend(ended, cancelled.signal);
          await paces[1].spend(value.length, cancelled.signal);
          return;
        }
        const tooLong = new TooLong(`a message of the server is longer than ${bytesMax} bytes`);
        controller.error(tooLong);
        await reader.cancel(tooLong);
      },
      async cancel(reason) {
        cancelled.abort(reason);
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status, headers });
}

/** Returns the length of the longest message so far, complete or not, and how many messages ended in these bytes. */
type Count = (bytes: Uint8Array) => { readonly longest: number; readonly ended: number };

function wholeBytes(): Count {
  let size = 0;
  return (bytes) => {
    size += bytes.length;
    return { longest: size, ended: 0 };
  };
}

/** An empty line ends an event. */
function eventBytes(): Count {
  let size = 0;
  let lineIsEmpty = true;
  return (bytes) => {
    let longest = 0;
    let ended = 0;
    for (const byte of bytes) {
      size += 1;
      if (byte === CARRIAGE_RETURN) continue;
      if (byte !== LINE_FEED) {
        lineIsEmpty = false;
        continue;
      }
      longest = Math.max(longest, size);
      if (lineIsEmpty) {
        size = 0;
        ended += 1;
      }
      lineIsEmpty = true;
    }
    return { longest: Math.max(longest, size), ended };
  };
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
