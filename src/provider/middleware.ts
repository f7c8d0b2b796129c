import type { ClientId, SessionId } from "../base/ids.ts";
import type { World } from "../base/world.ts";
import type { Event } from "../protocol/events.ts";
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
  /** The provider call within the turn, from 1. */
  readonly round: number;
  /** Publishes an event of this turn. */
  emit(event: Event): void;
  /** Adds to the duration of a component in TurnTiming. */
  spent(component: string, ms: number): void;
}

export type RequestHandler = (request: ModelRequest, context: RequestContext) => AsyncIterable<ModelEvent>;

/**
 * Wraps a provider call: changes the request, watches or replaces the stream, refuses, or tries again ([A] seam 1,
 * ENG-06). The first listed is outermost.
 *
 * Order in a harness, normative: context assembly · compaction · cache breakpoints · retry and fail-over · budget ·
 * provider.
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
