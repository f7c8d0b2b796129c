import type { Envelope, EnvelopeOf } from "../protocol/events/envelope.ts";

/** Returns true for the start or result of a command that a person runs beside the turns: no turn has it. */
export function isShellEvent({ kind, payload }: Envelope): boolean {
  return (kind === "ToolCallStarted" || kind === "ToolResult") && payload.shell === true;
}

/**
 * Returns the word that stands before the message of an Error event: "note" for a notice.
 *
 * A log of protocol 0.2.0 does not mark silences of the provider and retries as notices; they are notices too.
 */
export function severityOf({ reason, severity, details }: EnvelopeOf<"Error">["payload"]): "note" | "error" {
  const continues = reason === "ProviderSilent" || details?.["retryInMs"] !== undefined;
  return severity === "notice" || continues ? "note" : "error";
}
