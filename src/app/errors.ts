import { errorsOf } from "../base/reasons.ts";

/** Refusals and failures of `app/`, with their texts for people. */
export const ERRORS = errorsOf({
  EngineRunning:
    "An engine of yours listens at <path> already: <process>. Attach to it: cinch token gives a client its token. Or end it: <remedy>",
  RuntimeUnsupported:
    "The library of cinch runs on Bun, and this is <runtime>. Start the program with: bun FILE. From another runtime, use an engine through its protocol (cinch serve) with the client for TypeScript.",
  StoreFailed:
    "The session store of this program failed in <call>: <detail>. What it acknowledged before counts. The session ends; resume it once the store works.",
  PathMissing: "<what> does not exist: <path>",
  TrustRefused: "Not acknowledged: <paths>. Look at each with: cinch ack (at a terminal)",
  NoSuchSession: "There is no stored session '<id>'. <hint>",
  SessionAmbiguous: "'<id>' is the beginning of <count> ids: <ids>. Write more of it.",
  ExportInvalid:
    "<path>, line <line>: <problem>. Nothing was imported. Take a new export, or read what can be read: --unverified",
  SessionPinned: "The session <id> is pinned, and so is kept. Unpin it first: cinch sessions unpin <id>",
  NothingToContinue: "There is no earlier session in <directory> to continue. Start a new one with: cinch",
});
