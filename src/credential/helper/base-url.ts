import type { CustomProvider } from "../../provider/vendors.ts";

/** Where each known vendor is asked; a test holds these equal to what the adapters use. */
const VENDOR_BASE_URLS: ReadonlyMap<string, string> = new Map([
  ["anthropic", "https://api.anthropic.com/v1"],
  ["openai", "https://api.openai.com/v1"],
  ["openrouter", "https://openrouter.ai/api/v1"],
  ["zai", "https://api.z.ai/api/paas/v4"],
]);

/** The only address that the key of a provider may go to: the user's own word, else the known vendor's. */
export function baseUrlOf(provider: string, customs: readonly CustomProvider[]): string | undefined {
  const custom = customs.find(({ name }) => name === provider);
  return custom === undefined ? VENDOR_BASE_URLS.get(provider) : custom.baseUrl;
}
