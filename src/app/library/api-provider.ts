import { Secret } from "../../base/brand.ts";
import { HarnessError } from "../../base/errors.ts";
import { SILENT_LOG } from "../../base/log.ts";
import type { World } from "../../base/world.ts";
import { authorizedFetch } from "../../credentials/authorized-fetch.ts";
import { hostWorld } from "../../platform/host.ts";
import { anthropicProvider } from "../../providers/anthropic/anthropic.ts";
import type { KeyRing } from "../../providers/authorized-fetch.ts";
import { customProvider } from "../../providers/custom/custom.ts";
import type { Provider } from "../../providers/provider.ts";
import type { HarnessWire } from "./embedder.ts";

/** Name of a model's server that is not Anthropic's, in events and errors. */
const OWN_SERVER = "custom";

/** A model server that speaks one of the known wires. */
export interface ModelServer {
  /** Default: `anthropic`. */
  readonly kind?: HarnessWire;
  /** Default: no key is sent. */
  readonly apiKey?: string;
  /** Address of the server. Default: Anthropic's own; the OpenAI wires have none. */
  readonly baseUrl?: string;
}

/**
 * Returns the provider for a model server, for `createEngine`. Its name is `anthropic`, or `custom` for the OpenAI
 * wires. Nothing is asked for yet.
 * @throws HarnessError UsageInvalid for an OpenAI wire without `baseUrl`.
 */
export function apiProvider(server: ModelServer): Provider {
  const { kind = "anthropic", baseUrl } = server;
  if (kind !== "anthropic" && baseUrl === undefined)
    throw new HarnessError("UsageInvalid", {
      problem: `the wire ${kind} needs baseUrl: it has no default server`,
    });
  return providerOf(server, hostWorld(SILENT_LOG));
}

/** Returns the provider for a model server in a world. */
export function providerOf(
  { kind = "anthropic", baseUrl = "", apiKey }: ModelServer,
  world: World,
): Provider {
  const name = kind === "anthropic" ? "anthropic" : OWN_SERVER;
  const send = authorizedFetch({
    fetch: world.fetch,
    keys: oneKey(name, apiKey),
    needsOf: () => ({ variable: "apiKey", kept: "" }),
  });
  if (kind === "anthropic") return anthropicProvider({ world, send, ...(baseUrl === "" ? {} : { baseUrl }) });
  return customProvider(
    { name, kind, baseUrl, ...(apiKey === undefined ? {} : { apiKeyEnv: "apiKey" }) },
    { world, send },
  );
}

function oneKey(name: string, apiKey: string | undefined): KeyRing {
  const key = apiKey === undefined ? undefined : new Secret("api-key", apiKey);
  return {
    keyFor: (provider) =>
      Promise.resolve(provider === name && key !== undefined ? { key, source: "apiKey" } : undefined),
    providers: () => Promise.resolve([name]),
  };
}
