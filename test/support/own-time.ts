const STEP_MS = 10;

/**
 * Tells how long some work takes, in milliseconds that this process lived through.
 *
 * They are counted by short sleeps beside the work. A busy machine makes both longer, so that a limit for the work
 * holds there, too; a little less is told than the clock would tell.
 */
export async function ownMs(work: () => Promise<unknown>): Promise<number> {
  let steps = 0;
  let isOver = false;
  const counting = (async () => {
    for (; !isOver; steps++) await Bun.sleep(STEP_MS);
  })();
  try {
    await work();
    return steps * STEP_MS;
  } finally {
    isOver = true;
    await counting;
  }
}
