import type { Output } from "../io/output.ts";
import type { Settings } from "../settings.ts";

/** Returns true if a prompt prints deltas before its turn has ended: as events, or as progress. */
export function showsDeltas(
  format: unknown,
  settings: Pick<Settings, "logToStderr">,
  stderr: Pick<Output, "isTerminal">,
): boolean {
  return format === "stream-json" || showsProgress(settings, stderr);
}

/** Returns true if a prompt prints its progress on standard error. */
export function showsProgress(
  { logToStderr }: Pick<Settings, "logToStderr">,
  { isTerminal }: Pick<Output, "isTerminal">,
): boolean {
  return isTerminal || logToStderr;
}
