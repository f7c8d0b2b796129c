import type { CredentialUse } from "../authorized-fetch.ts";
import type { ProviderDependencies } from "../dialect/dialect-provider.ts";
import { dialectProvider } from "../dialect/dialect-provider.ts";
import { openaiResponses } from "../dialect/openai-responses/openai-responses.ts";
import type { Provider } from "../provider.ts";

const KEY: CredentialUse = { kind: "header", header: "authorization", prefix: "Bearer " };

/**
 * Returns the OpenAI provider over its Responses API (PROV-05), which returns reasoning between rounds.
 *
 * A reasoning model may think for minutes without a byte, so the silence limits are longer here.
 */
export function openAiProvider(dependencies: ProviderDependencies): Provider {
  return dialectProvider(
    {
      name: "openai",
      family: "openai",
      dialect: openaiResponses,
      baseUrl: "https://api.openai.com/v1",
      credential: KEY,
      quirks: { promptCacheKey: true },
      limits: { silenceMsMax: 300_000 },
    },
    dependencies,
  );
}
