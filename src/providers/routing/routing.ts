import { AssertionError } from "../../base/assert.ts";
import type { Message } from "../../protocol/message.ts";
import { CANONICAL_FORM_VERSION } from "../../protocol/version.ts";
import type { ModelRoute } from "../choosing/route.ts";
import { findRoute, ROUTING_PROVIDER, routedModels } from "../choosing/route.ts";
import { estimateTokens } from "../dialect/request/token-estimate.ts";
import type { Executor, Model, Provider } from "../provider.ts";

export interface RoutingOptions {
  readonly routes: readonly ModelRoute[];
  /** Returns the provider and the model of a name. @throws HarnessError for an unknown provider. */
  executor(model: string, signal: AbortSignal): Promise<Executor>;
}

/**
 * Returns a provider composed of others (PROV-07, [A] § Future). Each request goes to the model of the matching rule
 * or of the route. If that fails, it goes to the next one of the fall-back chain.
 *
 * It sends nothing itself: each executor keeps its own API, thinking, cache, price and limits.
 */
export function routingProvider({ routes, executor }: RoutingOptions): Provider {
  return {
    name: ROUTING_PROVIDER,
    family: ROUTING_PROVIDER,
    canonicalFormVersion: CANONICAL_FORM_VERSION,
    route: async (about, signal) => {
      const names = routedModels(findRoute(routes, about.model), about);
      return await Promise.all(names.map((name) => executor(name, signal)));
    },
    chat() {
      throw new AssertionError("a composed provider routes, and is not asked itself");
    },
    models: async () => routes.map(({ name, model }): Model => ({ id: name, name: `${name}: ${model}` })),
    tokenCount: async (messages: readonly Message[]) => estimateTokens(messages),
  };
}
