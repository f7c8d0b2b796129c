import { join } from "node:path";
import type { Providers } from "../../app/models/providers.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Config } from "../../config/config.ts";
import type { EnginePort } from "../../session/engine-port.ts";
import type { HarnessOptions } from "../../session/plan/options.ts";
import type { ToolTable } from "../../tools/tool-facts.ts";
import { COMPILED_PLUGINS } from "./compiled-plugins.ts";
import type { PluginHost } from "./plugin-host.ts";

/** The plugins of one engine. Nothing of them is loaded before the first is wanted. */
export interface EnginePlugins extends AsyncDisposable {
  readonly host: () => Promise<PluginHost>;
  /** Opens the wires of plugins that need no session: those that were given, and those of config.toml. */
  serve(port: EnginePort): Promise<void>;
}

export function enginePlugins(
  options: HarnessOptions,
  config: Config,
  providers: Providers,
  tools: ToolTable,
): EnginePlugins {
  const { world, paths } = options;
  const given = [...COMPILED_PLUGINS, ...(options.plugins ?? [])];
  let loading: Promise<PluginHost> | undefined;
  let port: EnginePort | undefined;

  async function load(): Promise<PluginHost> {
    const { PluginHost } = await import("./plugin-host.ts");
    const names = () => providers.registry.names();
    const folder = join(paths.data, "plugins");
    const host = new PluginHost({
      world,
      folder,
      tools,
      given,
      providers: { names, extend: providers.extend },
    });
    if (port !== undefined) await host.serve(port);
    return host;
  }

  const host = () => {
    loading ??= load();
    return loading;
  };

  return {
    host,
    async serve(opened) {
      port ??= opened;
      if (given.length === 0 && config.plugins.length === 0) {
        if (loading !== undefined) await (await loading).serve(port);
        return;
      }
      const plugins = await host();
      await plugins.given();
      await loadAcknowledged(plugins, options, config);
      await plugins.serve(port);
    },
    async [Symbol.asyncDispose]() {
      await (await loading)?.[Symbol.asyncDispose]();
    },
  };
}

/** The others are asked about with the first session, which also tells why one cannot be had. */
async function loadAcknowledged(
  host: PluginHost,
  options: Pick<HarnessOptions, "world" | "paths">,
  { plugins }: Config,
): Promise<void> {
  if (plugins.length === 0) return;
  const { readPlugins } = await import("./plugin-files.ts");
  const { judgeItems } = await import("../../guard/trust/trust-gate.ts");
  try {
    const items = await readPlugins(options.world, plugins);
    const { pending } = await judgeItems(options, items, { root: "/", promoteProse: false });
    const unseen = new Set(pending.map(({ item }) => item));
    for (const item of items) if (!unseen.has(item)) await host.load(item);
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    const { reason, message } = thrown;
    options.world.log.for("plugin").write("warn", "no plugin is served", { reason, message });
  }
}
