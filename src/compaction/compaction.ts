import { HarnessError } from "../base/errors.ts";
import type { RequestContext, RequestHandler, RequestMiddleware } from "../provider/middleware.ts";
import type { ModelEvent, ModelRequest, Usage } from "../provider/provider.ts";
import type { Compacted, Trigger } from "./compact.ts";
import type { Room } from "./room.ts";
import { roomOf } from "./room.ts";
import type { KeepAside } from "./set-aside.ts";
import { Tokens } from "./tokens.ts";
import { isWords } from "./words.ts";

export interface CompactionSettings {
  /** How full the window may get, from 0 to 1. */
  readonly threshold: number;
  /** Turns at the end that stay as they are, where they fit. */
  readonly keepTurns: number;
  /** Tokens of the window, whatever is known of the model. */
  readonly contextTokens?: number;
}

export interface CompactionParts {
  readonly settings: CompactionSettings;
  /** Tokens of a model's window; undefined where nobody knows. */
  readonly windowOf: (provider: string, model: string) => number | undefined;
  readonly keep: KeepAside;
  /** Takes secrets out of what is put into the history. */
  readonly redact: (text: string) => string;
  /** Told before anything is made smaller: hooks. */
  readonly before?: (moment: CompactionMoment, context: RequestContext) => Promise<void>;
}

export interface CompactionMoment {
  readonly trigger: Trigger;
  readonly tokens: number;
}

/** How often in a row it is tried to make a history smaller without success (R11). */
export const ATTEMPTS_MAX = 2;
/** A history must have grown by this share of the limit before it is made smaller again. */
const GROWTH_SHARE = 0.1;
/** A model that has given no summary so often in a row is asked for none until somebody types /compact. */
const SUMMARY_FAILURES_MAX = 2;

/**
 * Keeps every request within its model's window: before one that would fill it, after a refusal as too long, and where
 * the history alone is worked on (`/compact`), the history is made smaller (SES-13).
 *
 * It never goes on for ever: it waits until the history has grown, tries twice without gain at most, and then says so
 * (R11). A window that nobody knows refuses nothing: what the provider says counts.
 * @throws HarnessError PromptTooLarge, CompactionStuck, before or instead of the request.
 */
export function compaction(parts: CompactionParts): RequestMiddleware {
  const state = new CompactionState(parts);
  return function compaction(request, context, next) {
    if (context.purpose === "summary") return next(request, context);
    const call = new Call(state, { request, context, next });
    return { [Symbol.asyncIterator]: () => (context.purpose === "compact" ? call.compactOnly() : call) };
  };
}

interface Sent {
  readonly request: ModelRequest;
  readonly context: RequestContext;
  readonly next: RequestHandler;
}

/** What is known over the requests of one session. */
class CompactionState {
  readonly parts: CompactionParts;
  readonly tokens = new Tokens();
  /** By model: a request of so many tokens was refused as too long. */
  readonly #refusedAt = new Map<string, number>();
  /** Below this nothing is made smaller again. */
  #waitsUntil = 0;
  #fruitless = 0;
  #summaryFailures = 0;

  constructor(parts: CompactionParts) {
    this.parts = parts;
  }

  room({ request, context }: Pick<Sent, "request" | "context">): Room {
    const { settings, windowOf } = this.parts;
    const model = modelOf(request, context);
    return roomOf({
      window: settings.contextTokens ?? windowOf(context.provider.name, request.model),
      refusedAt: this.#refusedAt.get(model),
      outputTokensMax: request.outputTokensMax,
      threshold: settings.threshold,
      prefix: this.tokens.ofPrefix(model, request),
    });
  }

  isDue(tokens: number, room: Room): boolean {
    if (tokens > room.hard) return this.#fruitless < ATTEMPTS_MAX;
    this.#fruitless = 0;
    if (tokens <= room.limit) this.#waitsUntil = 0;
    return tokens > room.limit && tokens >= this.#waitsUntil;
  }

  /** Runs one compaction; gives the request that follows from it, or undefined where it gained nothing. */
  async compact({ request, context, next }: Sent, trigger: Trigger): Promise<ModelRequest | undefined> {
    const { parts, tokens } = this;
    const { world } = context;
    const model = modelOf(request, context);
    const startMs = world.clock.monotonic();
    const before = context.history.messages;
    await parts.before?.({ trigger, tokens: tokens.ofRequest(model, request) }, context);
    if (trigger === "command") this.#summaryFailures = 0;
    const room = this.room({ request, context });
    const { compact } = await import("./compact.ts");
    const done = await compact({
      trigger,
      request,
      context,
      next,
      room,
      tokens,
      model,
      keepTurns: parts.settings.keepTurns,
      keep: parts.keep,
      redact: parts.redact,
      asksModel: this.#summaryFailures < SUMMARY_FAILURES_MAX,
    });
    context.spent("compaction", world.clock.monotonic() - startMs);
    const smaller = { ...request, messages: rebased(request.messages, before, context.history.messages) };
    this.#count(done, tokens.ofRequest(model, smaller), room);
    return done === undefined ? undefined : smaller;
  }

  refused({ request, context }: Pick<Sent, "request" | "context">): void {
    const model = modelOf(request, context);
    this.#refusedAt.set(model, this.tokens.ofRequest(model, request));
  }

