import type { CredentialUse } from "../authorized-fetch.ts";
import { anthropicMessages } from "../dialect/anthropic-messages/anthropic-messages.ts";
import { ANTHROPIC_VERSION_HEADER } from "../dialect/anthropic-messages/anthropic-version.ts";
import type { ProviderDependencies } from "../dialect/dialect-provider.ts";
import { dialectProvider } from "../dialect/dialect-provider.ts";
import type { Provider } from "../provider.ts";

const KEY: CredentialUse = { kind: "header", header: "x-api-key", prefix: "" };

/** Returns the provider of Anthropic's Messages API (PROV-02). The provider counts tokens, for free. */
export function anthropicProvider(dependencies: ProviderDependencies): Provider {
  return dialectProvider(
    {
      name: "anthropic",
      family: "anthropic",
      dialect: anthropicMessages,
      baseUrl: "https://api.anthropic.com/v1",
      credential: KEY,
      headers: ANTHROPIC_VERSION_HEADER,
      cataloguePath: "/models?limit=1000",
      tokenCount: { path: "/messages/count_tokens", model: "claude-sonnet-5-5" },
    },
    dependencies,
  );
}
