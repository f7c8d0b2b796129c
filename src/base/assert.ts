/**
 * Throws when a condition that this code itself promises does not hold.
 *
 * An assertion names a bug: it ends the turn it happens in, never the process.
 */
export function assert(condition: unknown, promise: string): asserts condition {
  if (!condition) throw new AssertionError(promise);
}

/** Ends a `switch` over a closed union, so that a new kind is a compile error at every switch. */
export function unreachable(value: never): never {
  throw new AssertionError(`unexpected ${JSON.stringify(value)}`);
}

/** A promise of our own that did not hold: a bug, not an outcome. */
export class AssertionError extends Error {
  override readonly name = "AssertionError";
  constructor(promise: string) {
    super(`bug in cinch: ${promise}`);
  }
}
