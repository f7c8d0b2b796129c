import { deadline, whileAlive } from "../base/deadline.ts";
import type { RequestMiddleware } from "../provider/middleware.ts";
import type { Providers } from "./providers.ts";

/** How long the end of an answer waits for a catalogue that is still on its way. */
const CATALOGUE_WAIT_MS_MAX = 3_000;

/**
 * Makes the price of a model known by the time its cost is counted, where only the provider's catalogue tells it.
 *
 * Stands inside the meter. The catalogue is asked for while the answer streams, once for each model.
 */
export function priceLookup(providers: Providers): RequestMiddleware {
  const asked = new Map<string, Promise<void>>();
  return async function* priceLookup(request, context, next) {
    const { provider, signal, world } = context;
    const stream = next(request, context);
    if (!hasCatalogue(provider.name) || providers.priceOf(provider.name, request.model) !== undefined) {
      yield* stream;
      return;
    }
    const known = asked.get(request.model);
    const learning = known ?? providers.learnPrice(provider.name, request.model, signal);
    asked.set(request.model, learning);
    yield* stream;
    using limit = deadline(world.clock, CATALOGUE_WAIT_MS_MAX, signal);
    // Without an answer in time the cost of this call is unknown, and is told as unknown.
    await whileAlive(learning, limit.signal).catch(() => signal.throwIfAborted());
  };
}

/** A recorded model and a server on this machine have no prices. */
function hasCatalogue(provider: string): boolean {
  return provider === "openrouter";
}
