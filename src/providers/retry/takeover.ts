import { HarnessError, hasReason } from "../../base/errors.ts";
import type { Reason } from "../../base/reasons.ts";
import { reasonText, refusalOf } from "../../base/reasons.ts";
import { sentence } from "../../base/text/text.ts";
import { knownModel } from "../choosing/prices.ts";
import { ROUTING_PROVIDER } from "../choosing/route.ts";
import type { RequestContext, RequestHandler, RequestMiddleware } from "../middleware.ts";
import type { Executor, ModelEvent, ModelRequest, RequestTraits } from "../provider.ts";

/** Time for which a failed executor is skipped. */
export const PASSED_OVER_MS = 300_000;

export interface TakeoverOptions {
  /** Estimates the tokens of everything that a request sends. */
  readonly estimate: (request: ModelRequest) => number;
  /** Returns the US dollars that the session has spent. */
  readonly spentUsd: () => number;
}

/**
 * Sends the request of a composed provider to one of its executors, and to the next one if that fails (PROV-07).
 *
 * It is outside of retry and budget, so that each executor is retried, counted, priced and capped as itself. After
 * part of an answer was passed on, no other takes over. A failed executor is skipped for `PASSED_OVER_MS`. The
 * takeover is reported once for that time, as an Error event with the reason ModelTakenOver.
 */
export function takeover(options: TakeoverOptions): RequestMiddleware {
  const failures = new Failures();
  return function takeover(request, context, next) {
    const { route } = context.provider;
    if (route === undefined) return next(request, context);
    const call = { request, context, next };
    return composed(call, () => route(traitsOf(request, context, options), context.signal), failures);
  };
}

interface Call {
  readonly request: ModelRequest;
  readonly context: RequestContext;
  readonly next: RequestHandler;
}

async function* composed(
  { request, context, next }: Call,
  route: () => Promise<readonly Executor[]>,
  failures: Failures,
): AsyncGenerator<ModelEvent> {
  const standing = failures.standing(await route(), context.world.clock.monotonic());
  const executors = await takingFirst(standing, request);
  for (const [at, executor] of executors.entries()) {
    const successor = executors[at + 1];
    let isAnswered = false;
    try {
      for await (const event of next(
        adaptRequest(executor, request),
        contextOf(executor, context, successor),
      )) {
        isAnswered ||= event.kind !== "usage";
        yield event;
      }
      return;
    } catch (cause) {
      context.signal.throwIfAborted();
      const thrown = routeError(cause, { request, context, executor });
      if (successor === undefined || isAnswered || !isTakenOver(thrown, successor)) throw thrown;
      failures.add(executor, context.world.clock.monotonic());
      reportTakeover(context, executor, successor, thrown);
    }
  }
}

/**
 * Puts executors that take all content of a request before those that would get a text in place of some (ENG-25).
 * One that takes over only some failures is no alternative: the order then stays.
 */
async function takingFirst(
  executors: readonly Executor[],
  { messages }: ModelRequest,
): Promise<readonly Executor[]> {
  if (executors.length < 2 || executors.some(({ takesOver }) => takesOver !== undefined)) return executors;
  const leftOut = await Promise.all(
    executors.map(async ({ provider, model }) => (await provider.leavesOut?.({ model, messages })) ?? []),
  );
  const takesAll = (at: number) => leftOut[at]?.length === 0;
  return [...executors.filter((_, at) => takesAll(at)), ...executors.filter((_, at) => !takesAll(at))];
}

/** A missing key belongs to a model that only the route names. */
function routeError(
  thrown: unknown,
  { request, context, executor }: Pick<Call, "request" | "context"> & { readonly executor: Executor },
): unknown {
  if (!hasReason(thrown, "ProviderKeyMissing") || context.provider.name !== ROUTING_PROVIDER) return thrown;
  const named = `[routing.${request.model}] of config.toml names ${nameOf(executor)}`;
  const fields = { ...thrown.fields, kept: `${thrown.fields.kept}, since ${named}` };
  return new HarnessError("ProviderKeyMissing", fields, { cause: thrown });
}

/** Executors that failed recently, by `provider:model`. */
class Failures {
  readonly #untilMs = new Map<string, number>();

  add(executor: Executor, nowMs: number): void {
    this.#untilMs.set(nameOf(executor), nowMs + PASSED_OVER_MS);
  }

  /** Removes executors that failed recently, unless none would be left. */
  standing(executors: readonly Executor[], nowMs: number): readonly Executor[] {
    const available = executors.filter((each) => (this.#untilMs.get(nameOf(each)) ?? 0) <= nowMs);
    return available.length > 0 ? available : executors;
  }
}

function traitsOf(
  request: ModelRequest,
  { purpose, parentCall }: RequestContext,
  { estimate, spentUsd }: TakeoverOptions,
): RequestTraits {
  const asks = parentCall === undefined ? "main" : "sub-agent";
  return {
    model: request.model,
    role: purpose === undefined ? asks : "summary",
    inputTokens: estimate(request),
    spentUsd: spentUsd(),
  };
}

/** Adapts the request to the executor's output limit. */
function adaptRequest({ provider, model }: Executor, request: ModelRequest): ModelRequest {
  const known = knownModel(provider.name, model)?.outputTokensMax ?? request.outputTokensMax;
  return { ...request, model, outputTokensMax: Math.min(request.outputTokensMax, known) };
}

function contextOf(
  { provider }: Executor,
  context: RequestContext,
  successor: Executor | undefined,
): RequestContext {
  // An executor that takes over only some failures is no reason to give up early on the others.
  const hasSuccessor = successor !== undefined && successor.takesOver === undefined;
  return { ...context, provider, ...(hasSuccessor ? { hasSuccessor: true as const } : {}) };
}

/** Failures that another model need not have. */
const OF_THIS_MODEL: ReadonlySet<string> = new Set<Reason>([
  "ProviderKeyMissing",
  "ProviderKeyRefused",
  "ProviderUnreachable",
  "ProviderTimeout",
  "ProviderFailed",
  "ProviderQuotaExceeded",
  "StreamInterrupted",
  "StreamMalformed",
  "UnknownModel",
  "UnknownProvider",
  "UnsupportedContent",
]);

function isTakenOver(thrown: unknown, { takesOver }: Executor): thrown is HarnessError {
  if (!(thrown instanceof HarnessError)) return false;
  const { reason } = thrown;
  return takesOver?.(thrown) ?? (OF_THIS_MODEL.has(reason) || refusalOf(reason)?.isOfModel === true);
}

function reportTakeover(
  context: RequestContext,
  failed: Executor,
  taking: Executor,
  { message }: HarnessError,
): void {
  const fields = { failed: nameOf(failed), detail: sentence(message), model: nameOf(taking) };
  const reason = "ModelTakenOver" satisfies Reason;
  const text = reasonText(reason, fields);
  context.emit({
    kind: "Error",
    payload: { reason, message: text, details: fields, severity: "notice" },
  });
}

function nameOf({ provider, model }: Executor): string {
  return `${provider.name}:${model}`;
}
