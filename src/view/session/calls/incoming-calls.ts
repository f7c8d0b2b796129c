import type { CallId } from "../../../base/ids.ts";
import { head, shortened } from "../../../base/text/text.ts";
import type { Envelope, EnvelopeOf } from "../../../protocol/events/envelope.ts";
import { isMissing } from "../../follow.ts";
import { NAME_CHARACTERS_MAX } from "../limits.ts";

/** Calls that models write at the same time; beyond that the oldest is forgotten. */
export const INCOMING_CALLS_MAX = 64;
/** Characters of the arguments of one of them that are kept, the first. */
export const INCOMING_CHARACTERS_MAX = 65_536;

/** A call that the model writes. Only a reader that asked for arguments (`args`) has any. */
export interface IncomingCall {
  readonly tool: string;
  /** The beginning of its arguments, as JSON text. */
  readonly text: string;
  /** True if more has come than `text`: above a limit, or this reader missed a piece. */
  readonly isCut?: true;
  /** The call that runs the sub-agent whose call this is. */
  readonly parentCall?: CallId;
}

/** The calls that models write, the oldest first. */
export type IncomingCalls = ReadonlyMap<CallId, IncomingCall>;

export const NO_INCOMING: IncomingCalls = new Map();

/** Returns the calls after a piece of the arguments of one. */
export function withPiece(
  calls: IncomingCalls,
  { payload, parentCall }: EnvelopeOf<"ToolArgsDelta">,
): IncomingCalls {
  const { callId, tool, text: piece, offset, cut } = payload;
  if (payload.void === true) return withoutCalls(calls, (id) => id === callId);
  const { text: before = "", isCut: wasCut } = (offset > 0 && calls.get(callId)) || {};
  const isNext = wasCut !== true && before.length === offset;
  const text = head(isNext ? before + piece : before, INCOMING_CHARACTERS_MAX);
  const isCut = !isNext || cut === true || text.length < before.length + piece.length;
  const call = {
    tool: shortened(tool, NAME_CHARACTERS_MAX),
    text,
    ...(isCut ? { isCut } : {}),
    ...(parentCall === undefined ? {} : { parentCall }),
  } as const;
  const others = calls.has(callId) ? [...calls] : [...calls].slice(1 - INCOMING_CALLS_MAX);
  return new Map(others).set(callId, call);
}

/** Returns the calls after one more event of the log; the same value if none of them ended. */
export function incomingCallsAfter(calls: IncomingCalls, envelope: Envelope): IncomingCalls {
  if (calls.size === 0) return calls;
  const { kind, payload, parentCall } = envelope;
  switch (kind) {
    case "ToolCallStarted":
      return withoutCalls(calls, (id) => id === payload.callId);
    case "ToolResult":
      return withoutCalls(calls, (_, call) => call.parentCall === payload.callId);
    case "TurnEnded":
    case "SessionEnded":
      return withoutCalls(calls, (_, call) => parentCall === undefined || call.parentCall === parentCall);
    case "StreamGap":
      return isMissing(envelope) ? NO_INCOMING : calls;
    default:
      return calls;
  }
}

function withoutCalls(
  calls: IncomingCalls,
  isOver: (id: CallId, call: IncomingCall) => boolean,
): IncomingCalls {
  const rest = [...calls].filter(([id, call]) => !isOver(id, call));
  if (rest.length === calls.size) return calls;
  return rest.length === 0 ? NO_INCOMING : new Map(rest);
}
