import { RequestError } from "@agentclientprotocol/sdk/unstable";
import { HarnessError, hasReason, messageOf } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { Reason } from "../../base/reasons.ts";
import { refusalText } from "../../view/texts/refusal-text.ts";

const NOT_FOUND = -32_002;
const INVALID_PARAMS = -32_602;
const INVALID_REQUEST = -32_600;
const INTERNAL = -32_603;

/** Codes of JSON-RPC and of the protocol; the request is not at fault for any other reason. */
const CODES: Partial<Record<Reason, number>> = {
  UnknownSession: NOT_FOUND,
  SessionMissing: NOT_FOUND,
  InvalidPath: INVALID_PARAMS,
  InvalidCommand: INVALID_PARAMS,
  InvalidQuery: INVALID_PARAMS,
  PathMissing: INVALID_PARAMS,
  UnsupportedContent: INVALID_PARAMS,
  UsageInvalid: INVALID_PARAMS,
  TurnInProgress: INVALID_REQUEST,
};

/** Returns the refusal of a request: the reason for programs in `data`, the words for people in the message. */
export function requestError(thrown: unknown, log: Log): RequestError {
  if (thrown instanceof RequestError) return thrown;
  if (thrown instanceof HarnessError) {
    const { reason, text } = refused(thrown);
    return new RequestError(CODES[reason as Reason] ?? INTERNAL, text, { reason });
  }
  const problem = messageOf(thrown);
  log.for("acp").write("error", "a request failed", { problem });
  const { message, reason } = new HarnessError("InternalError", { what: problem });
  return new RequestError(INTERNAL, message, { reason });
}

/** Reports a refusal of a remote engine as if it were a local one. */
function refused(thrown: HarnessError): { readonly reason: string; readonly text: string } {
  if (!hasReason(thrown, "EngineRefused")) return { reason: thrown.reason, text: refusalText(thrown) };
  const { reason, message } = thrown.fields;
  return { reason, text: message };
}
