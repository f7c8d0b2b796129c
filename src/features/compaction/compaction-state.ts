import type { ResultOf } from "../../protocol/queries/queries.ts";
import { TokenCounter } from "../../providers/dialect/request/token-counter.ts";
import type { RequestContext } from "../../providers/middleware.ts";
import type { ModelRequest, ModelUsage } from "../../providers/provider.ts";
import type { CompactionDependencies, PendingRequest } from "./compaction-dependencies.ts";
import { ContextMeter, NOTHING_SENT } from "./context-use.ts";
import type { CompactionResult } from "./run-compaction.ts";
import type { CompactionTrigger, TokenBudget } from "./window/token-budget.ts";
import { tokenBudget } from "./window/token-budget.ts";

/** Limit for successive attempts to make a history smaller without success (R11). */
export const ATTEMPTS_MAX = 2;
/** Share of the limit by which a history must grow before it is made smaller again. */
const GROWTH_SHARE = 0.1;
/** Failures in a row after which a model is not asked for summaries for a while. */
const SUMMARY_FAILURES_MAX = 2;
/** Compactions without the model until it is asked again. */
const SUMMARY_PAUSE = 8;

/** State across the requests of one session. */
export class CompactionState {
  readonly dependencies: CompactionDependencies;
  readonly tokens = new TokenCounter();
  /** Size of the smallest request that was refused as too long, in tokens, by model. */
  readonly #refusedAt = new Map<string, number>();
  /** Tokens below which nothing is made smaller again. */
  #waitsUntil = 0;
  #fruitless = 0;
  #summaryFailures = 0;
  #withoutSummary = 0;
  readonly #meter = new ContextMeter(this.tokens);

  constructor(dependencies: CompactionDependencies) {
    this.dependencies = dependencies;
  }

  budget({ request, context }: Pick<PendingRequest, "request" | "context">): TokenBudget {
    const { settings, windowOf } = this.dependencies;
    const model = tokenModelKey(request, context);
    return tokenBudget({
      window: settings.contextTokens ?? windowOf(context.provider.name, request.model),
      refusedAt: this.#refusedAt.get(model),
      outputTokensMax: request.outputTokensMax,
      threshold: settings.threshold,
      prefix: this.tokens.ofPrefix(model, request),
    });
  }

  isDue(tokens: number, budget: TokenBudget): boolean {
    if (tokens > budget.hard) return this.#fruitless < ATTEMPTS_MAX;
    this.#fruitless = 0;
    if (tokens <= budget.limit) this.#waitsUntil = 0;
    return tokens > budget.limit && tokens >= this.#waitsUntil;
  }

  /** Runs one compaction; returns the request that follows from it, or undefined if it gained nothing. */
  async compact(
    { request, context, next }: PendingRequest,
    trigger: CompactionTrigger,
  ): Promise<ModelRequest | undefined> {
    const { dependencies: parts, tokens } = this;
    const { world } = context;
    const model = tokenModelKey(request, context);
    const startMs = world.clock.monotonic();
    const before = context.history.messages;
    await parts.before?.({ trigger, tokens: tokens.ofRequest(model, request) }, context);
    const budget = this.budget({ request, context });
    const { runCompaction } = await import("./run-compaction.ts");
    const done = await runCompaction({
      trigger,
      request,
      context,
      next,
      budget,
      tokens,
      model,
      keepTurns: parts.settings.keepTurns,
      keep: parts.keep,
      tools: parts.tools,
      redact: parts.redact,
      asksModel: this.#asksModel(trigger),
    });
    context.spent("compaction", world.clock.monotonic() - startMs);
    const smaller = { ...request, messages: rebased(request.messages, before, context.history.messages) };
    this.#count(done, tokens.ofRequest(model, smaller), budget);
    return done === undefined ? undefined : smaller;
  }

  /** The last request's use of its window. */
  contextUse: ResultOf<"GetContext"> = NOTHING_SENT;

  /** Notes a request as it is sent. */
  sent(pending: Pick<PendingRequest, "request" | "context">): void {
    const model = tokenModelKey(pending.request, pending.context);
    this.contextUse = this.#meter.use({ request: pending.request, model, budget: this.budget(pending) });
  }

  refused({ request, context }: Pick<PendingRequest, "request" | "context">): void {
    const model = tokenModelKey(request, context);
    this.#refusedAt.set(model, this.tokens.ofRequest(model, request));
  }

  answered({ request, context }: Pick<PendingRequest, "request" | "context">, usage: ModelUsage): void {
    const model = tokenModelKey(request, context);
    const counted = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
    if (counted > (this.#refusedAt.get(model) ?? Number.POSITIVE_INFINITY)) this.#refusedAt.delete(model);
    this.tokens.learn(model, request, usage);
  }

  #count(done: CompactionResult | undefined, tokens: number, budget: TokenBudget): void {
    this.#fruitless = done === undefined ? this.#fruitless + 1 : 0;
    this.#waitsUntil = tokens + Math.floor(budget.limit * GROWTH_SHARE);
    if (done === undefined || done.tier === 1) return;
    this.#withoutSummary = done.summary === "not-asked" ? this.#withoutSummary + 1 : 0;
    if (done.summary === "failed") this.#summaryFailures += 1;
    if (done.summary === "written") this.#summaryFailures = 0;
  }

  #asksModel(trigger: CompactionTrigger): boolean {
    const isLeftAlone = this.#summaryFailures >= SUMMARY_FAILURES_MAX && this.#withoutSummary < SUMMARY_PAUSE;
    return trigger === "command" || !isLeftAlone;
  }
}

/** Returns the messages of a request after its history was replaced; later additions by others stay. */
function rebased(
  messages: ModelRequest["messages"],
  before: ModelRequest["messages"],
  view: ModelRequest["messages"],
): ModelRequest["messages"] {
  if (messages === before || before === view) return before === view ? messages : view;
  const known = new Set(before);
  const added = messages.filter((message) => !known.has(message));
  return added.length === 0 ? view : [...view, ...added];
}

/** Returns the name under which a model's tokens are counted. */
export function tokenModelKey({ model }: ModelRequest, { provider }: RequestContext): string {
  return `${provider.name}:${model}`;
}
