/** Automatic restarts within `RESTART_WINDOW_MS` ([A] § MCP server supervision). */
export const RESTARTS_MAX = 3;
export const RESTART_WINDOW_MS = 60_000;
/** Consecutive failures, however far apart, after which a server is given up. */
export const FAILURES_MAX = 5;
export const COOLDOWN_MS = 3_600_000;
const PAUSES_MS: readonly number[] = [1_000, 2_000, 4_000];

/** Failures of a server so far. Times are monotonic, in milliseconds. */
export interface Failures {
  /** Times of the restarts, newest last. Those older than the window are dropped. */
  readonly restarts: readonly number[];
  /** Consecutive failures. */
  readonly inARow: number;
}

export const NO_FAILURES: Failures = { restarts: [], inARow: 0 };

export type AfterFailure =
  | { readonly kind: "restart"; readonly afterMs: number; readonly failures: Failures }
  | { readonly kind: "give-up"; readonly restarts: number };

/**
 * Plans what to do after another failure: a restart after 1, 2 or 4 seconds, or giving up (MCP-03).
 * @param ranMs how long the server had been running. A run longer than the window resets the consecutive failures.
 */
export function planAfterFailure(
  before: Failures,
  { nowMs, ranMs }: { nowMs: number; ranMs: number },
): AfterFailure {
  const inARow = ranMs >= RESTART_WINDOW_MS ? 1 : before.inARow + 1;
  const restarts = before.restarts.filter((at) => nowMs - at < RESTART_WINDOW_MS);
  if (restarts.length >= RESTARTS_MAX || inARow >= FAILURES_MAX)
    return { kind: "give-up", restarts: inARow - 1 };
  const afterMs = PAUSES_MS[restarts.length] ?? 0;
  return { kind: "restart", afterMs, failures: { restarts: [...restarts, nowMs + afterMs], inARow } };
}
