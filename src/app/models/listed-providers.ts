import { defined } from "../../base/defined.ts";
import { hasReason } from "../../base/errors.ts";
import type { ProviderInfo } from "../../protocol/resources.ts";
import { keyNeeds, LOCAL_SERVERS } from "../../providers/vendors.ts";
import type { Config } from "../../session/settings/settings.ts";
import type { Providers } from "./providers.ts";

interface ListedProviders {
  readonly providers: Pick<Providers, "registry" | "configured" | "choose">;
  readonly config: Pick<Config, "providers" | "defaultModel">;
}

/** Returns the providers with what each needs before it can be used: a key, or a server on this machine. */
export async function listedProviders({
  providers,
  config: { providers: customs },
}: ListedProviders): Promise<readonly ProviderInfo[]> {
  const configured = new Set(await providers.configured());
  return providers.registry.names().map((name): ProviderInfo => {
    const isCustom = customs.some((custom) => custom.name === name);
    const server = isCustom ? undefined : LOCAL_SERVERS.find((each) => each.name === name);
    const needs = keyNeeds(name, customs);
    // A provider whose key cannot be kept is set up in another way.
    const variable = needs === undefined || needs.kept === "" ? undefined : needs.variable;
    return {
      name,
      configured: configured.has(name),
      ...defined({ address: server?.baseUrl, key_variable: variable }),
    };
  });
}

/**
 * Returns the model of a new session without flags and profile, as `provider:name`; undefined if none can be used.
 * Looks for servers on this machine if nothing is configured.
 */
export async function usableModel(
  { providers, config: { defaultModel } }: ListedProviders,
  signal: AbortSignal,
): Promise<string | undefined> {
  const preferred = defaultModel === undefined ? [] : [defaultModel];
  try {
    const { provider, model } = await providers.choose(undefined, { preferred }, signal);
    return `${provider}:${model}`;
  } catch (thrown) {
    if (!hasReason(thrown, "NoModel")) throw thrown;
    return undefined;
  }
}
