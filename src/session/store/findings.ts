import type { LogId } from "../../base/ids.ts";
import type { Holder, Intent, Loss, StoreFinding } from "./store.ts";

const EXPORT_FIRST = "Export what can still be read with `cinch sessions export`";

/** Words for the findings of a check, the same for every store. */
export function orphanFinding(
  logId: LogId,
  { callId, tool, startedAt }: Pick<Intent, "callId" | "tool" | "startedAt">,
): StoreFinding {
  return {
    kind: "orphan",
    weight: "note",
    logId,
    text: `The call ${callId} of ${tool} in ${logId} began at ${startedAt}, and its end was never written.`,
    remedy:
      "Resume the session: it asks what became of the call, or runs it again where that changes nothing.",
  };
}

export function structureFinding(place: string, detail: string): StoreFinding {
  return {
    kind: "structure",
    weight: "damage",
    text: `${place} is damaged: ${detail}.`,
    remedy: `${EXPORT_FIRST}, then put the file aside, or set it back from a backup. It is left as it is.`,
  };
}

export function unreadableFinding(logId: LogId, text: string): StoreFinding {
  const remedy = `${EXPORT_FIRST}, then delete the session or set the file back from a backup.`;
  return { kind: "unreadable", weight: "damage", logId, text, remedy };
}

export function gapFinding(
  logId: LogId,
  { count, last }: { readonly count: number; readonly last: number },
): StoreFinding {
  return {
    kind: "gap",
    weight: "damage",
    logId,
    text: `The log ${logId} has ${count} events, and the last of them is number ${last}: some are missing.`,
    remedy: `${EXPORT_FIRST}; set the file back from a backup to have the rest.`,
  };
}

export function lossFinding(loss: Loss): StoreFinding {
  const remedy = loss.isGone
    ? "Set the store back from a backup to have it; else nothing: it is not written again."
    : `${EXPORT_FIRST}, or set the file back from a backup. A resumed session continues without them.`;
  return { kind: "lost", weight: "damage", logId: loss.logId, text: lossText(loss), remedy };
}

/** Returns a sentence about the loss of a log. */
export function lossText({ logId, isGone, events, writes, cause, copy }: Loss): string {
  const why =
    cause === "damage"
      ? "the store was damaged or set back"
      : "the machine lost power or crashed, or the store was damaged or set back";
  const copyNotice = copy === undefined ? "" : ` The damaged write-ahead log was copied to ${copy}.`;
  if (isGone)
    return `The log ${logId} with ${events?.to ?? 0} events is missing from the session store: ${why}.${copyNotice}`;
  const what =
    events === undefined
      ? `the last ${writes === 1 ? "write" : `${writes} writes`}, without an event`
      : events.from === events.to
        ? `event ${events.from}`
        : `events ${events.from} to ${events.to}`;
  return `Missing from the log ${logId}: ${what}. They were written, and ${why}.${copyNotice}`;
}

export function headsFinding(path: string, records: number): StoreFinding {
  return {
    kind: "heads",
    weight: "note",
    text: `${records} records of ${path} cannot be read, so a loss of those logs would not be seen.`,
    remedy: "Nothing: each is written again when its session continues.",
  };
}

export function missingHeadsFinding(path: string): StoreFinding {
  return {
    kind: "heads",
    weight: "note",
    text: `${path} is missing, so a loss of the newest events would not be seen, as where the write-ahead log was removed with it.`,
    remedy: "Nothing: it is written again when a session continues.",
  };
}

export function unreadFramesFinding(path: string, frames: number): StoreFinding {
  const text = `${frames} frames of ${path} stand behind a damaged one, and are not read.`;
  const remedy = "Nothing: the next run copies the file aside before it writes over them.";
  return { kind: "lost", weight: "damage", text, remedy };
}

export function keptWalFinding(path: string): StoreFinding {
  const text = `A write-ahead log with damaged frames was copied to ${path}.`;
  const remedy = "Remove it when you do not need it. The next expiry or deletion of content removes it too.";
  return { kind: "lost", weight: "note", text, remedy };
}

export function leaseFinding(logId: LogId, { pid }: Holder): StoreFinding {
  return {
    kind: "lease",
    weight: "note",
    logId,
    text: `The log ${logId} is marked as written by process ${pid}, which is gone.`,
    remedy: "Nothing: resuming the session takes it over at once.",
  };
}

export function indexFinding(logId: LogId, text: string): StoreFinding {
  return {
    kind: "index",
    weight: "note",
    logId,
    text,
    remedy: "Nothing: the next search reads what it stood for, and makes it again.",
  };
}

export function branchFinding(logId: LogId): StoreFinding {
  return {
    kind: "branch",
    weight: "note",
    logId,
    text: `The branch ${logId} broke off while it was made.`,
    remedy: "Nothing: the next maintenance removes it. Branch again where it is wanted.",
  };
}

export function clockFinding(logId: LogId, updatedAt: string): StoreFinding {
  return {
    kind: "clock",
    weight: "note",
    logId,
    text: `The log ${logId} was written at ${updatedAt}, which is in the future: the clock was set back.`,
    remedy: "Set the clock right. Until then nothing of this session expires.",
  };
}
