import { HarnessError } from "../../../base/errors.ts";

/** Text that follows the reason of a failed call that the server may still have carried out. */
export const UNKNOWN_OUTCOME =
  "It is unknown whether the call took effect: find that out before you make it again.";

/** Thrown where a message was returned before any of it was sent. */
export class NotSent extends Error {
  override readonly name = "NotSent";
}

/** Codes for a connection that was not established, or for a call that the library returned before sending it. */
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
 * Returns true if a server may have carried out a failed call. False if the call was never sent, was refused, or was
 * answered with an error. No call is retried automatically, because its effect is unknown (MCP-07).
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

/** Code of the error that this client answers a call with when its stream ended without an answer. */
export const STREAM_ENDED = -32_000;
