const FIRST_STEP_MS = 5;
/**
 * A look may start a process or read all of /proc: a long wait looks less often, and leaves the processor to what
 * it awaits.
 */
const LONGEST_STEP_MS = 50;

/**
 * Waits until something outside this process has come about: a file, a screen, the end of a process.
 *
 * Inside the process, await the promise or move the fake clock instead.
 * @throws Error naming what was waited for, after `withinMs`.
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = 60_000,
): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  for (let stepMs = FIRST_STEP_MS; !(await condition()); stepMs = Math.min(1.5 * stepMs, LONGEST_STEP_MS)) {
    if (performance.now() > giveUpAt) throw new Error(`not within ${withinMs / 1000} s: ${what}`);
    await Bun.sleep(stepMs);
  }
}
