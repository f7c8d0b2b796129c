import { hasReason } from "../../base/errors.ts";
import { reasonText } from "../../base/reasons.ts";
import { sentence } from "../../base/text/text.ts";
import type { World } from "../../base/world.ts";
import { ProviderError } from "../error.ts";
import type { RequestContext, RequestMiddleware } from "../middleware.ts";
import type { ModelEvent } from "../provider.ts";
import type { ProviderPauses } from "./provider-pauses.ts";
import { providerPauses } from "./provider-pauses.ts";

/** Limits of the attempts and waits of one provider call (PROV-09, R10). */
export interface RetryLimits {
  readonly attemptsMax: number;
  /** Minimum of every wait, however small the Retry-After, so that attempts are not spent within seconds. */
  readonly waitMsMin: number;
  /** The first wait lies between the minimum and this; the span doubles with each attempt. */
  readonly firstWaitMsMax: number;
  readonly waitMsMax: number;
  /** Longest Retry-After that is waited for; a longer one ends the call. */
  readonly retryAfterMsMax: number;
  /** Total of all waits of one call. */
  readonly waitingMsMax: number;
  /**
   * Attempts at a provider that is unreachable, silent or answers with something else than a model: retries help
   * less there.
   */
  readonly unansweredMax: number;
}

export const RETRY_LIMITS: RetryLimits = {
  attemptsMax: 10,
  waitMsMin: 500,
  firstWaitMsMax: 1_500,
  waitMsMax: 32_000,
  retryAfterMsMax: 120_000,
  waitingMsMax: 300_000,
  unansweredMax: 3,
};

/** Limits if another provider takes over: wait for short faults only. */
const LIMITS_BEFORE_SUCCESSOR: Partial<RetryLimits> = {
  attemptsMax: 3,
  retryAfterMsMax: 5_000,
  waitingMsMax: 15_000,
  unansweredMax: 1,
};

export interface RetryOptions {
  readonly limits?: Partial<RetryLimits>;
  /** Shared by the sessions of one process, so that a wait requested of one session delays the others. */
  readonly pauses?: ProviderPauses;
}

/**
 * Retries a provider call where that may help, and reports every wait before it begins.
 *
 * Each wait emits an Error event: RateLimited for a rate limit, else the failure's reason. `details` holds
 * `retryInMs`, `attempt` (the number of the next attempt) and `attemptsMax`. After text, thinking or a block was
 * passed on, nothing is retried: the answer ends as StreamInterrupted. Waiting ends at once with the signal, and if
 * the session takes another model.
 */
export function retry(options: RetryOptions = {}): RequestMiddleware {
  const limits = { ...RETRY_LIMITS, ...options.limits };
  const pauses = options.pauses ?? providerPauses();

  return function retry(request, context, next) {
    const effectiveLimits = context.hasSuccessor ? { ...limits, ...LIMITS_BEFORE_SUCCESSOR } : limits;
    const { model } = request;
    const begin = () => next(request, context);
    const attempts = new Attempts(begin, { model, context, limits: effectiveLimits, pauses });
    return { [Symbol.asyncIterator]: () => attempts };
  };
}

interface AttemptsOptions {
  readonly model: string;
  readonly context: RequestContext;
  readonly limits: RetryLimits;
  readonly pauses: ProviderPauses;
}

/** The events of one provider call, from its successful attempt. */
class Attempts implements AsyncIterator<ModelEvent> {
  readonly #begin: () => AsyncIterable<ModelEvent>;
  readonly #options: AttemptsOptions;
  #events: AsyncIterator<ModelEvent> | undefined;
  #attempt = 1;
  #waitedMs = 0;
  #hasContent = false;

  constructor(begin: () => AsyncIterable<ModelEvent>, options: AttemptsOptions) {
    this.#begin = begin;
    this.#options = options;
  }

