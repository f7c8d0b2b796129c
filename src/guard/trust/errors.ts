import { errorsOf } from "../../base/reasons.ts";

/** Refusals and failures of `guard/trust/`, with their texts for people. */
export const ERRORS = errorsOf({
  HookHashChanged:
    "<path> changed since you last approved it. Review the diff (TUI: 'v' opens the diff viewer). Re-ack to continue.",
  NonInteractiveAckRefused:
    "Refusing to silently approve an unseen <kind> in non-interactive mode. Run cinch ack --all once interactively, or pre-populate approved.lock from CI.",
  TrustLedgerInvalid:
    "The approvals in <path> cannot be trusted: <problem>. Nothing of a project is loaded. Correct the file, or move it away and acknowledge again with: cinch ack",
  TrustLedgerUnwritable:
    "The approval cannot be stored in <path>: <detail>. The file stays unapproved. Correct that, or start with --without-project.",
});
