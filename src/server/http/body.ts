import { deadline } from "../../base/async/deadline.ts";
import { HarnessError } from "../../base/errors.ts";
import { parseMessage, wellFormedJson } from "../../base/json.ts";
import type { Clock } from "../../base/world.ts";

/** Bytes of a body: an input with several images fits. */
export const BODY_BYTES_MAX = 33_554_432;
/** Time limit for the arrival of a body: a slow one holds a connection no longer than this. */
export const BODY_MS_MAX = 30_000;

export interface BodyReading {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Default: `BODY_BYTES_MAX`. */
  readonly bytesMax?: number;
  /** Called with the length of each piece before it is kept. What it throws ends the reading. */
  readonly onPiece?: (bytes: number) => void;
}

/**
 * Reads the JSON of a body.
 * @throws HarnessError InvalidBody, BodyTooLarge, BodyTooSlow; the signal's reason.
 */
export async function readJson(request: Request, clock: Clock, signal: AbortSignal): Promise<unknown> {
  const bytes = await readBytes(request, { clock, signal });
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new HarnessError("InvalidBody", { why: "it is not UTF-8" });
  }
  if (text.trim() === "") throw new HarnessError("InvalidBody", { why: "it is empty; send a JSON object" });
  const parsed = parseMessage(text);
  if (parsed === undefined)
    throw new HarnessError("InvalidBody", { why: "it is not JSON, nested too deep, or of too many values" });
  return wellFormedJson(parsed.value);
}

/**
 * Reads a body of at most so many bytes, and no more of a longer one.
 * @throws HarnessError InvalidBody, BodyTooLarge, BodyTooSlow; the signal's reason.
 */
export async function readBytes(
  request: Request,
  { clock, signal, bytesMax = BODY_BYTES_MAX, onPiece }: BodyReading,
): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > bytesMax) throw tooLarge(bytesMax);
  if (request.body === null) return new Uint8Array();
  using limit = deadline(clock, BODY_MS_MAX, signal);
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body.getReader();
  const stop = () => void reader.cancel().catch(() => undefined); // it has left: no more of it can come
  limit.signal.addEventListener("abort", stop, { once: true });
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      length += next.value.length;
      if (length > bytesMax) throw tooLarge(bytesMax);
      onPiece?.(next.value.length);
      chunks.push(next.value);
    }
  } catch (thrown) {
    if (thrown instanceof HarnessError) throw thrown;
    if (!limit.signal.aborted)
      throw new HarnessError("InvalidBody", { why: "it broke off" }, { cause: thrown });
  } finally {
    limit.signal.removeEventListener("abort", stop);
  }
  if (limit.reached) throw new HarnessError("BodyTooSlow", { seconds: `${BODY_MS_MAX / 1_000}` });
  limit.signal.throwIfAborted();
  return joined(chunks, length);
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = chunks;
  if (only !== undefined && chunks.length === 1) return only;
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

function tooLarge(bytesMax: number): HarnessError<"BodyTooLarge"> {
  return new HarnessError("BodyTooLarge", { limit: `${bytesMax}` });
}