  async next(): Promise<IteratorResult<ModelEvent>> {
    while (true) {
      if (this.#events === undefined) await this.#beforeAttempt();
      try {
        this.#events ??= this.#begin()[Symbol.asyncIterator]();
        const result = await this.#events.next();
        if (result.done !== true) this.#hasContent ||= isContent(result.value);
        return result;
      } catch (thrown) {
        await this.#waitAfter(thrown);
      }
    }
  }

  async return(): Promise<IteratorResult<ModelEvent>> {
    await this.#events?.return?.();
    return { done: true, value: undefined };
  }

  /** @throws the reason if the session has taken another model since the last attempt. */
  async #beforeAttempt(): Promise<void> {
    await this.#waitForPause();
    if (this.#attempt > 1) this.#options.context.modelReplaced?.throwIfAborted();
  }

  /** If another session was asked to wait, this one waits as well. */
  async #waitForPause(): Promise<void> {
    const { context, limits, pauses } = this.#options;
    const { world } = context;
    const pauseMs = pauses.remainingMs(this.#executor, world.clock.monotonic());
    if (pauseMs <= 0) return;
    const ms = pauseMs + jitter(this.#attempt, limits, world);
    this.#waitedMs += ms;
    reportPause(context, ms, { attempt: this.#attempt, attemptsMax: limits.attemptsMax });
    await wait(ms, context);
  }

  /**
   * @throws the error that ends the call, if a retry does not help.
   */
  async #waitAfter(thrown: unknown): Promise<void> {
    const { context, limits, pauses } = this.#options;
    const { world, signal, provider, modelReplaced } = context;
    signal.throwIfAborted();
    const step = afterFailure(thrown, {
      attempt: this.#attempt,
      hasContent: this.#hasContent,
      waitedMs: this.#waitedMs,
      limits,
      world,
    });
    if (step.kind === "give-up") throw step.error;
    if (isRateLimit(step.error)) {
      pauses.pause(this.#executor, world.clock.monotonic() + (step.error.retryAfterMs ?? 0));
    }
    modelReplaced?.throwIfAborted(); // while this attempt failed: there is nothing to wait for
    this.#events = undefined;
    this.#attempt += 1;
    this.#waitedMs += step.ms;
    const attemptsMax = isUnanswered(step.error) ? limits.unansweredMax : limits.attemptsMax;
    reportRetry(context, step.error, step.ms, { attempt: this.#attempt, attemptsMax });
    const { reason, status } = step.error;
    world.log
      .for(`provider.${provider.name}`)
      .write("info", "trying again", { reason, status, attempt: this.#attempt, waitMs: step.ms });
    await wait(step.ms, context);
  }

  /** Name of what was asked to pause. Another model of the provider need not be limited. */
  get #executor(): string {
    const { context, model } = this.#options;
    return `${context.provider.name}:${model}`;
  }
}

function isContent({ kind }: ModelEvent): boolean {
  return kind === "text" || kind === "thinking" || kind === "block";
}

interface Failure {
  readonly attempt: number;
  /** True if part of the answer was already passed on. */
  readonly hasContent: boolean;
  readonly waitedMs: number;
  readonly limits: RetryLimits;
  readonly world: World;
}

type Next =
  | { readonly kind: "give-up"; readonly error: unknown }
  | { readonly kind: "again"; readonly error: ProviderError; readonly ms: number };

function afterFailure(thrown: unknown, failure: Failure): Next {
  const { attempt, hasContent, waitedMs, limits, world } = failure;
  if (!(thrown instanceof ProviderError) || !thrown.transient) return { kind: "give-up", error: thrown };
  if (hasContent) return { kind: "give-up", error: interrupted(thrown) };
  const attemptsMax = isUnanswered(thrown) ? limits.unansweredMax : limits.attemptsMax;
  const asked = thrown.retryAfterMs ?? 0;
  const ms = asked + jitter(attempt, limits, world);
  const hopeless = attempt >= attemptsMax || asked > limits.retryAfterMsMax;
  if (hopeless || waitedMs + ms > limits.waitingMsMax)
    return { kind: "give-up", error: final(thrown, attempt) };
  return { kind: "again", error: thrown, ms };
}

/**
 * Returns a wait with full jitter above a minimum: a hundred sessions that failed together do not return together.
 */
function jitter(attempt: number, limits: RetryLimits, world: World): number {
  const span = Math.min(limits.firstWaitMsMax * 2 ** (attempt - 1), limits.waitMsMax) - limits.waitMsMin;
  return Math.round(limits.waitMsMin + world.random.number() * Math.max(span, 0));
}

function isRateLimit(error: ProviderError): boolean {
  return error.status === 429;
}

function isUnanswered({ reason }: ProviderError): boolean {
  return reason === "ProviderTimeout" || reason === "ProviderUnreachable" || reason === "StreamMalformed";
}

function interrupted(error: ProviderError): ProviderError {
  if (error.reason === "StreamInterrupted") return error;
  const provider = providerOf(error);
  return new ProviderError("StreamInterrupted", { provider, detail: error.message }, { cause: error });
}

/** Adds to a time-out the number of attempts, and to a rate limit the requested wait. */
function final(error: ProviderError, attempts: number): ProviderError {
  const { status, retryAfterMs } = error;
  const traits = { status, retryAfterMs, transient: true, cause: error };
  if (hasReason(error, "ProviderTimeout")) {
    const fields = { ...error.fields, attempts: String(attempts) };
    return new ProviderError("ProviderTimeout", fields, traits);
  }
  if (!hasReason(error, "ProviderFailed")) return error;
  const { provider, status: failureStatus, detail: said } = error.fields;
  const asked = retryAfterMs === undefined ? "" : `, and it asked to wait ${seconds(retryAfterMs)} s`;
  const detail = `${said} (given up after attempt ${attempts}${asked})`;
  return new ProviderError("ProviderFailed", { provider, status: failureStatus, detail }, traits);
}

interface Attempt {
  /** Number of the next attempt. */
  readonly attempt: number;
  readonly attemptsMax: number;
}

function reportRetry(context: RequestContext, error: ProviderError, ms: number, next: Attempt): void {
  if (isRateLimit(error)) {
    reportPause(context, ms, next, error);
    return;
  }
  const { attempt } = next;
  const message = `${sentence(problemOf(error))} Trying again in ${seconds(ms)} s (attempt ${attempt}).`;
  context.emit({
    kind: "Error",
    payload: { reason: error.reason, message, details: { retryInMs: ms, ...next }, severity: "notice" },
  });
}

/** Returns the problem without the advice in the error's own text, which applies only if there is no retry. */
function problemOf(error: ProviderError): string {
  return hasReason(error, "StreamInterrupted")
    ? `The answer of provider ${error.fields.provider} broke off: ${error.fields.detail}`
    : error.message;
}

function reportPause(context: RequestContext, ms: number, next: Attempt, cause?: ProviderError): void {
  const fields = { name: context.provider.name, "retry-after": seconds(ms) };
  const message = reasonText("RateLimited", fields);
  const details = { retryInMs: ms, ...next, ...(cause === undefined ? {} : { cause: cause.message }) };
  context.emit({ kind: "Error", payload: { reason: "RateLimited", message, details, severity: "notice" } });
}

async function wait(ms: number, context: RequestContext): Promise<void> {
  const { signal, modelReplaced } = context;
  const { clock } = context.world;
  const started = clock.monotonic();
  try {
    await clock.sleep(ms, modelReplaced === undefined ? signal : AbortSignal.any([signal, modelReplaced]));
  } finally {
    context.spent("retry", clock.monotonic() - started);
  }
}

function providerOf(error: ProviderError): string {
  const fields: Readonly<Record<string, string>> = error.fields;
  return fields["provider"] ?? fields["name"] ?? "unknown";
}

function seconds(ms: number): string {
  return String(Math.ceil(ms / 1_000));
}
