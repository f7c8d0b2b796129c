/** Processor time of `control` on an idle machine. */
const CONTROL_MS = 10;
const TRIES = 6;

/**
 * Tells how many milliseconds of a processor some work would take on a machine at rest, at most.
 *
 * A busy machine slows everything down, so the work is measured by turns with a fixed piece of work, both in the
 * time of the processor and not of the clock. The least of some tries counts; there is no further one once `enough`
 * was reached.
 */
export async function costMs(work: () => unknown, enough: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && least >= enough; tries++) {
    const before = await spentMs(control);
    const spent = await spentMs(work);
    const after = await spentMs(control);
    least = Math.min(least, (spent / Math.max(before, after)) * CONTROL_MS);
  }
  return least;
}

async function spentMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** The same for each call: texts made, searched and sorted, as most of the work that is measured does. */
function control(): number {
  let state = 1;
  const words = Array.from({ length: 40_000 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state.toString(36);
  });
  return [...words.sort().join(" ").matchAll(/a\w*z/g)].length;
}
