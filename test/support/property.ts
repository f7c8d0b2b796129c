import * as fc from "fast-check";

/**
 * Holds a property against random values; a failure tells the seed and the smallest value that breaks it. With a seed
 * the values are the same each time.
 *
 * It is always awaited, whether the property is: `fc.assert` returns a promise for some and nothing for others.
 */
export async function holds(property: fc.IRawProperty<unknown>, runs = 100, seed?: number): Promise<void> {
  const drawn = seed === undefined ? {} : { seed };
  await fc.assert(property as fc.IAsyncProperty<unknown>, { numRuns: runs, ...drawn });
}
