import { unreachable } from "../base/assert.ts";
import { Cancelled, HarnessError, hasReason } from "../base/errors.ts";
import type { Reason } from "../base/reasons.ts";
import { refusalOf } from "../base/reasons.ts";
import type { ExitCode } from "../session/commands/cli-command.ts";
import { EXIT } from "../session/commands/cli-command.ts";
import type { TurnResult } from "../view/turn-result.ts";

export const EXIT_TEXTS: readonly (readonly [ExitCode, string])[] = [
  [EXIT.done, "done"],
  [EXIT.failed, "the turn failed"],
  [EXIT.usage, "wrong usage or configuration (also: an unknown model, a refused key)"],
  [EXIT.refused, "ended, but at least one call was refused for want of permission"],
  [EXIT.limit, "a limit was reached (turns, cost, time)"],
  [EXIT.trust, "trust refused: a file of the project was not acknowledged, or has changed since"],
  [EXIT.cancelled, "cancelled: a signal, or nobody reads standard output any more"],
];

/** Reasons that another command line or configuration can avoid. Those of features stand in their `errors.ts`. */
const USAGE: ReadonlySet<string> = new Set<Reason>([
  "UsageInvalid",
  "ConfigInvalid",
  "ProfileMissing",
  "PathMissing",
  "NoModel",
  "UnknownProvider",
  "UnknownModel",
  "ModelUnavailable",
  "VertexUnplaced",
  "GoogleCredentialsUnusable",
  "ProviderKeyMissing",
  "MachineKeyUnusable",
  "CredentialsLocked",
  "CredentialsDamaged",
  "ProviderKeyInvalid",
  "KeyStoreMissing",
  "NotOnThisMachine",
  "ProviderKeyRefused",
  "UnsupportedContent",
  "CassetteInvalid",
  "StoreNewer",
  "StoreInUse",
  "SessionsLocked",
  "LogHeld",
  "EngineRunning",
  "OwnerRefused",
  "OwnerTokenStale",
  "EngineCertificate",
  "HandshakeVersionMismatch",
  "Forbidden",
  "TokenMissing",
  "TokenInvalid",
  "TokenExpired",
  "TokenRevoked",
  "TokenNotHere",
  "ClaimsInvalid",
  "TokenFileUnsafe",
  "SessionMissing",
  "NoSuchSession",
  "SessionAmbiguous",
  "SessionPinned",
  "NotABoundary",
  "ExportInvalid",
  "NothingToContinue",
  "OrphanUnsettled",
  "TemporaryUnusable",
  "StateUnwritable",
]);

/** Reasons about an unreviewed file or program, or an unreliable record of approvals. */
const TRUST: ReadonlySet<string> = new Set<Reason>([
  "NonInteractiveAckRefused",
  "HookHashChanged",
  "TrustLedgerInvalid",
  "TrustLedgerUnwritable",
  "TrustRefused",
  "TrustDrift",
  "ParentRefused",
  "ParentsUnusable",
]);

/** Returns the code of a turn that has ended, or of one whose end is unknown. */
export function exitCodeOfTurn({
  reason,
  refused,
  error,
}: Pick<TurnResult, "reason" | "refused" | "error">): ExitCode {
  if (reason === undefined) return EXIT.failed;
  switch (reason) {
    case "complete":
    case "yield":
      return refused > 0 ? EXIT.refused : EXIT.done;
    case "cancelled":
      return EXIT.cancelled;
    case "turn_limit":
    case "time_limit":
    case "budget":
      return EXIT.limit;
    case "error":
      return error !== undefined && isUsage(error.reason) ? EXIT.usage : EXIT.failed;
    case "length":
    case "empty":
    case "no_progress":
      return EXIT.failed;
    default:
      return unreachable(reason);
  }
}

/** Returns the code of an error from before the end of a turn. */
export function exitCodeOf(thrown: unknown): ExitCode {
  if (thrown instanceof Cancelled) return EXIT.cancelled;
  if (hasReason(thrown, "TimeLimitReached")) return EXIT.limit;
  return thrown instanceof HarnessError ? exitCodeOfReason(thrown.reason) : EXIT.failed;
}

/** Returns the code of the reason of an error. */
export function exitCodeOfReason(reason: string): ExitCode {
  if (isUsage(reason)) return EXIT.usage;
  return TRUST.has(reason) ? EXIT.trust : EXIT.failed;
}

function isUsage(reason: string): boolean {
  return USAGE.has(reason) || refusalOf(reason)?.isUsage === true;
}
