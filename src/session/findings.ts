import type { LogId } from "../base/ids.ts";
import type { Finding, Holder, Intent } from "./store.ts";

const EXPORT_FIRST = "Export what can still be read with `cinch sessions export`";

/** The words for what a check finds, the same for every store. */
export function orphanFinding(
  logId: LogId,
  { callId, tool, startedAt }: Pick<Intent, "callId" | "tool" | "startedAt">,
): Finding {
  return {
    kind: "orphan",
    weight: "note",
    logId,
    text: `The call ${callId} of ${tool} in ${logId} began at ${startedAt}, and its end was never written.`,
    remedy:
      "Resume the session: it asks what became of the call, or runs it again where that changes nothing.",
  };
}

export function structureFinding(place: string, detail: string): Finding {
  return {
    kind: "structure",
    weight: "damage",
    text: `${place} is damaged: ${detail}.`,
    remedy: `${EXPORT_FIRST}, then put the file aside, or set it back from a backup. It is left as it is.`,
  };
}

export function unreadableFinding(logId: LogId, text: string): Finding {
  const remedy = `${EXPORT_FIRST}, then delete the session or set the file back from a backup.`;
  return { kind: "unreadable", weight: "damage", logId, text, remedy };
}

export function gapFinding(
  logId: LogId,
  { count, last }: { readonly count: number; readonly last: number },
): Finding {
  return {
    kind: "gap",
    weight: "damage",
    logId,
    text: `The log ${logId} has ${count} events, and the last of them is number ${last}: some are missing.`,
    remedy: `${EXPORT_FIRST}; set the file back from a backup to have the rest.`,
  };
}

export function leaseFinding(logId: LogId, { pid }: Holder): Finding {
  return {
    kind: "lease",
    weight: "note",
    logId,
    text: `The log ${logId} is marked as written by process ${pid}, which is gone.`,
    remedy: "Nothing: whoever resumes the session takes it over at once.",
  };
}

export function branchFinding(logId: LogId): Finding {
  return {
    kind: "branch",
    weight: "note",
    logId,
    text: `The branch ${logId} broke off while it was made.`,
    remedy: "Nothing: the next maintenance removes it. Branch again where it is wanted.",
  };
}

export function clockFinding(logId: LogId, updatedAt: string): Finding {
  return {
    kind: "clock",
    weight: "note",
    logId,
    text: `The log ${logId} was written at ${updatedAt}, which is in the future: the clock was set back.`,
    remedy: "Set the clock right. Until then nothing of this session expires.",
  };
}
