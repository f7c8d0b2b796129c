import { unsupportedRuntime } from "./app/library/runtime.ts";

export { Cancelled, HarnessError } from "./base/errors.ts";
export { CANONICAL_FORM_VERSION } from "./protocol/version.ts";
export { ProviderError } from "./providers/error.ts";

/**
 * Stands in the package for `Harness` wherever the runtime is not Bun: it names the remedy instead of a syntax error.
 */
export class Harness {
  /** @throws HarnessError RuntimeUnsupported, always. */
  constructor() {
    throw unsupportedRuntime();
  }
}

/** Stands in for a session, which no other runtime can open. */
export class EngineSession extends Harness {}

/** @throws HarnessError RuntimeUnsupported, always. */
export function createEngine(): never {
  throw unsupportedRuntime();
}

/** @throws HarnessError RuntimeUnsupported, always. */
export function apiProvider(): never {
  throw unsupportedRuntime();
}

/** @throws HarnessError RuntimeUnsupported, always. */
export function memoryStore(): never {
  throw unsupportedRuntime();
}

/** @throws HarnessError RuntimeUnsupported, always. */
export function sqliteStore(): never {
  throw unsupportedRuntime();
}
