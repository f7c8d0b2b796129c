import type { CredentialUse } from "../authorized-fetch.ts";
import type { ProviderPort } from "../dialect/dialect-provider.ts";
import { dialectProvider } from "../dialect/dialect-provider.ts";
import { openaiChat } from "../dialect/openai-chat/openai-chat.ts";
import type { Provider } from "../provider.ts";

const KEY: CredentialUse = { kind: "header", header: "authorization", prefix: "Bearer " };

/** OpenRouter wants to know the application by an address; cinch has none, so it is one that nobody can have. */
const APPLICATION = { "http-referer": "https://cinch.invalid", "x-title": "cinch" };

/**
 * OpenRouter: chat completions, a catalogue with prices, and cache marks that it passes on to Anthropic and others
 * (PROV-03, PROV-15). Errors of its upstreams arrive inside a 200; both forms are told as what they mean.
 */
export function openrouter(port: ProviderPort): Provider {
  return dialectProvider(
    {
      name: "openrouter",
      pricesInCatalogue: true,
      family: "openrouter",
      dialect: openaiChat,
      baseUrl: "https://openrouter.ai/api/v1",
      credential: KEY,
      headers: APPLICATION,
      quirks: { cacheControl: true, thinkingField: "reasoning" },
    },
    port,
  );
}
