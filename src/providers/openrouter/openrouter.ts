import type { CredentialUse } from "../authorized-fetch.ts";
import type { ProviderDependencies } from "../dialect/dialect-provider.ts";
import { dialectProvider } from "../dialect/dialect-provider.ts";
import { openaiChat } from "../dialect/openai-chat/openai-chat.ts";
import type { Provider } from "../provider.ts";

const KEY: CredentialUse = { kind: "header", header: "authorization", prefix: "Bearer " };

/** OpenRouter identifies applications by an address. cinch has none, so it sends one that nobody can own. */
const APPLICATION = { "http-referer": "https://cinch.invalid", "x-title": "cinch" };

/**
 * Returns the OpenRouter provider: chat completions, a catalogue with prices, and cache marks that it forwards to
 * Anthropic and others (PROV-03, PROV-15). Upstream errors with status 200 are mapped like others.
 */
export function openRouterProvider(dependencies: ProviderDependencies): Provider {
  return dialectProvider(
    {
      name: "openrouter",
      pricesInCatalogue: true,
      family: "openrouter",
      dialect: openaiChat,
      baseUrl: "https://openrouter.ai/api/v1",
      credential: KEY,
      headers: APPLICATION,
      quirks: { cacheControl: true, fileParts: true, thinkingField: "reasoning" },
    },
    dependencies,
  );
}
