import { defined } from "../../../base/defined.ts";
import type { CallId } from "../../../base/ids.ts";
import { jsonCharacters } from "../../../base/json.ts";
import { shortened } from "../../../base/text/text.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import { isShellEvent } from "../../event-facts.ts";
import { isMissing } from "../../follow.ts";
import { isTurnStarted } from "../../turn-marks.ts";
import type { UncertainEntry } from "../gaps/uncertain.ts";
import { uncertainValues } from "../gaps/uncertain.ts";
import { NAME_CHARACTERS_MAX, shortenedJson } from "../limits.ts";

/** Calls that run at the same time; beyond that the oldest is forgotten. */
export const OPEN_CALLS_MAX = 1_000;
/** Output of a running call that is kept, its end. */
export const OUTPUT_CHARACTERS_MAX = 4_096;

/** Characters of the arguments of a running call that are kept. */
const ARGS_CHARACTERS_MAX = 4_096;

/** A tool call that runs. */
export interface OpenCall extends UncertainEntry {
  readonly tool: string;
  /** The beginning of its arguments if they are longer than `ARGS_CHARACTERS_MAX`. */
  readonly args: unknown;
  /** Characters of its arguments that were left out. Absent: none. */
  readonly argsLeftOut?: number;
  /** The call that runs the sub-agent whose call this is. */
  readonly parentCall?: CallId;
  /** Set for a command that a person runs beside the turns. */
  readonly shell?: true;
  /** End of its output so far. */
  readonly output: string;
  /** Last lines and numbers of a command that runs; absent for other tools. */
  readonly command?: RunningCommand;
}

/** A command that runs, as its newest report describes it. */
export interface RunningCommand {
  /** Absent in a view of the log alone: use `output`. */
  readonly tail?: string;
  readonly bytes: number;
  readonly lines: number;
  readonly elapsedMs: number;
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
      const call = {
        tool: shortened(tool, NAME_CHARACTERS_MAX),
        ...keptArgs(args),
        output: "",
        ...(parentCall === undefined ? {} : { parentCall }),
        ...(isShellEvent(envelope) ? { shell: true as const } : {}),
      };
      const others = [...calls].filter(([id]) => id !== callId);
      return new Map(others.slice(1 - OPEN_CALLS_MAX)).set(callId, call);
    }
    case "ToolCallProgress": {
      const { callId, partial, ...report } = envelope.payload;
      const call = calls.get(callId);
      if (call === undefined) return calls;
      const output = (call.output + partial).slice(-OUTPUT_CHARACTERS_MAX).toWellFormed();
      return new Map(calls).set(callId, { ...call, output, ...commandOf(report, call.command) });
    }
    case "ToolResult":
      return without(calls, envelope.payload.callId);
    case "StreamGap":
      return calls.size > 0 && isMissing(envelope) ? uncertainValues(calls) : calls;
    case "TurnStarted":
      return isTurnStarted(envelope) ? withoutUncertain(calls) : calls;
    case "TurnEnded":
      return envelope.parentCall === undefined ? shellCalls(calls) : calls;
    case "SessionEnded":
      return envelope.parentCall === undefined && calls.size > 0 ? NO_CALLS : calls;
    default:
      return calls;
  }
}

function commandOf(
  report: Omit<PayloadOf<"ToolCallProgress">, "callId" | "partial">,
  before: RunningCommand | undefined,
): Pick<OpenCall, "command"> {
  const { tail = before?.tail, bytes, lines, elapsedMs } = report;
  if (bytes === undefined || lines === undefined || elapsedMs === undefined) return {};
  return { command: { ...defined({ tail }), bytes, lines, elapsedMs } };
}

/** Returns true for a command that a person runs beside the turns. */
export function isShellCall({ shell }: Pick<OpenCall, "shell">): boolean {
  return shell === true;
}

/** Returns the commands of people, which do not end with a turn. */
function shellCalls(calls: OpenCalls): OpenCalls {
  const rest = [...calls].filter(([, call]) => isShellCall(call));
  return rest.length === calls.size ? calls : new Map(rest);
}

/** Removes calls that may have ended in a gap: the turn of each is over. */
function withoutUncertain(calls: OpenCalls): OpenCalls {
  const rest = [...calls].filter(([, { isUncertain }]) => isUncertain !== true);
  return rest.length === calls.size ? calls : new Map(rest);
}

function keptArgs(args: unknown): Pick<OpenCall, "args" | "argsLeftOut"> {
  const shortArgs = shortenedJson(args, ARGS_CHARACTERS_MAX);
  return shortArgs === args
    ? { args }
    : { args: shortArgs, argsLeftOut: jsonCharacters(args) - jsonCharacters(shortArgs) };
}

/** Removes a call with those of the sub-agent that it runs. */
function without(calls: OpenCalls, ended: CallId): OpenCalls {
  const endedIds = new Set([ended]);
  // A sub-agent's call begins after the call that runs it.
  const rest = [...calls].filter(([id, { parentCall }]) => {
    const isGone = endedIds.has(id) || (parentCall !== undefined && endedIds.has(parentCall));
    if (isGone) endedIds.add(id);
    return !isGone;
  });
  return rest.length === calls.size ? calls : new Map(rest);
}
