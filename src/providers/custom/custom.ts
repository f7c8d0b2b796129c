import type { CredentialUse } from "../authorized-fetch.ts";
import { anthropicMessages } from "../dialect/anthropic-messages/anthropic-messages.ts";
import { ANTHROPIC_VERSION_HEADER } from "../dialect/anthropic-messages/anthropic-version.ts";
import type { ProviderDependencies, Vendor } from "../dialect/dialect-provider.ts";
import { dialectProvider } from "../dialect/dialect-provider.ts";
import { openaiChat } from "../dialect/openai-chat/openai-chat.ts";
import { openaiResponses } from "../dialect/openai-responses/openai-responses.ts";
import { OWN_SERVER_LIMITS } from "../http/stream-limits.ts";
import type { Provider } from "../provider.ts";
import type { CustomProvider } from "../vendors.ts";

/**
 * Returns a provider that the user configured: a gateway, a server on the network, or a vendor unknown to
 * cinch (PROV-05).
 */
export function customProvider(provider: CustomProvider, dependencies: ProviderDependencies): Provider {
  const { name, headers = {} } = provider;
  const wire = wireOf(provider);
  return dialectProvider(
    { ...wire, name, family: name, headers: { ...wire.headers, ...headers }, limits: OWN_SERVER_LIMITS },
    dependencies,
  );
}

type WireOf = Pick<Vendor, "dialect" | "baseUrl" | "credential" | "headers" | "quirks">;

function wireOf({ kind, baseUrl, apiKeyEnv }: CustomProvider): WireOf {
  const key = (header: string, prefix: string): CredentialUse =>
    apiKeyEnv === undefined ? { kind: "none" } : { kind: "header", header, prefix };
  switch (kind) {
    case "openai-compatible":
      return { dialect: openaiChat, baseUrl, credential: key("authorization", "Bearer ") };
    case "openai-responses":
      return { dialect: openaiResponses, baseUrl, credential: key("authorization", "Bearer ") };
    case "anthropic":
      return {
        dialect: anthropicMessages,
        baseUrl: withVersion(baseUrl),
        credential: key("x-api-key", ""),
        headers: ANTHROPIC_VERSION_HEADER,
      };
  }
}

/**
 * Adds `/v1` if it is missing. Base addresses of Anthropic's API are given without it, as in Anthropic's own variable.
 */
function withVersion(baseUrl: string): string {
  const trimmed = baseUrl.replace(/\/+$/, "");
  return /\/v\d+$/.test(trimmed) ? trimmed : `${trimmed}/v1`;
}
