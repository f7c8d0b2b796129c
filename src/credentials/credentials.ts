import type { AuthorizedFetch, KeyRing } from "../providers/authorized-fetch.ts";
import type { LivePrints } from "../safety/secrets/known-prints.ts";
import type { HeldKey, ProviderKey } from "./helper/helper-messages.ts";
import type { MachineKeySource } from "./machine-key.ts";

/** State of the helper process, for /health. */
export type HelperState =
  /** This process holds the keys, or there are none. */
  | { readonly kind: "none" }
  | { readonly kind: "starting" | "working" | "restarting" }
  | { readonly kind: "failed"; readonly times: number };

/** Outcome of storing a key, without the key. */
export interface StoredKeyReport {
  /** True if it replaced a stored key. */
  readonly replaced: boolean;
  /** Source of the key that is used now: another one than the store if that goes before. */
  readonly source: string;
}

/** Access of an engine to keys: sending with them, and the key that encrypts its log. */
export interface Credentials {
  /** Sends a request to a provider with that provider's key inserted. */
  readonly send: AuthorizedFetch;
  /** The keys as far as this process holds them. With a helper it knows their providers only. */
  readonly keys: KeyRing;
  /** Returns fingerprints that find the keys in texts, for redaction (SES-05). They change when a key is stored. */
  prints(): Promise<LivePrints>;
  /**
   * Stores the key of a provider in the encrypted store and uses it from then on, with no restart (CRED-01). This
   * process passes it on and does not keep it (CRED-03).
   * @throws HarnessError UnknownProvider, ProviderKeyInvalid, KeyStoreMissing, MachineKeyUnusable, CredentialsLocked,
   * CredentialsDamaged, CredentialsUnwritable, CredentialHelperFailed.
   */
  store(entered: ProviderKey): Promise<StoredKeyReport>;
  /** Returns a new copy of the 32-byte key that encrypts logs. Created at first use. */
  logKey(): Promise<Uint8Array>;
  /** Returns sentences for the user at the start: where a key was found, an unsafe key. */
  notices(): Promise<readonly string[]>;
  /** Lists the known keys with their source and any known problem, without values. */
  list(): Promise<readonly HeldKey[]>;
  /** Returns the state of the helper, and the source of the machine key if it was used (CRED-04, SES-04). */
  state(): { readonly helper: HelperState; readonly machineKey?: MachineKeySource };
}
