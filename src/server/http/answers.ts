import { HarnessError } from "../../base/errors.ts";
import type { Reason } from "../../base/reasons.ts";
import type { ErrorBody } from "../../protocol/resources.ts";
import { statusOf } from "./statuses.ts";

/** What stands on every answer: nothing of a session is cached on its way, or taken for something else. */
const ALWAYS = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

export function jsonAnswer(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const type = { "content-type": "application/json; charset=utf-8" };
  return new Response(JSON.stringify(value), { status, headers: { ...ALWAYS, ...type, ...headers } });
}

/** An answer without a body. */
export function emptyAnswer(status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status, headers: { ...ALWAYS, ...headers } });
}

export function streamAnswer(body: ReadableStream<Uint8Array>): Response {
  // A proxy on the way would hold events back.
  const headers = {
    ...ALWAYS,
    "content-type": "text/event-stream; charset=utf-8",
    "x-accel-buffering": "no",
  };
  return new Response(body, { headers });
}

/** The refusal as every wire has it: the reason for programs, the message for people. */
export function errorBody(error: HarnessError): ErrorBody {
  const { reason, message, fields } = error;
  return Object.keys(fields).length === 0 ? { reason, message } : { reason, message, details: { ...fields } };
}

export function errorAnswer(error: HarnessError): Response {
  return jsonAnswer(statusOf(error.reason as Reason), errorBody(error));
}

/** What a caller is told of a failure that has no reason: what it was stands in the log, not on the wire. */
export function asRefusal(thrown: unknown): HarnessError {
  if (thrown instanceof HarnessError) return thrown;
  return new HarnessError("InternalError", { what: "a request could not be handled" }, { cause: thrown });
}
