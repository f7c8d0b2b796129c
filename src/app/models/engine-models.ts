import type { EngineModels } from "../../session/models.ts";
import type { Providers } from "./providers.ts";

/** Returns the models and keys of an engine as its features use them. */
export function engineModels(providers: Providers): EngineModels {
  return {
    priceOf: (provider, model) => providers.priceOf(provider, model),
    contextTokensOf: (provider, model) => providers.contextTokensOf(provider, model),
    refuses: (provider, model, content) => providers.refuses(provider, model, content),
    leftOutOf: (provider, model, messages) => providers.leftOutOf(provider, model, messages),
    learnPrice: (provider, model, signal) => providers.learnPrice(provider, model, signal),
    choose: (asked, instead, signal) => providers.choose(asked, instead, signal),
    extend: (name, open) => providers.extend(name, open),
    providerNames: () => providers.registry.names(),
    authorizedFetch: providers.credentials.send,
    logKey: () => providers.credentials.logKey(),
  };
}
