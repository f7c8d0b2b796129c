import type { Secret } from "../base/brand.ts";
import type { FetchInit } from "../base/world.ts";

/**
 * Sends a request to a provider and inserts that provider's credential at the last moment.
 *
 * Adapters never see a key. They name the header; the key owner (this process or the credential helper) fills it in
 * ([A] § Credentials, CRED-03).
 */
export type AuthorizedFetch = (request: AuthorizedRequest) => Promise<Response>;

export interface AuthorizedRequest extends FetchInit {
  readonly provider: string;
  readonly url: string;
  readonly credential: CredentialUse;
  /**
   * True if the request must not be repeated. If it may have arrived, its failure is returned instead of a
   * second attempt.
   */
  readonly once?: boolean;
  /** See `ModelRequest`. */
  readonly isUnwatched?: boolean;
}

/** Header that carries a provider's key. `none` for local servers. */
export type CredentialUse =
  | { readonly kind: "none" }
  /** `header: prefix + key`. Absent keys are an error unless `optional`. */
  | {
      readonly kind: "header";
      readonly header: string;
      readonly prefix: string;
      readonly optional?: boolean;
    };

/** Source of provider keys. A key leaves it only for a request or an encrypted file. */
export interface KeyRing {
  /** Returns a provider's key, and its source for messages ("ANTHROPIC_API_KEY", "creds.enc"). */
  keyFor(provider: string): Promise<{ readonly key: Secret; readonly source: string } | undefined>;
  /** Providers that have a key, without reading one. */
  providers(): Promise<readonly string[]>;
}
