import type { RequestPosition, ToolPosition } from "../../../session/feature.ts";

/** A middleware that every session composes itself, by the name of its function. */
type OwnToolMiddleware =
  | "callLog"
  | "validate"
  | "permission"
  | "memoise"
  | "ledger"
  | "confine"
  | "timeLimit"
  | "truncateAndSpill"
  | "redactOutput"
  | "catchFailures";

type OwnRequestMiddleware =
  | "lateTools"
  | "proveSandbox"
  | "cacheBreakpoints"
  | "takeover"
  | "reportLeftOut"
  | "retry"
  | "expireContent";

/** One step of the tool chain: a middleware of the session, or a place for those of features. */
export type ToolStep = OwnToolMiddleware | ToolPosition;

/** One step of the request chain: a middleware of the session, or a place for those of features. */
export type RequestStep = OwnRequestMiddleware | RequestPosition;

/**
 * The order of tool middleware, the outermost first (ENG-07). Normative: nothing else in the code states it.
 * `docs/architecture.md` § Middleware gives the reasons.
 */
export const TOOL_ORDER = [
  "callLog",
  "watch",
  "validate",
  "hooks",
  "guard",
  "permission",
  "memoise",
  "keep",
  "ledger",
  "confine",
  "timeLimit",
  "truncateAndSpill",
  "inner",
  "redactOutput",
  "catchFailures",
] as const satisfies readonly ToolStep[];

/** The order of request middleware, the outermost first (ENG-06). Normative, as `TOOL_ORDER`. */
export const REQUEST_ORDER = [
  "lateTools",
  "proveSandbox",
  "watch",
  "context",
  "compact",
  "cacheBreakpoints",
  "takeover",
  "reportLeftOut",
  "retry",
  "spend",
  "expireContent",
  "attempt",
] as const satisfies readonly RequestStep[];