  answered({ request, context }: Pick<Sent, "request" | "context">, usage: Usage): void {
    const model = modelOf(request, context);
    const counted = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
    if (counted > (this.#refusedAt.get(model) ?? Number.POSITIVE_INFINITY)) this.#refusedAt.delete(model);
    this.tokens.learn(model, request, usage);
  }

  #count(done: Compacted | undefined, tokens: number, room: Room): void {
    this.#fruitless = done === undefined ? this.#fruitless + 1 : 0;
    this.#waitsUntil = tokens + Math.floor(room.limit * GROWTH_SHARE);
    if (done?.summary === "failed") this.#summaryFailures += 1;
    if (done?.summary === "written") this.#summaryFailures = 0;
  }
}

/** One provider call as the events of the request that fits. */
class Call implements AsyncIterator<ModelEvent> {
  readonly #state: CompactionState;
  readonly #context: RequestContext;
  readonly #next: RequestHandler;
  #request: ModelRequest;
  #events: AsyncIterator<ModelEvent> | undefined;
  #hasContent = false;
  #refusals = 0;
  #usage: Usage | undefined;

  constructor(state: CompactionState, { request, context, next }: Sent) {
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
        this.#events ??= this.#next(this.#request, this.#context)[Symbol.asyncIterator]();
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

  /** Makes the history smaller because somebody asked for it, and sends nothing. */
  compactOnly(): AsyncIterator<ModelEvent> {
    return {
      next: async () => {
        await this.#state.compact(this.#sent, "command");
        return { done: true, value: undefined };
      },
    };
  }

  get #sent(): Sent {
    return { request: this.#request, context: this.#context, next: this.#next };
  }

  get #tokens(): number {
    return this.#state.tokens.ofRequest(modelOf(this.#request, this.#context), this.#request);
  }

  async #fit(): Promise<void> {
    const room = this.#state.room(this.#sent);
    if (this.#surelyAbove(room)) this.#refuseLongInput(room);
    if (this.#state.isDue(this.#tokens, room)) {
      this.#request = (await this.#state.compact(this.#sent, "threshold")) ?? this.#request;
    }
    if (this.#surelyAbove(room)) throw this.#stuck(room);
    this.#request = withinWindow(this.#request, this.#tokens, room);
  }

  /** Where our own counting may be wrong, the provider is asked: it alone knows. */
  #surelyAbove({ hard, isKnown }: Room): boolean {
    const model = modelOf(this.#request, this.#context);
    return isKnown && this.#state.tokens.atLeast(model, this.#request) > hard;
  }

  /** @throws what was thrown, where a smaller history does not help; why it could not be made smaller. */
  async #shrinkAfter(thrown: unknown): Promise<void> {
    this.#context.signal.throwIfAborted();
    if (this.#hasContent || !isOverflow(thrown)) throw thrown;
    this.#state.refused(this.#sent);
    this.#refusals += 1;
    const room = this.#state.room(this.#sent);
    if (this.#refusals > ATTEMPTS_MAX) throw this.#stuck(room, thrown);
    this.#refuseLongInput(room, thrown);
    const smaller = await this.#state.compact(this.#sent, "overflow");
    if (smaller === undefined) throw this.#stuck(room, thrown);
    this.#request = withinWindow(smaller, this.#tokens, room);
    this.#events = undefined;
  }

  /** @throws HarnessError where the newest input alone leaves no room for anything. */
  #refuseLongInput(room: Room, cause?: unknown): void {
    const last = this.#request.messages.at(-1);
    const block = last?.content.findLast(isWords);
    if (last?.role !== "user" || block === undefined) return;
    const model = modelOf(this.#request, this.#context);
    const { tokens: known } = this.#state;
    const input = { ...this.#request, messages: [{ role: "user" as const, content: [block] }] };
    const prefix = known.ofPrefix(model, input);
    // After a refusal the window is a guess: only an input that was nearly all of the request is to blame.
    const tokens = cause === undefined ? known.atLeast(model, input) : known.ofRequest(model, input);
    const most = cause === undefined ? room.hard : room.window;
    if (tokens - prefix <= (most - prefix) * INPUT_SHARE_MAX) return;
    throw new HarnessError(
      "PromptTooLarge",
      {
        tokens: String(tokens - prefix),
        model: this.#request.model,
        room: String(Math.max(0, Math.floor((most - prefix) * INPUT_SHARE_MAX))),
        window: String(room.window),
      },
      { cause },
    );
  }

  #stuck(room: Room, cause?: unknown): HarnessError {
    const fields = {
      tokens: String(this.#tokens),
      model: this.#request.model,
      window: String(room.window),
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

/** What an input may take of the room: what was before needs some too, if only to be told of. */
const INPUT_SHARE_MAX = 0.85;
const OUTPUT_TOKENS_MIN = 256;

/** A provider that adds the longest possible answer to the request must find both within the window. */
function withinWindow(request: ModelRequest, tokens: number, { window, isKnown }: Room): ModelRequest {
  if (!isKnown || tokens + request.outputTokensMax <= window) return request;
  return { ...request, outputTokensMax: Math.max(OUTPUT_TOKENS_MIN, window - tokens) };
}

/** The messages of a request after its history was replaced; what others have added behind it stays. */
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

function isOverflow(thrown: unknown): boolean {
  return thrown instanceof HarnessError && thrown.reason === "ContextOverflow";
}

function modelOf({ model }: ModelRequest, { provider }: RequestContext): string {
  return `${provider.name}:${model}`;
}
