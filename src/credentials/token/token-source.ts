import type { Secret } from "../../base/brand.ts";

/** A short-lived key, exchanged for a lasting one. It never leaves the process that holds keys. */
export interface AccessToken {
  readonly value: Secret;
  /** Address for requests with it, instead of the adapter's. */
  readonly baseUrl?: string;
  /** Headers to send with it; no secrets. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Result of an exchange. Times count from the moment of the answer, so that no clock has to be correct. */
export type ExchangeResult =
  | {
      readonly kind: "token";
      readonly token: AccessToken;
      /** Milliseconds until it should be renewed, and until it ends. */
      readonly renewAfterMs: number;
      readonly endsAfterMs: number;
    }
  | ExchangeRefused;

/** Refusal of an exchange, with a status of the same meaning as a provider's. */
export interface ExchangeRefused {
  readonly kind: "refused";
  readonly status: number;
  /** For people; holds no secret. */
  readonly detail: string;
  /** Value of the `Retry-After` header. */
  readonly retryAfter?: string;
  /** True if a retry would get the same answer, whatever the status. */
  readonly isFinal?: true;
}

/** The short-lived keys of one provider. */
export interface TokenSource {
  /** Source of the lasting key, for messages. */
  readonly source: string;
  /** The adapter's address; a token may name another. */
  readonly baseUrl: string;
  /**
   * Returns a valid token: the current one, or a new exchange.
   * @throws HarnessError for unusable credentials; signal.reason.
   */
  current(signal: AbortSignal): Promise<AccessToken | ExchangeRefused>;
  /** Discards a token that the provider has refused. */
  drop(token: AccessToken): void;
}

export function isRefused(answer: AccessToken | ExchangeRefused): answer is ExchangeRefused {
  return "kind" in answer;
}
