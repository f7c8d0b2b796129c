import { defined } from "../../base/defined.ts";
import { SILENT_LOG } from "../../base/log.ts";
import { hostWorld } from "../../platform/host.ts";
import { resolveModelId } from "../../providers/choosing/model-aliases.ts";
import { providerOf } from "./api-provider.ts";
import type { HarnessConfig } from "./embedder.ts";
import { DEFAULT_MODEL } from "./embedder.ts";
import type { FacadeDependencies } from "./facade.ts";
import { unsupportedRuntime } from "./runtime.ts";

/**
 * Returns what a `Harness` stands on when an embedder makes one: this machine, and the model's API.
 * @throws HarnessError RuntimeUnsupported where this is not Bun.
 */
export function libraryParts(): FacadeDependencies {
  if (typeof Bun === "undefined") throw unsupportedRuntime();
  const world = hostWorld(SILENT_LOG);
  return {
    world,
    model(config) {
      const { id, note } = modelOf(config);
      const provider = providerOf(config, world);
      return { provider, id, ...defined({ note }) };
    },
  };
}

function modelOf({ kind = "anthropic", model = DEFAULT_MODEL }: HarnessConfig): {
  readonly id: string;
  readonly note?: string;
} {
  return kind === "anthropic" ? resolveModelId(model, []) : { id: model };
}
