import { codeOf } from "../../base/world.ts";
import { inflateBody } from "./inflate-body.ts";

/** Error code of an answer whose compressed body ends too early, or does not match its header. */
export const DAMAGED_ENCODING = "DamagedEncoding";

const FORMATS: ReadonlyMap<string, string> = new Map([
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["deflate", "deflate"],
  ["br", "brotli"],
  ["zstd", "zstd"],
]);

/** Returns an answer with its body decompressed; other encodings are unchanged. */
export function decodeBody(answer: Response, signal: AbortSignal | undefined): Response {
  const { body, status, statusText, headers } = answer;
  const format = FORMATS.get((headers.get("content-encoding") ?? "").trim().toLowerCase());
  if (body === null || format === undefined || headers.get("content-length") === "0") return answer;
  const plain = new Headers(headers);
  for (const name of ["content-encoding", "content-length"]) plain.delete(name);
  const bytes =
    format === "deflate"
      ? inflateBody(body)
      : body.pipeThrough(new DecompressionStream(format as CompressionFormat));
  return new Response(withoutDamage(bytes, signal), { status, statusText, headers: plain });
}

/** Passes on all data before the damage, then fails with a code, as network errors do. */
function withoutDamage(
  bytes: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  const reader = bytes.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (thrown) {
          if (signal?.aborted === true || codeOf(thrown) !== undefined) throw thrown;
          const damaged = new Error("its compressed answer was cut short or is damaged", { cause: thrown });
          throw Object.assign(damaged, { code: DAMAGED_ENCODING });
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
