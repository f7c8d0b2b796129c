import type { PayloadOf } from "../../../protocol/events/events.ts";

/** Reason for making a history smaller. */
export type CompactionTrigger = NonNullable<PayloadOf<"CompactionTriggered">["trigger"]>;

/** Assumed window of a model with an unknown window. If it is smaller, the provider's refusal shows it. */
export const CONTEXT_TOKENS_UNKNOWN = 128_000;
/**
 * Maximum share of the window that is kept free for the answer: a small window must have space for a question too.
 */
const RESERVE_SHARE_MAX = 0.25;
/** Minimum share for messages of what system text and tools leave, before anything is made smaller. */
const MESSAGES_SHARE_MIN = 0.5;

/** Space of a request, in tokens. */
export interface TokenBudget {
  readonly window: number;
  /** True if the window is known; otherwise nothing is refused for its size. */
  readonly isKnown: boolean;
  /** Window without the space kept free for the answer: a larger request does not fit. */
  readonly hard: number;
  /** Size above which a request is made smaller first. */
  readonly limit: number;
  /** Part of the limit that is left for messages. */
  readonly messages: number;
  /** Part of the window that is left for messages at most. */
  readonly messagesMax: number;
}

export interface TokenBudgetInput {
  readonly window: number | undefined;
  /** Size of a request that was refused as too long, in tokens. */
  readonly refusedAt: number | undefined;
  readonly outputTokensMax: number;
  readonly threshold: number;
  /** Tokens of system text and tools. */
  readonly prefix: number;
}

export function tokenBudget({
  window: reportedWindow,
  refusedAt,
  outputTokensMax,
  threshold,
  prefix,
}: TokenBudgetInput): TokenBudget {
  const window = Math.min(reportedWindow ?? CONTEXT_TOKENS_UNKNOWN, refusedAt ?? Number.POSITIVE_INFINITY);
  const hard = window - Math.min(outputTokensMax, Math.floor(window * RESERVE_SHARE_MAX));
  const messagesMax = Math.max(0, hard - prefix);
  const limit = Math.max(Math.floor(hard * threshold), prefix + Math.floor(messagesMax * MESSAGES_SHARE_MIN));
  return {
    window,
    isKnown: reportedWindow !== undefined,
    hard,
    limit,
    messages: Math.max(0, limit - prefix),
    messagesMax,
  };
}
