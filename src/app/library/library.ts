import { Secret } from "../../base/brand.ts";
import { SILENT } from "../../base/log.ts";
import { authorizedFetch } from "../../credentials/authorized-fetch.ts";
import { scratchFolder } from "../../platform/files/scratch-folder.ts";
import { hostWorld } from "../../platform/host.ts";
import { anthropicProvider } from "../../providers/anthropic/anthropic.ts";
import type { KeyRing } from "../../providers/authorized-fetch.ts";
import { resolveModelId } from "../../providers/choosing/model-aliases.ts";
import { customProvider } from "../../providers/custom/custom.ts";
import type { Provider } from "../../providers/provider.ts";
import type { HarnessConfig } from "./embedder.ts";
import { DEFAULT_MODEL, OUTPUT_TOKENS_MAX } from "./embedder.ts";
import type { FacadeParts } from "./facade.ts";
import { unsupportedRuntime } from "./runtime.ts";

/** Name of a model's server that is not Anthropic's, in events and errors. */
const OWN_SERVER = "custom";

/**
 * Returns what a `Harness` stands on when an embedder makes one: this machine, and the model's API.
 * @throws HarnessError RuntimeUnsupported where this is not Bun.
 */
export function libraryParts(): FacadeParts {
  if (typeof Bun === "undefined") throw unsupportedRuntime();
  const world = hostWorld(SILENT);
  return {
    world,
    scratch: () => scratchFolder("cinch-library-"),
    model(config) {
      const { id, note } = modelOf(config);
      const { maxTokens: outputTokensMax = OUTPUT_TOKENS_MAX } = config;
      const provider = providerOf(config, world);
      return { provider, id, outputTokensMax, ...(note === undefined ? {} : { note }) };
    },
  };
}

function modelOf({ kind = "anthropic", model = DEFAULT_MODEL }: HarnessConfig): {
  readonly id: string;
  readonly note?: string;
} {
  return kind === "anthropic" ? resolveModelId(model, []) : { id: model };
}

function providerOf(config: HarnessConfig, world: FacadeParts["world"]): Provider {
  const { kind = "anthropic", baseUrl = "", apiKey } = config;
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
