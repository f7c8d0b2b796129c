import type { AuthorizedFetch, KeyRing } from "../providers/authorized-fetch.ts";
import type { SecretPrint } from "../safety/secrets/known-secret.ts";
import type { HeldKey } from "./helper/wire.ts";
import type { MachineKeySource } from "./machine-key.ts";

/** How the helper process is, for /health. */
export type HelperState =
  /** Keys are held by this process, or there are none. */
  | { readonly kind: "none" }
  | { readonly kind: "starting" | "working" | "restarting" }
  | { readonly kind: "failed"; readonly times: number };

/** What an engine has of keys: the use of them, and the one that its log is sealed with. */
export interface Credentials {
  /** Sends a request to a provider with that provider's key put in. */
  readonly send: AuthorizedFetch;
  /** The keys as far as this process holds them: with a helper it knows whose there are, and holds none. */
  readonly keys: KeyRing;
  /** By what the keys are recognised in texts, to be taken out of them (SES-05). */
  prints(): Promise<readonly SecretPrint[]>;
  /** The key that logs are sealed with, 32 bytes, a new copy each time. Made at first use. */
  logKey(): Promise<Uint8Array>;
  /** Sentences for the person at the start: where a key was found, a key that is not safe. */
  notices(): Promise<readonly string[]>;
  /** Whose keys there are, where each came from, and what is wrong with it as far as that is known. Shows none. */
  held(): Promise<readonly HeldKey[]>;
  /** How the helper is, and where the machine key came from where it was used (CRED-04, SES-04). */
  state(): { readonly helper: HelperState; readonly machineKey?: MachineKeySource };
}
