import type { SecretPrint } from "./known-secret.ts";

/** Fingerprints of keys that were replaced: so many are still redacted, the newest first. */
export const FORMER_PRINTS_MAX = 1_024;

/** Fingerprints that may grow while a redactor is in use. */
export interface LivePrints {
  /** A new array whenever it changes. */
  readonly all: readonly SecretPrint[];
}

/** The fingerprints of the keys in use, and of those that were replaced: a text may still hold an old key. */
export class KnownPrints implements LivePrints {
  #current: readonly SecretPrint[] = [];
  #former: readonly SecretPrint[] = [];
  #all: readonly SecretPrint[] = [];

  get all(): readonly SecretPrint[] {
    return this.#all;
  }

  /** Takes the fingerprints of the keys that are in use from now on. */
  replace(current: readonly SecretPrint[]): void {
    const isCurrent = new Set(current.map(nameOf));
    const replaced = [...this.#current, ...this.#former].filter((print) => !isCurrent.has(nameOf(print)));
    this.#former = replaced.slice(0, FORMER_PRINTS_MAX);
    this.#current = current;
    this.#all = [...current, ...this.#former];
  }
}

function nameOf({ salt, sha256 }: SecretPrint): string {
  return `${salt} ${sha256}`;
}
