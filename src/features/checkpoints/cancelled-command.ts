import { HarnessError } from "../../base/errors.ts";
import type { ToolContext } from "../../tools/tool.ts";
import { displayPath } from "./tracking/paths.ts";

/** Limit for files that the event names; the rest is counted. */
const FILES_SHOWN_MAX = 20;

/** Changes by a command: paths below the workspace, or the reason why they are unknown. */
export type CommandChanges = readonly string[] | { readonly unknown: string };

/**
 * Emits an Error with the reason BashCancelledMidCommand for a command that was cancelled while it ran ([A] §
 * User-facing errors): its duration, and the files that have changed since it began.
 */
export function reportCancelledCommand(
  { session, callId, emit }: Pick<ToolContext, "session" | "callId" | "emit">,
  { ranMs, changed }: { readonly ranMs: number; readonly changed: CommandChanges },
): void {
  const duration = `${(ranMs / 1_000).toFixed(1)} s`;
  const { reason, message, fields } = new HarnessError("BashCancelledMidCommand", {
    duration,
    list: "unknown" in changed ? `not known, since ${changed.unknown}` : shownList(changed),
    id: session,
  });
  emit({
    kind: "Error",
    payload: { reason, message, details: { ...fields, callId, affected: fields.list } },
  });
}

function shownList(paths: readonly string[]): string {
  if (paths.length === 0) return "none seen";
  const rest = paths.length - FILES_SHOWN_MAX;
  const shown = paths.slice(0, FILES_SHOWN_MAX).map(displayPath);
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join(", ");
}
