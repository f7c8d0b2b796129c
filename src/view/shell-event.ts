import type { Envelope } from "../protocol/events/envelope.ts";

/** Returns true for the start or result of a command that a person runs beside the turns: no turn has it. */
export function isShellEvent({ kind, payload }: Envelope): boolean {
  return (kind === "ToolCallStarted" || kind === "ToolResult") && payload.shell === true;
}
