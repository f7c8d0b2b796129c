import type { CallId, ClientId, EventSeq, SessionId } from "../base/ids.ts";
import type { World } from "../base/world.ts";
import type { InputBlock } from "../protocol/content.ts";
import type { Event } from "../protocol/events/events.ts";
import type { Message } from "../protocol/message.ts";
import type { ModelEvent, ModelRequest, Provider } from "./provider.ts";

/** What travels with a provider call through the request middleware. */
export interface RequestContext {
  readonly world: World;
  readonly signal: AbortSignal;
  readonly session: SessionId;
  readonly originator: ClientId;
  /** The provider in use for this turn: middleware that depends on one asks here. */
  readonly provider: Provider;
  readonly turn: number;
  /** The provider call within the turn, from 1; 0 where the history alone is worked on. */
  readonly round: number;
  /** What the request's messages come from, for middleware that makes it smaller (SES-13). */
  readonly history: History;
  /** The input that began the turn, as it stands in the history; absent where no turn has begun. */
  readonly begun?: readonly InputBlock[];
  /**
   * Set where the request is none of the conversation's own. `compact`: the history is to be made smaller, and no answer
   * is wanted; `summary`: what is sent for that.
   */
  readonly purpose?: "compact" | "summary";
  /** Somebody else takes the request over where this provider fails: it need not be waited for long. */
  readonly hasSuccessor?: true;
  /** Set for the request of a sub-agent: the call that it answers. Its history is its own, and in no log (ENG-10). */
  readonly parentCall?: CallId;
  /** With it: the kinds of the sub-agents from the session's own agent down to it, itself last. */
  readonly agents?: readonly string[];
  /** Publishes an event of this turn. */
  emit(event: Event): void;
  /** Adds to the duration of a component in TurnTiming. */
  spent(component: string, ms: number): void;
}

/** The messages that every request of a session is built from. */
export interface History {
  readonly messages: readonly Message[];
  /**
   * From now on requests are built from `view`, which is valid and not empty; the log keeps what stood there before. What
   * is told of it is published with it, and both are durable when it resolves.
   * @param told is given the last event before it: the boundary.
   */
  replace(view: readonly Message[], told: (boundary: EventSeq) => Event): Promise<void>;
}

export type RequestHandler = (request: ModelRequest, context: RequestContext) => AsyncIterable<ModelEvent>;

/**
 * Wraps a provider call: changes the request, watches or replaces the stream, refuses, or tries again ([A] seam 1,
 * ENG-06). The first listed is outermost.
 *
 * Order in a harness, normative: memories, skills and plugins · context assembly · compaction · cache breakpoints · routing ·
 * retry and fail-over · budget · telemetry · provider.
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
