import { AssertionError } from "../../base/assert.ts";
import type { Message } from "../../protocol/message.ts";
import { CANONICAL_FORM_VERSION } from "../../protocol/version.ts";
import type { Route } from "../choosing/route.ts";
import { modelsFor, ROUTING, routeNamed } from "../choosing/route.ts";
import { estimateTokens } from "../dialect/request/token-estimate.ts";
import type { Executor, Model, Provider } from "../provider.ts";

export interface RoutingOptions {
  readonly routes: readonly Route[];
  /** The provider and the model that a name means. @throws HarnessError where there is no such provider. */
  executor(model: string, signal: AbortSignal): Promise<Executor>;
}

/**
 * Composes providers: each request goes to the model that a rule, or the route, names, and to the next one of the
 * fall-back chain where that cannot be had (PROV-07, [A] § Future).
 *
 * It sends nothing itself: whoever takes a request keeps its own wire, thinking, cache, price and limits.
 */
export function routingProvider({ routes, executor }: RoutingOptions): Provider {
  return {
    name: ROUTING,
    family: ROUTING,
    canonicalFormVersion: CANONICAL_FORM_VERSION,
    route: async (about, signal) => {
      const names = modelsFor(routeNamed(routes, about.model), about);
      return await Promise.all(names.map((name) => executor(name, signal)));
    },
    chat() {
      throw new AssertionError("a composed provider routes, and is not asked itself");
    },
    models: async () => routes.map(({ name, model }): Model => ({ id: name, name: `${name}: ${model}` })),
    tokenCount: async (messages: readonly Message[]) => estimateTokens(messages),
  };
}
