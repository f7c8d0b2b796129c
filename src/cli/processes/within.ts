import type { Clock } from "../../base/world.ts";

/**
 * Time limit for a harness to close, longer than any grace period of its children. The longest is an MCP server's,
 * whose input closes at once, which gets SIGTERM after five seconds, and is killed a second later (MCP-05).
 */
export const CLOSE_MS_MAX = 8_500;

/** Waits for the end of some work, at most `ms`; resolves to true if it ended. Its failure is rethrown. */
export async function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: Disposable | undefined;
  const late = new Promise<false>((resolve) => {
    timer = clock.timer(ms, () => resolve(false));
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    timer?.[Symbol.dispose]();
  }
}
