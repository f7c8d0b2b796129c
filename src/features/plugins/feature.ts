import { pluginsSection } from "../../config/sections/plugins.ts";
import type { Feature } from "../../session/feature.ts";
import { pluginsCommand } from "./cli/command.ts";
import type { EnginePlugins } from "./engine-plugins.ts";

/** Plugins: code of the user or the embedder that adds tools, hooks, providers, commands and transports (PLUG-01). */
export const pluginsFeature: Feature<EnginePlugins> = {
  name: "plugins",
  config: [pluginsSection],
  cli: pluginsCommand,
  trustItems: async (at) => (await import("./plugin-files.ts")).readPluginItems(at),
  openEngine: async (host) => (await import("./engine-plugins.ts")).openEnginePlugins(host),
  isUsed: ({ kinds, embedded }) => kinds.has("plugin") || embedded.length > 0,
  serves: ({ config, embedded }) => config.plugins.length > 0 || embedded.length > 0,
  async rules({ trust, host, engine }) {
    if (!trust.has("plugin") && host.embedded.length === 0) return undefined;
    const { pluginRules } = await import("./open.ts");
    return pluginRules(await (await engine()).forSession(trust));
  },
  open: async (host, engine) => (await import("./open.ts")).openPlugins(host, engine),
};
