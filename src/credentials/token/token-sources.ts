import { defined } from "../../base/defined.ts";
import type { Clock, Fetch } from "../../base/world.ts";
import type { KeyRing } from "../../providers/authorized-fetch.ts";
import type { VendorSettings } from "../../providers/vendor-settings.ts";
import { COPILOT_EDITOR, copilotAddresses } from "../../providers/vendor-settings.ts";
import type { CustomProvider } from "../../providers/vendors.ts";
import type { GoogleSource } from "../google/default-credentials.ts";
import { cachedToken } from "./cached-token.ts";
import type { TokenSource } from "./token-source.ts";

export interface TokenSourcesOptions {
  readonly keys: KeyRing;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly settings: VendorSettings;
  /** The user's providers: one that shadows a vendor has an ordinary key. */
  readonly customs: readonly CustomProvider[];
  /** Source of Google credentials; absent: Vertex AI is not used. */
  readonly google?: GoogleSource;
}

export type TokenSourceOf = (provider: string) => Promise<TokenSource | undefined>;

/**
 * Returns the token sources of providers whose lasting credentials are exchanged for short-lived tokens. Each is
 * opened at first use, with its code. All other providers have none, and their key is sent unchanged.
 */
export function tokenSources(parts: TokenSourcesOptions): TokenSourceOf {
  const opened = new Map<string, Promise<TokenSource | undefined>>();
  return (provider) => {
    if (parts.customs.some(({ name }) => name === provider)) return Promise.resolve(undefined);
    const open = opened.get(provider) ?? openSource(provider, parts);
    opened.set(provider, open);
    return open;
  };
}

async function openSource(provider: string, parts: TokenSourcesOptions): Promise<TokenSource | undefined> {
  const { fetch, clock, settings, google } = parts;
  if (provider === "vertex" && google !== undefined) {
    const { exchangeGoogleToken } = await import("../google/exchange.ts");
    const tokenUrl = settings.vertex?.tokenUrl;
    const asked = { origin: google, fetch, clock, ...defined({ tokenUrl }) };
    return cachedToken({
      source: google.source,
      baseUrl: "",
      clock,
      exchange: (signal) => exchangeGoogleToken(asked, signal),
    });
  }
  if (provider !== "copilot") return undefined;
  const found = await parts.keys.keyFor(provider);
  if (found === undefined) return undefined;
  const { exchangeCopilotToken } = await import("../copilot/exchange.ts");
  const addresses = copilotAddresses(settings.copilot);
  const { baseUrl: ownBaseUrl, editorVersion = COPILOT_EDITOR } = settings.copilot ?? {};
  const copilot = { addresses, fetch, clock, editorVersion, githubToken: found.key };
  const address = defined({ ownBaseUrl });
  return cachedToken({
    source: found.source,
    baseUrl: addresses.baseUrl,
    clock,
    exchange: (signal) => exchangeCopilotToken({ ...copilot, ...address }, signal),
  });
}
