import type { Secret } from "../../base/brand.ts";

/** A key that lives for minutes, and was had in exchange for one that lasts. It never leaves the process that holds keys. */
export interface AccessToken {
  readonly value: Secret;
  /** Where requests go with it, in place of the address that the adapter knows. */
  readonly baseUrl?: string;
  /** What goes with it; no secrets. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What an exchange came to. Times count from the moment it was answered, so that no clock has to be right. */
export type Exchanged =
  | {
      readonly kind: "token";
      readonly token: AccessToken;
      /** Milliseconds after which it is exchanged anew, and after which it is worth nothing. */
      readonly renewAfterMs: number;
      readonly endsAfterMs: number;
    }
  | ExchangeRefused;

/** Whoever exchanges has refused, as a status that means the same as a provider's own would. */
export interface ExchangeRefused {
  readonly kind: "refused";
  readonly status: number;
  /** For people; holds no secret. */
  readonly detail: string;
  /** As it came. */
  readonly retryAfter?: string;
  /** Asking again would be answered alike, whatever the status says. */
  readonly isFinal?: true;
}

/** The short-lived keys of one provider. */
export interface TokenSource {
  /** Where the lasting key came from, for messages. */
  readonly source: string;
  /** The address that the adapter knows; tokens may say another. */
  readonly baseUrl: string;
  /**
   * A token that is good now: the one at hand, or one that is exchanged for.
   * @throws HarnessError for credentials that cannot be used; signal.reason.
   */
  current(signal: AbortSignal): Promise<AccessToken | ExchangeRefused>;
  /** The provider has refused it: it is not handed out again. */
  drop(token: AccessToken): void;
}

export function isRefused(answer: AccessToken | ExchangeRefused): answer is ExchangeRefused {
  return "kind" in answer;
}
