import { Secret } from "../base/brand.ts";
import { SILENT } from "../base/log.ts";
import { authorizedFetch } from "../credential/authorized-fetch.ts";
import { hostWorld } from "../host/host.ts";
import { resolveModelId } from "../provider/aliases.ts";
import { anthropic } from "../provider/anthropic/anthropic.ts";
import type { KeyRing } from "../provider/authorized-fetch.ts";
import type { HarnessConfig } from "./embedder.ts";
import { DEFAULT_MODEL, OUTPUT_TOKENS_MAX } from "./embedder.ts";
import type { FacadeParts } from "./facade.ts";

/** What a `Harness` stands on when an embedder makes one: this machine, and Anthropic's API. */
export function libraryParts(): FacadeParts {
  const world = hostWorld(SILENT);
  return {
    world,
    model(config) {
      const { id, note } = resolveModelId(config.model ?? DEFAULT_MODEL, []);
      const send = authorizedFetch({
        fetch: world.fetch,
        keys: oneKey(config),
        needsOf: () => ({ variable: "apiKey", kept: "" }),
      });
      const { baseUrl, maxTokens: outputTokensMax = OUTPUT_TOKENS_MAX } = config;
      const provider = anthropic({ world, send, ...(baseUrl === undefined ? {} : { baseUrl }) });
      return { provider, id, outputTokensMax, ...(note === undefined ? {} : { note }) };
    },
  };
}

function oneKey({ apiKey }: HarnessConfig): KeyRing {
  const key = new Secret("api-key", apiKey);
  return {
    keyFor: (provider) => Promise.resolve(provider === "anthropic" ? { key, source: "apiKey" } : undefined),
    providers: () => Promise.resolve(["anthropic"]),
  };
}
