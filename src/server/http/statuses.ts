import type { CustomReason, Reason } from "../../base/reasons.ts";
import { isCustomReason } from "../../base/reasons.ts";

/**
 * The HTTP status of each refusal; docs/protocol/errors.md is made of this table. Reasons that are not listed are
 * answered with 500: the request was right, the server failed.
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
  ],
  401: ["TokenMissing", "TokenInvalid", "TokenExpired", "TokenRevoked"],
  403: [
    "InvalidHost",
    "InvalidOrigin",
    "Forbidden",
    "TokenNotHere",
    "MintRefused",
    "MintCodeWrong",
    "MintExpired",
    "MintTooWide",
    "PermissionDenied",
    "PromptRefused",
    "TrustRefused",
    "TrustDrift",
    "NonInteractiveAckRefused",
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
    "UnknownPromptTemplate",
    "UnknownAgent",
    "McpServerUnknown",
    "UnknownProvider",
    "UnknownModel",
    "ProfileMissing",
    "PathMissing",
    "MemoryMissing",
    "SkillMissing",
    "CheckpointMissing",
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
    "NotABoundary",
    "RewindChanged",
    "NoModel",
    "ProviderKeyMissing",
    "ConfigInvalid",
    "CostUnknown",
    "MintBusy",
  ],
  413: ["BodyTooLarge", "PromptTooLarge"],
  415: ["UnsupportedMediaType"],
  429: ["InputQueueFull", "TooManyClients", "TooManyFrames", "TooManyFollowed", "MintTooOften"],
  502: ["ProviderUnreachable", "ProviderRefused", "ProviderFailed", "ProviderKeyRefused"],
  503: ["EngineStopping", "StoreBusy"],
  504: ["ProviderTimeout"],
};

const BY_REASON = new Map(
  Object.entries(STATUSES).flatMap(([status, reasons]) =>
    reasons.map((reason): [Reason, number] => [reason, Number(status)]),
  ),
);

/**
 * Returns the status of a reason. A custom reason of a plugin is a refusal: the request was understood, and not carried
 * out.
 */
export function statusOf(reason: Reason | CustomReason): number {
  return BY_REASON.get(reason as Reason) ?? (isCustomReason(reason) ? 422 : 500);
}
