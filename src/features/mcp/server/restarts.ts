/** How often a server is started again by itself ([A] § MCP server supervision). */
export const RESTARTS_MAX = 3;
export const RESTART_WINDOW_MS = 60_000;
/** So many failures in a row, however far apart, are the end. */
export const FAILURES_MAX = 5;
export const COOLDOWN_MS = 3_600_000;
const PAUSES_MS: readonly number[] = [1_000, 2_000, 4_000];

/** What went wrong with a server so far. Times are those of the clock that never goes back, in milliseconds. */
export interface Failures {
  /** When it was started again, the newest last; older ones than the window are of no interest. */
  readonly restarts: readonly number[];
  /** How often in a row it failed. */
  readonly inARow: number;
}

export const NO_FAILURES: Failures = { restarts: [], inARow: 0 };

export type AfterFailure =
  | { readonly kind: "restart"; readonly afterMs: number; readonly failures: Failures }
  | { readonly kind: "give-up"; readonly restarts: number };

/**
 * What is done after one more failure: a restart after 1, 2 or 4 seconds, or nothing any more (MCP-03).
 * @param ranMs how long the server had been running; a server that ran for longer than the window begins anew.
 */
export function afterFailure(
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
