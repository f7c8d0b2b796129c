import type { JsonObject } from "../../base/json.ts";
import { ProviderError } from "../error.ts";
import type { HttpCall } from "./attempt.ts";
import { HttpAttempt } from "./attempt.ts";
import { ERROR_BODY_BYTES_MAX, isErrorBody, providerErrorFrom, readUpTo } from "./http-error.ts";
import { AnswerBytes } from "./stream/answer-bytes.ts";

export interface StreamCall extends HttpCall {
  /** JSON in UTF-8. */
  readonly body: Uint8Array;
}

/**
 * Sends a request and opens the answer as a stream of bytes.
 *
 * @throws ProviderError for an answer that is no stream, a connection failure, or a phase above its limit.
 * @throws signal.reason when cancelled.
 */
export async function openEventStream(call: StreamCall): Promise<AnswerBytes> {
  const { body } = call;
  const attempt = new HttpAttempt(call);
  try {
    const response = await attempt.headers({
      method: "POST",
      headers: {
        ...call.headers,
        "content-type": "application/json",
        accept: "text/event-stream, application/json",
        // A compressed stream arrives in bursts, whenever a compressor's window is full.
        "accept-encoding": "identity",
      },
      body,
    });
    const type = response.headers.get("content-type") ?? "";
    if (response.status !== 200 || /json|html/.test(type)) throw await failure(response, call, attempt);
    return new AnswerBytes(attempt, response.body);
  } catch (thrown) {
    attempt.settle();
    attempt.end();
    throw attempt.explain(thrown);
  }
}

/**
 * Fetches one JSON document: a catalogue, a token count. All of it must arrive within `headersMsMax`.
 *
 * @throws ProviderError as above, and if it is longer than `bytesMax`.
 */
export async function fetchText(
  call: HttpCall & { readonly body?: JsonObject; readonly bytesMax: number },
): Promise<string> {
  const attempt = new HttpAttempt(call);
  try {
    const response = await attempt.headers({
      headers: { ...call.headers, accept: "application/json", "content-type": "application/json" },
      ...(call.body === undefined ? {} : { method: "POST", body: JSON.stringify(call.body) }),
    });
    if (response.status !== 200) throw await failure(response, call, attempt);
    const { text, whole } = await attempt.within(readUpTo(response, call.bytesMax));
    if (whole) return text;
    throw malformed(call.provider, `a document of more than ${call.bytesMax} bytes`);
  } catch (thrown) {
    attempt.end();
    throw attempt.explain(thrown);
  } finally {
    attempt.settle();
  }
}

async function failure(response: Response, call: HttpCall, attempt: HttpAttempt): Promise<ProviderError> {
  const { text: body, whole } = await attempt.within(readUpTo(response, ERROR_BODY_BYTES_MAX));
  const { status, headers } = response;
  const type = headers.get("content-type") ?? "no content type";
  if (status === 200 && !(whole && isErrorBody(body))) {
    return malformed(call.provider, `${type} in place of an event stream`);
  }
  const { provider, model } = call;
  return providerErrorFrom({ status, headers, body }, { provider, model, nowMs: call.clock.now() });
}

function malformed(provider: string, detail: string): ProviderError {
  return new ProviderError("StreamMalformed", { provider, detail });
}
