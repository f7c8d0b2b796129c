/** A server that does not do what the scenario asks: what was looked at, what was expected, what came. */
export class Mismatch extends Error {
  override readonly name = "Mismatch";
  readonly expected: string;
  readonly got: string;

  constructor(what: string, expected: string, got: string) {
    super(what);
    this.expected = expected;
    this.got = got;
  }
}

/** A scenario that cannot be walked here, and why. */
export class Skipped extends Error {
  override readonly name = "Skipped";
}
