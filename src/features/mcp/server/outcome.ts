import { HarnessError } from "../../../base/errors.ts";

/** What stands behind the reason why a call failed that the server may have carried out all the same. */
export const UNKNOWN_OUTCOME =
  "It is unknown whether the call took effect: find that out before you make it again.";

/** Thrown where a message was given back before any of it was sent. */
export class NotSent extends Error {
  override readonly name = "NotSent";
}

/** No connection came about, or the library gave the call back before it reached the wire. */
const NOT_SENT = new Set([
  "ALREADY_CONNECTED",
  "CAPABILITY_NOT_SUPPORTED",
  "ConnectionRefused",
  "ECONNREFUSED",
  "ENOTFOUND",
  "FailedToOpenSocket",
  "METHOD_NOT_SUPPORTED_BY_PROTOCOL_VERSION",
  "NOT_CONNECTED",
  "NOT_INITIALIZED",
]);
const CAUSES_MAX = 8;
const SERVER_FAILED = 500;

/**
 * Whether a server may have carried out a call that failed so. Not where it was never sent, was refused, or was answered
 * with an error: then it is known. No call is made a second time by itself, since what it does is known to nobody (MCP-07).
 */
export function mayHaveTakenEffect(thrown: unknown): boolean {
  let cause = thrown;
  for (let depth = 0; depth < CAUSES_MAX && cause instanceof Error; depth += 1) {
    if (cause instanceof HarnessError || cause instanceof NotSent) return false;
    const [code, status]: readonly unknown[] = [Reflect.get(cause, "code"), Reflect.get(cause, "status")];
    if (typeof status === "number") return status >= SERVER_FAILED;
    if (typeof code === "number") return code === STREAM_ENDED;
    if (typeof code === "string" && NOT_SENT.has(code)) return false;
    ({ cause } = cause);
  }
  return true;
}

/** Of the error that a call is answered with here where its stream ended without an answer. */
export const STREAM_ENDED = -32_000;
