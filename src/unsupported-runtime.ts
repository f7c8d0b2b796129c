import { unsupportedRuntime } from "./app/library/runtime.ts";

export { Cancelled, HarnessError } from "./base/errors.ts";

/** Stands in the package for `Harness` wherever the runtime is not Bun: it names the remedy instead of a syntax error. */
export class Harness {
  /** @throws HarnessError RuntimeUnsupported, always. */
  constructor() {
    throw unsupportedRuntime();
  }
}
