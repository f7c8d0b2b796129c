import { HarnessError } from "../../base/errors.ts";
import type { RequestContext, RequestHandler } from "../../providers/middleware.ts";
import type { ModelEvent, ModelRequest, ModelUsage } from "../../providers/provider.ts";
import type { PendingRequest } from "./compaction-dependencies.ts";
import type { CompactionState } from "./compaction-state.ts";
import { ATTEMPTS_MAX, tokenModelKey } from "./compaction-state.ts";
import { isUserText } from "./facts/user-text.ts";
import type { TokenBudget } from "./window/token-budget.ts";

/** One provider call: returns the events of the request that fits. */
export class FittedCall implements AsyncIterator<ModelEvent> {
  readonly #state: CompactionState;
  readonly #context: RequestContext;
  readonly #next: RequestHandler;
  #request: ModelRequest;
  #events: AsyncIterator<ModelEvent> | undefined;
  #hasContent = false;
  #refusals = 0;
  #usage: ModelUsage | undefined;

  constructor(state: CompactionState, { request, context, next }: PendingRequest) {
    this.#state = state;
    this.#request = request;
    this.#context = context;
    this.#next = next;
  }

  async next(): Promise<IteratorResult<ModelEvent>> {
    if (this.#events === undefined) await this.#fit();
    while (true) {
      let result: IteratorResult<ModelEvent>;
      try {
        this.#events ??= this.#send();
        result = await this.#events.next();
      } catch (thrown) {
        await this.#shrinkAfter(thrown);
        continue;
      }
      if (result.done === true) this.#learn();
      else this.#see(result.value);
      return result;
    }
  }

  async return(): Promise<IteratorResult<ModelEvent>> {
    await this.#events?.return?.();
    return { done: true, value: undefined };
  }

  /** Compacts the history on demand (`/compact`), and sends nothing. */
  compactOnly(): AsyncIterator<ModelEvent> {
    return {
      next: async () => {
        await this.#state.compact(this.#sent, "command");
        return { done: true, value: undefined };
      },
    };
  }

  #send(): AsyncIterator<ModelEvent> {
    this.#state.sent(this.#sent);
    return this.#next(this.#request, this.#context)[Symbol.asyncIterator]();
  }

  get #sent(): PendingRequest {
    return { request: this.#request, context: this.#context, next: this.#next };
  }

  get #tokens(): number {
    return this.#state.tokens.ofRequest(tokenModelKey(this.#request, this.#context), this.#request);
  }

  async #fit(): Promise<void> {
    const budget = this.#state.budget(this.#sent);
    if (this.#surelyAbove(budget)) this.#refuseLongInput(budget);
    if (this.#state.isDue(this.#tokens, budget)) {
      this.#request = (await this.#state.compact(this.#sent, "threshold")) ?? this.#request;
    }
    if (this.#surelyAbove(budget)) throw this.#stuck(budget);
    this.#request = withinWindow(this.#request, this.#tokens, budget);
  }

  /** Only the provider knows the size if cinch's own count may be wrong: then it is asked. */
  #surelyAbove({ hard, isKnown }: TokenBudget): boolean {
    const model = tokenModelKey(this.#request, this.#context);
    return isKnown && this.#state.tokens.atLeast(model, this.#request) > hard;
  }

  /** @throws `thrown` if a smaller history does not help; otherwise the reason why it could not be made smaller. */
  async #shrinkAfter(thrown: unknown): Promise<void> {
    this.#context.signal.throwIfAborted();
    if (this.#hasContent || !isOverflow(thrown)) throw thrown;
    this.#state.refused(this.#sent);
    this.#refusals += 1;
    const budget = this.#state.budget(this.#sent);
    if (this.#refusals > ATTEMPTS_MAX) throw this.#stuck(budget, thrown);
    this.#refuseLongInput(budget, thrown);
    const smaller = await this.#state.compact(this.#sent, "overflow");
    if (smaller === undefined) throw this.#stuck(budget, thrown);
    this.#request = withinWindow(smaller, this.#tokens, budget);
    this.#events = undefined;
  }

  /** @throws HarnessError if the newest input alone leaves no space for anything else. */
  #refuseLongInput(budget: TokenBudget, cause?: unknown): void {
    const last = this.#request.messages.at(-1);
    const block = last?.content.findLast(isUserText);
    if (last?.role !== "user" || block === undefined) return;
    const model = tokenModelKey(this.#request, this.#context);
    const { tokens: known } = this.#state;
    const input = { ...this.#request, messages: [{ role: "user" as const, content: [block] }] };
    const prefix = known.ofPrefix(model, input);
    // After a refusal the window is a guess: only an input that was nearly all of the request is to blame.
    const tokens = cause === undefined ? known.atLeast(model, input) : known.ofRequest(model, input);
    const most = cause === undefined ? budget.hard : budget.window;
    if (tokens - prefix <= (most - prefix) * INPUT_SHARE_MAX) return;
    throw new HarnessError(
      "PromptTooLarge",
      {
        tokens: String(tokens - prefix),
        model: this.#request.model,
        room: String(Math.max(0, Math.floor((most - prefix) * INPUT_SHARE_MAX))),
        window: String(budget.window),
      },
      { cause },
    );
  }

  #stuck(budget: TokenBudget, cause?: unknown): HarnessError {
    const fields = {
      tokens: String(this.#tokens),
      model: this.#request.model,
      window: String(budget.window),
    };
    return new HarnessError("CompactionStuck", fields, { cause });
  }

  #see(event: ModelEvent): void {
    if (event.kind === "usage") this.#usage = event.usage;
    else if (event.kind !== "finish") this.#hasContent = true;
  }

  #learn(): void {
    if (this.#usage !== undefined) this.#state.answered(this.#sent, this.#usage);
    this.#usage = undefined;
  }
}

/** Share of the space that one input may take: earlier messages need some too, if only for a mention. */
const INPUT_SHARE_MAX = 0.85;
const OUTPUT_TOKENS_MIN = 256;

/**
 * Limits the answer: a provider that adds the longest possible answer to the request must find both within the window.
 */
function withinWindow(request: ModelRequest, tokens: number, { window, isKnown }: TokenBudget): ModelRequest {
  if (!isKnown || tokens + request.outputTokensMax <= window) return request;
  return { ...request, outputTokensMax: Math.max(OUTPUT_TOKENS_MIN, window - tokens) };
}

function isOverflow(thrown: unknown): boolean {
  return thrown instanceof HarnessError && thrown.reason === "ContextOverflow";
}
