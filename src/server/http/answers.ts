import { HarnessError } from "../../base/errors.ts";
import type { Reason } from "../../base/reasons.ts";
import type { ErrorBody } from "../../protocol/resources.ts";
import { httpStatusOf } from "./statuses.ts";

/** Headers of every answer: nothing of a session is cached on its way, or taken for another type. */
const ALWAYS = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

export function jsonAnswer(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const type = { "content-type": "application/json; charset=utf-8" };
  return new Response(JSON.stringify(value), { status, headers: { ...ALWAYS, ...type, ...headers } });
}

/** Returns an answer without a body. */
export function emptyAnswer(status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status, headers: { ...ALWAYS, ...headers } });
}

export function streamAnswer(body: ReadableStream<Uint8Array>): Response {
  // A proxy on the way would delay events.
  const headers = {
    ...ALWAYS,
    "content-type": "text/event-stream; charset=utf-8",
    "x-accel-buffering": "no",
  };
  return new Response(body, { headers });
}

/** Returns the body of a refusal, the same on every transport: the reason for programs, the message for people. */
export function errorBody(error: HarnessError): ErrorBody {
  const { reason, message, fields } = error;
  return Object.keys(fields).length === 0 ? { reason, message } : { reason, message, details: { ...fields } };
}

export function errorAnswer(error: HarnessError): Response {
  return jsonAnswer(httpStatusOf(error.reason as Reason), errorBody(error));
}

/** Returns the refusal for a failure without a reason: its details are in the log, not on the wire. */
export function asRefusal(thrown: unknown): HarnessError {
  if (thrown instanceof HarnessError) return thrown;
  return new HarnessError("InternalError", { what: "a request could not be handled" }, { cause: thrown });
}
