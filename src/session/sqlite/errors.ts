import { errorsOf } from "../../base/reasons.ts";

/** Refusals and failures of `session/sqlite/`, with their texts for people. */
export const ERRORS = errorsOf({
  StoreNewer:
    "The session store <path> was written by a newer cinch (schema <found>, this one knows <known>). Upgrade cinch; nothing was changed.",
  StoreInUse:
    "The session store <path> is of an older cinch, and process <pid> still writes a session in it. End that process, then start again; nothing was changed.",
  StoreCorrupt:
    "The session store <path> is damaged: <detail>. It was left as it is. Restore it from a backup, or move it away to start with an empty one.",
  StoreUnwritable:
    "The session store <path> cannot be written: <detail>. What was acknowledged before is kept. Make room, or make it and its folder writable for you; XDG_DATA_HOME puts it elsewhere.",
  StoreBusy: "The session store <path> is locked by another program: <detail>. Try again when it is done.",
  SessionsLocked:
    "The session store <path> was sealed under another machine key than the one in use now, which is from <source>. Set the CINCH_MACHINE_KEY or CINCH_PASSPHRASE that it was made with. If it was made with neither, unset both: then machine.key is used. Or move the store away to start with an empty one. Nothing was changed.",
  LogHeld:
    "The session <id> is in use by process <pid> on this machine. End it there first (a client: EndSession; the line client: /quit), or start a new session.",
  LeaseLost:
    "Another process has taken over the session <id>; this one stopped writing. Continue there, or end that process and resume the session.",
  SessionMissing: "There is no stored session <id>.",
  DraftsFull:
    "The session <id> keeps the drafts of <count> readers already. Send or empty one of them first: SetDraft with an empty text removes it.",
});
