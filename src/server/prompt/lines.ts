import type { Duplex } from "node:stream";
import { HarnessError } from "../../base/errors.ts";

const LINE_FEED = 10;

/**
 * Yields the lines of a stream, without their ends, until it closes. What follows the last end is dropped.
 * @throws HarnessError BodyTooLarge for a longer line.
 */
export async function* readLines(stream: Duplex, bytesMax: number): AsyncGenerator<string> {
  let pending: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      let from = 0;
      for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
        const part = chunk.subarray(from, at);
        from = at + 1;
        const line = pending.length === 0 ? part : Buffer.concat([...pending, part]);
        pending = [];
        length = 0;
        yield line.toString();
      }
      if (from === chunk.length) continue;
      pending.push(chunk.subarray(from));
      length += chunk.length - from;
      if (length > bytesMax) throw new HarnessError("BodyTooLarge", { limit: `${bytesMax}` });
    }
  } catch (thrown) {
    if (!stream.destroyed || thrown instanceof HarnessError) throw thrown; // else the client has gone
  }
}
