import { whileAlive } from "../../base/async/deadline.ts";
import { defined } from "../../base/defined.ts";
import type { Clock } from "../../base/world.ts";
import type { AuthorizedFetch, CredentialUse } from "../authorized-fetch.ts";
import { ProviderError } from "../error.ts";
import type { Silence } from "../provider.ts";
import { connectionError } from "./connection-error.ts";
import type { Phase } from "./silence.ts";
import { SilenceWatch } from "./silence.ts";
import type { StreamLimits } from "./stream-limits.ts";
import { STREAM_LIMITS } from "./stream-limits.ts";

export interface HttpCall {
  readonly provider: string;
  /** For error texts. */
  readonly model: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly credential: CredentialUse;
  readonly send: AuthorizedFetch;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly limits?: Partial<StreamLimits>;
  /** Called when the provider has been silent for a while and is still waited for. */
  readonly onSilence?: ((silence: Silence) => void) | undefined;
  /** See `ModelRequest`. */
  readonly isUnwatched?: boolean | undefined;
}

/** Request parts that each call sets. */
export interface HttpRequest {
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** One request with its own abort, triggered by the caller's signal and the limits. */
export class HttpAttempt {
  readonly call: HttpCall;
  readonly limits: StreamLimits;
  readonly #controller = new AbortController();
  readonly #silence: SilenceWatch;
  readonly #follow = () => this.end(this.call.signal.reason);

  /** Starts the wait for the response head. */
  constructor(call: HttpCall) {
    this.call = call;
    this.limits = { ...STREAM_LIMITS, ...call.limits };
    this.#silence = new SilenceWatch(call.clock, {
      onSilence: (silence) => call.onSilence?.(silence),
      onLimit: (phase) => this.end(timeout(call.provider, phase)),
    });
    call.signal.addEventListener("abort", this.#follow, { once: true });
    if (call.signal.aborted) this.#follow();
    this.waitFor({ name: "connecting and waiting for its answer to begin", msMax: this.limits.headersMsMax });
  }

  /** Aborts with the caller's signal, when a limit is reached, and by `end`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  end(reason?: unknown): void {
    this.#controller.abort(reason);
  }

  waitFor(phase: Phase): void {
    this.#silence.start(phase);
  }

  noteLife(): void {
    this.#silence.stop();
  }

  /** Ends all waiting; the request itself has ended, or `end` ends it. */
  settle(): void {
    this.#silence[Symbol.dispose]();
    this.call.signal.removeEventListener("abort", this.#follow);
  }

  headers(wire: HttpRequest): Promise<Response> {
    const { provider, url, credential, send, isUnwatched } = this.call;
    const signal = this.signal;
    return this.within(send({ ...wire, provider, url, credential, signal, ...defined({ isUnwatched }) }));
  }

  within<Value>(promise: Promise<Value>): Promise<Value> {
    return whileAlive(promise, this.signal);
  }

  /**
   * Returns the error for a failure. The reason of our own abort takes precedence over the runtime's error; without
   * one, `otherwise` converts the error.
   */
  explain(thrown: unknown, otherwise: (thrown: unknown) => unknown = this.#unreachable): unknown {
    if (this.call.signal.aborted) return this.call.signal.reason;
    const { reason } = this.signal;
    return reason instanceof ProviderError ? reason : otherwise(thrown);
  }

  readonly #unreachable = (thrown: unknown): unknown =>
    thrown instanceof ProviderError ? thrown : connectionError(thrown, this.call.provider, this.call.url);
}

function timeout(provider: string, { name, msMax }: Phase): ProviderError {
  const fields = { provider, seconds: String(msMax / 1_000), phase: name, attempts: "1" };
  return new ProviderError("ProviderTimeout", fields, { transient: true });
}
