import { HarnessError } from "../base/errors.ts";
import type { Fields, Reason } from "../base/reasons.ts";

/**
 * A failure of a provider or of the way to it, with what retry middleware needs to know.
 */
export class ProviderError<R extends Reason = Reason> extends HarnessError<R> {
  override readonly name = "ProviderError";
  /** Whether the same request may succeed later without any change. */
  readonly transient: boolean;
  /** How long the provider asked to wait, where it did. */
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
