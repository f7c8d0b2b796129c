import type { Duplex } from "node:stream";

export const OWNER_LINE_BYTES_MAX = 16 * 1024;

/**
 * Returns the first line of a stream, without its end; undefined if it ends before, breaks off, or the line is longer
 * than allowed. What follows the line stays in the stream.
 */
export function readLine(stream: Duplex, bytesMax: number): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const chunks: Buffer[] = [];
  let length = 0;
  function end(line: string | undefined): void {
    stream.off("data", onData).off("end", onEnd).off("close", onEnd).off("error", onEnd);
    resolve(line);
  }
  function onEnd(): void {
    end(undefined);
  }
  function onData(chunk: Buffer): void {
    const at = chunk.indexOf("\n");
    length += at < 0 ? chunk.length : at;
    if (length > bytesMax) end(undefined);
    else if (at >= 0) {
      stream.pause();
      end(Buffer.concat([...chunks, chunk.subarray(0, at)]).toString());
      if (at + 1 < chunk.length) stream.unshift(chunk.subarray(at + 1));
    } else chunks.push(chunk);
  }
  stream.on("data", onData).once("end", onEnd).once("close", onEnd).once("error", onEnd);
  return promise;
}
