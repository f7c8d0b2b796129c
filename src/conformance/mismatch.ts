/** Thrown when a server breaks a scenario's promise. The message says what was checked. */
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

/** Thrown when a scenario cannot run against this server; the message says why. */
export class Skipped extends Error {
  override readonly name = "Skipped";
}
