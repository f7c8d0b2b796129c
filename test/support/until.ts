const STEP_MS = 10;

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
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error(`not within ${withinMs / 1000} s: ${what}`);
    await Bun.sleep(STEP_MS);
  }
}
