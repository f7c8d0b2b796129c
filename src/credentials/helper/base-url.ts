import type { VendorSettings } from "../../providers/vendor-settings.ts";
import { copilotAddresses } from "../../providers/vendor-settings.ts";
import type { CustomProvider } from "../../providers/vendors.ts";
import { isUrlBelow } from "./is-url-below.ts";

/** Base address of each known vendor; a test compares these with the adapters. */
const VENDOR_BASE_URLS: ReadonlyMap<string, string> = new Map([
  ["anthropic", "https://api.anthropic.com/v1"],
  ["openai", "https://api.openai.com/v1"],
  ["openrouter", "https://openrouter.ai/api/v1"],
  ["zai", "https://api.z.ai/api/paas/v4"],
]);

/** Returns the only address that a provider's key may be sent to: the configured one, else the known vendor's. */
export function baseUrlOf(
  provider: string,
  customs: readonly CustomProvider[],
  settings: VendorSettings = {},
): string | undefined {
  const custom = customs.find(({ name }) => name === provider);
  if (custom !== undefined) return custom.baseUrl;
  if (provider === "vertex") return settings.vertex?.baseUrl;
  if (provider === "copilot") return copilotAddresses(settings.copilot).baseUrl;
  return VENDOR_BASE_URLS.get(provider);
}

const VERTEX_HOST = /^https:\/\/(?:[a-z][a-z0-9-]{0,30}-)?aiplatform\.googleapis\.com$/;
const VERTEX_AREA = /^https:\/\/aiplatform\.(?:us|eu)\.rep\.googleapis\.com$/;

/**
 * Returns true if the key of a provider may be sent to an address. Vertex AI has a host for each region; the project
 * is in the path.
 */
export function isAllowedAddress(
  url: string,
  provider: string,
  customs: readonly CustomProvider[],
  settings: VendorSettings,
): boolean {
  const base = baseUrlOf(provider, customs, settings);
  if (base !== undefined) return isUrlBelow(base, url);
  const origin = URL.parse(url)?.origin ?? "";
  const isVertex = provider === "vertex" && (VERTEX_HOST.test(origin) || VERTEX_AREA.test(origin));
  return isVertex && isUrlBelow(`${origin}/v1/projects`, url);
}
