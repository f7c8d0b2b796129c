import type { CallId, ClientId, EventSeq, SessionId } from "../base/ids.ts";
import type { World } from "../base/world.ts";
import type { InputBlock } from "../protocol/content.ts";
import type { Event } from "../protocol/events/events.ts";
import type { Message } from "../protocol/message.ts";
import type { ModelEvent, ModelRequest, Provider } from "./provider.ts";

/** Context of a provider call in the request middleware. */
export interface RequestContext {
  readonly world: World;
  readonly signal: AbortSignal;
  readonly session: SessionId;
  readonly originator: ClientId;
  /** The provider of this turn, for middleware that depends on one. */
  readonly provider: Provider;
  readonly turn: number;
  /** Number of the provider call in the turn, from 1; 0 for work on the history alone. */
  readonly round: number;
  /** Source of the request's messages, for middleware that shortens it (SES-13). */
  readonly history: History;
  /** The input that began the turn, as it is in the history; absent if no turn has begun. */
  readonly turnInput?: readonly InputBlock[];
  /**
   * Set for a request outside the conversation. `compact`: shorten the history, no answer is wanted; `summary`: the
   * request sent for that.
   */
  readonly purpose?: "compact" | "summary";
  /** True if another provider takes the request over when this one fails, so waits can be short. */
  readonly hasSuccessor?: true;
  /** Set for the request of a sub-agent: the call that it answers. Its history is separate and in no log (ENG-10). */
  readonly parentCall?: CallId;
  /** Set with `parentCall`: the agent kinds from the session's own agent to this sub-agent. */
  readonly agents?: readonly string[];
  /** Aborts when the session takes another model. A wait for this one ends then, with the signal's reason. */
  readonly modelReplaced?: AbortSignal;
  /** Publishes an event of this turn. */
  emit(event: Event): void;
  /** Adds to the duration of a component in TurnTiming. */
  spent(component: string, ms: number): void;
}

/** The messages that every request of a session is built from. */
export interface History {
  readonly messages: readonly Message[];
  /**
   * Builds later requests from `view`, which must be valid and not empty; the log keeps the earlier messages. The
   * event is published with it; both are durable when it resolves.
   * @param eventOf returns the event to publish, given the last event before it: the boundary.
   */
  replace(view: readonly Message[], eventOf: (boundary: EventSeq) => Event): Promise<void>;
}

export type RequestHandler = (request: ModelRequest, context: RequestContext) => AsyncIterable<ModelEvent>;

/**
 * Wraps a provider call: changes the request, observes or replaces the stream, refuses, or retries ([A] seam 1,
 * ENG-06). The first listed is outermost.
 *
 * `app/session/chains/order.ts` holds the order of a session's middleware.
 */
export type RequestMiddleware = (
  request: ModelRequest,
  context: RequestContext,
  next: RequestHandler,
) => AsyncIterable<ModelEvent>;

/** Composes middleware around a handler; the first listed is outermost. */
export function chainRequest(
  middleware: readonly RequestMiddleware[],
  handler: RequestHandler,
): RequestHandler {
  return middleware.reduceRight<RequestHandler>(
    (next, layer) => (request, context) => layer(request, context, next),
    handler,
  );
}

/**
 * Returns the stream of a request that must wait for something first: `open` runs with the first read. A generator
 * would pass on each event through three more promises, and every delta of every answer passes through (PERF-02).
 */
export function lateStream(open: () => Promise<AsyncIterable<ModelEvent>>): AsyncIterable<ModelEvent> {
  return { [Symbol.asyncIterator]: () => new LateStream(open) };
}

class LateStream implements AsyncIterator<ModelEvent> {
  readonly #open: () => Promise<AsyncIterable<ModelEvent>>;
  #events: AsyncIterator<ModelEvent> | undefined;
  #isOver = false;

  constructor(open: () => Promise<AsyncIterable<ModelEvent>>) {
    this.#open = open;
  }

  next(): Promise<IteratorResult<ModelEvent>> {
    return this.#events?.next() ?? this.#first();
  }

  async return(): Promise<IteratorResult<ModelEvent>> {
    this.#isOver = true;
    await this.#events?.return?.();
    return { done: true, value: undefined };
  }

  async #first(): Promise<IteratorResult<ModelEvent>> {
    if (this.#isOver) return { done: true, value: undefined };
    try {
      this.#events = (await this.#open())[Symbol.asyncIterator]();
    } catch (thrown) {
      this.#isOver = true;
      throw thrown;
    }
    return this.#isOver ? { done: true, value: undefined } : await this.#events.next();
  }
}
