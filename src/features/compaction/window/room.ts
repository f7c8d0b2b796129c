import type { PayloadOf } from "../../../protocol/events/events.ts";

/** Why a history is made smaller. */
export type Trigger = NonNullable<PayloadOf<"CompactionTriggered">["trigger"]>;

/** The window of a model that nobody knows the window of. Where it is smaller, its own refusal tells. */
export const CONTEXT_TOKENS_UNKNOWN = 128_000;
/** At most this share of the window is kept free for the answer: a small window must have room for a question too. */
const RESERVE_SHARE_MAX = 0.25;
/** At least this share of what system text and tools leave is for messages before anything is made smaller. */
const MESSAGES_SHARE_MIN = 0.5;

/** How much a request may hold, in tokens. */
export interface Room {
  readonly window: number;
  /** Whether somebody has told the window; else nothing is refused for its size. */
  readonly isKnown: boolean;
  /** The window without what is kept free for the answer: a request above it does not fit. */
  readonly hard: number;
  /** A request above it is made smaller first. */
  readonly limit: number;
  /** What of the limit is left for messages. */
  readonly messages: number;
  /** What of the window is left for messages at most. */
  readonly messagesMax: number;
}

export interface RoomOf {
  readonly window: number | undefined;
  /** A request of so many tokens has been refused as too long. */
  readonly refusedAt: number | undefined;
  readonly outputTokensMax: number;
  readonly threshold: number;
  /** System text and tools. */
  readonly prefix: number;
}

export function roomOf({ window: told, refusedAt, outputTokensMax, threshold, prefix }: RoomOf): Room {
  const window = Math.min(told ?? CONTEXT_TOKENS_UNKNOWN, refusedAt ?? Number.POSITIVE_INFINITY);
  const hard = window - Math.min(outputTokensMax, Math.floor(window * RESERVE_SHARE_MAX));
  const messagesMax = Math.max(0, hard - prefix);
  const limit = Math.max(Math.floor(hard * threshold), prefix + Math.floor(messagesMax * MESSAGES_SHARE_MIN));
  return {
    window,
    isKnown: told !== undefined,
    hard,
    limit,
    messages: Math.max(0, limit - prefix),
    messagesMax,
  };
}
