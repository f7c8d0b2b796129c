import { unreachable } from "../../base/assert.ts";
import { reasonText } from "../../base/reasons.ts";
import { shortened } from "../../base/text/text.ts";
import type { EnvelopeOf } from "../../protocol/events/envelope.ts";
import { severityOf } from "../event-facts.ts";
import { neutralise, neutraliseLine } from "../terminal/terminal-text.ts";
import { firstLine, SHOWN_LINE_CHARACTERS_MAX } from "./first-line.ts";

const NANOSECONDS_PER_SECOND = 1e9;

/** An event about a failure, or something else that a person should know. */
export type NoticeEvent = EnvelopeOf<"Error" | "HookTimeout" | "HookError" | "MCPServerDown" | "StreamGap">;

/** Returns the words for a failure or a notice. Only those of an error can have several lines. */
export function noticeText(envelope: NoticeEvent): string {
  switch (envelope.kind) {
    case "Error":
      return `${severityOf(envelope.payload)}: ${neutralise(envelope.payload.message)}`;
    case "HookTimeout":
    case "HookError":
      return hookText(envelope);
    case "MCPServerDown": {
      const { name, reason } = envelope.payload;
      return `MCP server ${neutraliseLine(name)} is down: ${neutraliseLine(reason)}`;
    }
    case "StreamGap":
      return gapText(envelope.payload);
    default:
      return unreachable(envelope);
  }
}

/** Returns the words for events that a reader does not get. */
export function gapText({ from, to, reason }: EnvelopeOf<"StreamGap">["payload"]): string {
  if (reason === "crash") return "the engine was killed here: the last words before this may be missing";
  return `events ${from} to ${to} are gone (${reason})`;
}

/** Returns one line about a hook that failed: which, when, and why. */
function hookText(envelope: EnvelopeOf<"HookTimeout" | "HookError">): string {
  const { event, command } = envelope.payload;
  const cmd = shortened(neutraliseLine(command), SHOWN_LINE_CHARACTERS_MAX);
  if (envelope.kind === "HookTimeout") {
    const timeout = String(envelope.payload.after / NANOSECONDS_PER_SECOND);
    return reasonText("HookTimeout", { event: neutraliseLine(event), cmd, timeout });
  }
  const { exit_code: code, output = "" } = envelope.payload;
  const said = firstLine(output);
  const ending = code === 0 ? "" : ` with exit code ${code}`;
  return `hook '${neutraliseLine(event)}' command '${cmd}' failed${ending}${said === undefined ? "" : `: ${said}`}`;
}
