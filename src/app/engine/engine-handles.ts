import { defined } from "../../base/defined.ts";
import { WritableFolders } from "../../session/guard/writable-folders.ts";
import type { EngineHandles } from "../../session/host.ts";
import type { Config } from "../../session/settings/settings.ts";
import { engineModels } from "../models/engine-models.ts";
import type { Providers } from "../models/providers.ts";
import { judgeFilesBy } from "../plan/judge-files.ts";
import type { HarnessOptions } from "./options.ts";

/**
 * Returns the handles that an engine with these options gives to its features, apart from its store. Starts nothing.
 */
export function engineHandles(
  options: Pick<
    HarnessOptions,
    "world" | "paths" | "wishes" | "plugins" | "embedding" | "features" | "tellDesktop"
  >,
  config: Config,
  providers: Providers,
): EngineHandles {
  const { world, paths, wishes, plugins = [], embedding, features, tellDesktop } = options;
  return {
    ...{ world, paths, environment: wishes.environment, config, ...defined({ tellDesktop }) },
    models: engineModels(providers),
    embedded: plugins,
    writable: new WritableFolders(paths),
    isGated: embedding?.isGated ?? true,
    tools: features.tools,
    judge: judgeFilesBy({ world, paths }, { wishes, config }),
    externalCode: async () => (await import("./external-code.ts")).hostExternalCode,
  };
}
