/**
 * Throws if a condition that this code guarantees does not hold.
 *
 * An assertion reports a bug: it ends the turn it happens in, never the process.
 */
export function assert(condition: unknown, promise: string): asserts condition {
  if (!condition) throw new AssertionError(promise);
}

/** Ends a `switch` over a closed union, so that a new kind is a compile error at every switch. */
export function unreachable(value: never): never {
  throw new AssertionError(`unexpected ${JSON.stringify(value)}`);
}

/** A broken guarantee of this code: a bug, not an outcome. */
export class AssertionError extends Error {
  override readonly name = "AssertionError";
  constructor(promise: string) {
    super(`bug in cinch: ${promise}`);
  }
}
