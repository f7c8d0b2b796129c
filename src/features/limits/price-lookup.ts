import { deadline, whileAlive } from "../../base/async/deadline.ts";
import type { RequestContext, RequestMiddleware } from "../../providers/middleware.ts";
import type { ModelEvent, ModelRequest } from "../../providers/provider.ts";
import type { EngineModels } from "../../session/models.ts";

/** Limit for the time that the end of an answer waits for a catalogue request in progress. */
const CATALOGUE_WAIT_MS_MAX = 3_000;

/**
 * Looks up the price of a model before its cost is counted, if only the provider's catalogue has it.
 *
 * Stands inside the meter. The catalogue is requested while the answer streams, once for each model.
 */
export function priceLookup(providers: Pick<EngineModels, "priceOf" | "learnPrice">): RequestMiddleware {
  const asked = new Map<string, Promise<void>>();

  /** Never rejects: a round that was cancelled meanwhile stops asking, and the next one asks again. */
  function learn({ provider, signal }: RequestContext, model: string): Promise<void> {
    const learning = providers.learnPrice(provider.name, model, signal).catch(() => {
      asked.delete(model);
    });
    asked.set(model, learning);
    return learning;
  }

  return function priceLookup(request, context, next) {
    const { provider } = context;
    const isKnown = () => providers.priceOf(provider.name, request.model) !== undefined;
    const stream = next(request, context);
    return provider.pricesInCatalogue !== true || isKnown() ? stream : learning(stream, request, context);
  };

  async function* learning(
    stream: AsyncIterable<ModelEvent>,
    { model }: ModelRequest,
    context: RequestContext,
  ): AsyncGenerator<ModelEvent> {
    const { signal, world } = context;
    const learned = asked.get(model) ?? learn(context, model);
    yield* stream;
    using limit = deadline(world.clock, CATALOGUE_WAIT_MS_MAX, signal);
    // Without an answer in time the cost of this call is unknown, and is reported so.
    await whileAlive(learned, limit.signal).catch(() => signal.throwIfAborted());
  }
}
