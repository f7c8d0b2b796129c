import { HarnessError } from "../base/errors.ts";
import { CANONICAL_FORM_VERSION } from "../protocol/version.ts";
import type { Provider } from "./provider.ts";
import { unknownProviderError } from "./unknown-provider.ts";

/** Creates a provider at its first use; its code is loaded then. */
export type ProviderFactory = () => Promise<Provider> | Provider;

/** The providers by name, each opened at most once (PROV-01). */
export class ProviderRegistry {
  readonly #factories = new Map<string, ProviderFactory>();
  readonly #opened = new Map<string, Promise<Provider>>();

  /** Registers a provider. A later registration of a name wins until it was opened. */
  register(name: string, factory: ProviderFactory): void {
    this.#factories.set(name, factory);
  }

  /** Returns the names in order of registration. */
  names(): readonly string[] {
    return [...this.#factories.keys()];
  }

  /**
   * Opens the provider of this name; a failure to open it is not cached.
   *
   * @throws HarnessError UnknownProvider, or CanonicalFormMismatch for an adapter written for another canonical form
   * than this engine's (PROV-15).
   */
  async open(name: string): Promise<Provider> {
    const open = this.#opened.get(name) ?? this.#start(name);
    this.#opened.set(name, open);
    try {
      return await open;
    } catch (thrown) {
      this.#opened.delete(name);
      throw thrown;
    }
  }

  async #start(name: string): Promise<Provider> {
    const factory = this.#factories.get(name);
    if (factory === undefined) throw unknownProviderError(name, this.names());
    const provider = await factory();
    if (provider.canonicalFormVersion === CANONICAL_FORM_VERSION) return provider;
    const found = String(provider.canonicalFormVersion);
    throw new HarnessError("CanonicalFormMismatch", {
      provider: name,
      found,
      known: String(CANONICAL_FORM_VERSION),
    });
  }
}
