import { COMPILED_PLUGINS } from "../../features/plugins/compiled-plugins.ts";
import type { EngineHandles } from "../../session/host.ts";
import type { Config } from "../../session/settings/settings.ts";
import { engineModels } from "../models/engine-models.ts";
import type { Providers } from "../models/providers.ts";
import { judgeFilesBy } from "../plan/judge-files.ts";
import { TOOLS } from "../plan/tool-list.ts";
import type { HarnessOptions } from "./options.ts";

/** Returns the handles that an engine with these options gives to its features, apart from its store. Starts nothing. */
export function engineHandles(
  options: Pick<HarnessOptions, "world" | "paths" | "environment" | "plugins" | "lockfile">,
  config: Config,
  providers: Providers,
): EngineHandles {
  const { world, paths, environment, plugins = [] } = options;
  return {
    ...{ world, paths, environment, config },
    models: engineModels(providers),
    embedded: [...COMPILED_PLUGINS, ...plugins],
    tools: TOOLS,
    judge: judgeFilesBy({ world, paths }, { wishes: options, config }),
    externalCode: async () => (await import("./external-code.ts")).hostExternalCode,
  };
}
