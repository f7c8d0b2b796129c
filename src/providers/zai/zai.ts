import type { CredentialUse } from "../authorized-fetch.ts";
import type { ProviderDependencies } from "../dialect/dialect-provider.ts";
import { dialectProvider } from "../dialect/dialect-provider.ts";
import { openaiChat } from "../dialect/openai-chat/openai-chat.ts";
import type { Provider } from "../provider.ts";

const KEY: CredentialUse = { kind: "header", header: "authorization", prefix: "Bearer " };

/** Always listed, whatever the catalogue contains ([A] § Providers). */
const MODELS = [{ id: "glm-4.6" }, { id: "glm-4.5-air" }, { id: "glm-z1" }];

/**
 * Returns the provider of Z.AI's GLM models (PROV-04). Z.AI caches without hints, so it sets no quirk for
 * them (PROV-15).
 */
export function zaiProvider(dependencies: ProviderDependencies): Provider {
  return dialectProvider(
    {
      name: "zai",
      family: "zai",
      dialect: openaiChat,
      baseUrl: "https://api.z.ai/api/paas/v4",
      credential: KEY,
      quirks: { thinkingField: "thinking" },
      models: MODELS,
      catalogueOptional: true,
    },
    dependencies,
  );
}
