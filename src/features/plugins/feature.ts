import { pluginsSection } from "../../config/sections/plugins.ts";
import type { Feature } from "../../session/feature.ts";
import { pluginsCommand } from "./cli/command.ts";
import { givenPlugins } from "./compiled-plugins.ts";
import type { EnginePlugins } from "./engine-plugins.ts";

/** Plugins: code of the user or the embedder that adds tools, hooks, providers, commands and transports (PLUG-01). */
export const pluginsFeature: Feature<EnginePlugins> = {
  name: "plugins",
  inPrograms: {},
  config: [pluginsSection],
  cli: pluginsCommand,
  trust: { items: async (at) => (await import("./plugin-files.ts")).readPluginItems(at) },
  offers: {
    providers: async (host, profile) =>
      (await import("./providers/offer-providers.ts")).offerPluginProviders(host, profile),
  },
  openEngine: async (host) => (await import("./engine-plugins.ts")).openEnginePlugins(host),
  isUsed: ({ kinds, embedded }) => kinds.has("plugin") || givenPlugins(embedded).length > 0,
  serving: {
    atStart: ({ config, embedded }) => config.plugins.length > 0 || givenPlugins(embedded).length > 0,
  },
  async rules({ project, host, engine }) {
    if (!project.has("plugin") && givenPlugins(host.embedded).length === 0) return undefined;
    const { pluginRules } = await import("./open.ts");
    const plugins = await (await engine()).forSession(project);
    if (host.isGated) return pluginRules(plugins);
    (await import("./registration/refuse-unfit.ts")).refuseUnfit(plugins);
    return undefined;
  },
  open: async (host, engine) => (await import("./open.ts")).openPlugins(host, engine),
};
