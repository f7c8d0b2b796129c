import { HarnessError } from "../base/errors.ts";
import type { Fields, Reason } from "../base/reasons.ts";

/** A failure of a provider or of the connection to it, with what retry middleware needs. */
export class ProviderError<R extends Reason = Reason> extends HarnessError<R> {
  override readonly name = "ProviderError";
  /** True if the same request may succeed later without any change. */
  readonly transient: boolean;
  /** Wait that the provider asked for, if any. */
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;

  constructor(reason: R, fields: Fields<R>, traits: ProviderErrorTraits = {}) {
    super(reason, fields, traits.cause === undefined ? undefined : { cause: traits.cause });
    this.transient = traits.transient ?? false;
    this.retryAfterMs = traits.retryAfterMs;
    this.status = traits.status;
  }
}

export interface ProviderErrorTraits {
  readonly transient?: boolean;
  readonly retryAfterMs?: number | undefined;
  readonly status?: number | undefined;
  readonly cause?: unknown;
}
