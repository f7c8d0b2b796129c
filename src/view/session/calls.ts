import type { CallId } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";

/** Calls that run at the same time; beyond that the oldest is forgotten. */
export const OPEN_CALLS_MAX = 1_000;
/** Output of a running call that is kept, its end. */
export const OUTPUT_CHARACTERS_MAX = 4_096;

/** A tool call that runs. */
export interface OpenCall {
  readonly tool: string;
  readonly args: unknown;
  /** The call that runs the sub-agent whose call this is. */
  readonly parentCall?: CallId;
  /** End of its output so far. */
  readonly output: string;
}

/** Running calls of a session and its sub-agents, the oldest first. */
export type OpenCalls = ReadonlyMap<CallId, OpenCall>;

export const NO_CALLS: OpenCalls = new Map();

/** Returns the running calls after one more event; the same value if none of them changed. */
export function callsAfter(calls: OpenCalls, envelope: Envelope): OpenCalls {
  switch (envelope.kind) {
    case "ToolCallStarted": {
      const { callId, tool, args } = envelope.payload;
      const { parentCall } = envelope;
      const call = { tool, args, output: "", ...(parentCall === undefined ? {} : { parentCall }) };
      return new Map([...calls].slice(1 - OPEN_CALLS_MAX)).set(callId, call);
    }
    case "ToolCallProgress": {
      const { callId, partial } = envelope.payload;
      const call = calls.get(callId);
      if (call === undefined) return calls;
      const output = (call.output + partial).slice(-OUTPUT_CHARACTERS_MAX).toWellFormed();
      return new Map(calls).set(callId, { ...call, output });
    }
    case "ToolResult":
      return without(calls, envelope.payload.callId);
    case "TurnEnded":
    case "SessionEnded":
      return envelope.parentCall === undefined && calls.size > 0 ? NO_CALLS : calls;
    default:
      return calls;
  }
}

/** Removes a call with those of the sub-agent that it runs. */
function without(calls: OpenCalls, ended: CallId): OpenCalls {
  const gone = new Set([ended]);
  // A sub-agent's call begins after the call that runs it.
  const rest = [...calls].filter(([id, { parentCall }]) => {
    const isGone = gone.has(id) || (parentCall !== undefined && gone.has(parentCall));
    if (isGone) gone.add(id);
    return !isGone;
  });
  return rest.length === calls.size ? calls : new Map(rest);
}
