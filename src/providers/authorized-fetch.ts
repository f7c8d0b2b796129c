import type { Secret } from "../base/brand.ts";
import type { FetchInit } from "../base/world.ts";

/**
 * Sends a request to a provider with that provider's credential put in at the last moment.
 *
 * Adapters never see a key: they say where it goes, and whoever holds the keys (this process, or the credential
 * helper) does the rest ([A] § Credentials, CRED-03).
 */
export type AuthorizedFetch = (request: AuthorizedRequest) => Promise<Response>;

export interface AuthorizedRequest extends FetchInit {
  readonly provider: string;
  readonly url: string;
  readonly credential: CredentialUse;
  /** Sent once at most: where it may have arrived, its failure is told in the place of a second attempt. */
  readonly once?: boolean;
}

/** Where the key of a provider goes. `none` for local servers. */
export type CredentialUse =
  | { readonly kind: "none" }
  /** `header: prefix + key`. Absent keys are an error unless `optional`. */
  | {
      readonly kind: "header";
      readonly header: string;
      readonly prefix: string;
      readonly optional?: boolean;
    };

/** Where keys are found. A key leaves it only towards a request or an encrypted file. */
export interface KeyRing {
  /** The key of a provider, and where it came from for messages ("ANTHROPIC_API_KEY", "creds.enc"). */
  keyFor(provider: string): Promise<{ readonly key: Secret; readonly source: string } | undefined>;
  /** Providers that have a key, without reading one. */
  providers(): Promise<readonly string[]>;
}
