import type { CustomReason, Reason } from "../../base/reasons.ts";
import { isCustomReason, refusalOf } from "../../base/reasons.ts";

/**
 * HTTP statuses of refusals; those of features stand in their `errors.ts`. docs/protocol/errors.md is made from them.
 * Any other reason is answered with 500: the request was right, and something here failed.
 * `test/error-statuses.test.ts` lists them.
 */
const STATUSES: Readonly<Record<number, readonly Reason[]>> = {
  400: [
    "InvalidPath",
    "InvalidHeader",
    "InvalidBody",
    "InvalidFrame",
    "InvalidSessionID",
    "UsageInvalid",
    "ClaimsInvalid",
    "ProviderKeyInvalid",
  ],
  401: ["TokenMissing", "TokenInvalid", "TokenExpired", "TokenRevoked"],
  403: [
    "InvalidHost",
    "InvalidOrigin",
    "Forbidden",
    "TokenNotHere",
    "NotOnThisMachine",
    "MintRefused",
    "MintCodeWrong",
    "MintExpired",
    "MintTooWide",
    "PermissionDenied",
    "PromptRefused",
    "TrustRefused",
    "TrustDrift",
    "NonInteractiveAckRefused",
    "HookHashChanged",
  ],
  404: [
    "UnknownRoute",
    "UnknownClient",
    "UnknownResource",
    "UnknownSession",
    "SessionMissing",
    "NoSuchSession",
    "NothingToContinue",
    "UnknownCommandNamespace",
    "UnknownProvider",
    "UnknownModel",
    "ProfileMissing",
    "PathMissing",
  ],
  405: ["MethodNotAllowed"],
  408: ["BodyTooSlow"],
  409: [
    "TurnInProgress",
    "InvalidCommand",
    "InvalidQuery",
    "HandshakeRequired",
    "HandshakeVersionMismatch",
    "LogHeld",
    "LeaseLost",
    "SessionAmbiguous",
    "SessionPinned",
    "SessionEnding",
    "DraftsFull",
    "NotABoundary",
    "NoModel",
    "ProviderKeyMissing",
    "UnsupportedContent",
    "KeyStoreMissing",
    "ConfigInvalid",
    "MintBusy",
    "OrphanUnsettled",
    "ContextOverflow",
    "TimeLimitReached",
  ],
  413: ["BodyTooLarge"],
  415: ["UnsupportedMediaType"],
  429: [
    "InputQueueFull",
    "ShellQueueFull",
    "TooManyClients",
    "TooManyFrames",
    "UploadsBusy",
    "TooManyFollowed",
    "MintTooOften",
  ],
  502: [
    "ProviderUnreachable",
    "ProviderRefused",
    "ProviderFailed",
    "ProviderKeyRefused",
    "ProviderQuotaExceeded",
    "RateLimited",
    "ModelUnavailable",
    "StreamInterrupted",
    "StreamMalformed",
    "EmptyResponse",
    "ResponseRefused",
    "OutputTruncated",
  ],
  503: ["EngineStopping", "StoreBusy"],
  504: ["ProviderTimeout"],
};

const BY_REASON = new Map(
  Object.entries(STATUSES).flatMap(([status, reasons]) =>
    reasons.map((reason): [Reason, number] => [reason, Number(status)]),
  ),
);

/**
 * Returns the HTTP status of a reason. A reason of a plugin is a refusal: 422. A reason that asks for another
 * configuration is a conflict: 409.
 */
export function httpStatusOf(reason: Reason | CustomReason): number {
  if (isCustomReason(reason)) return 422;
  const refusal = refusalOf(reason);
  return BY_REASON.get(reason) ?? refusal?.status ?? (refusal?.isUsage === true ? 409 : 500);
}
