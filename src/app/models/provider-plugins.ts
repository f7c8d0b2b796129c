import { HarnessError } from "../../base/errors.ts";
import { openEnginePlugins } from "../../features/plugins/engine-plugins.ts";
import { pluginPaths, readPlugins } from "../../features/plugins/plugin-files.ts";
import type { PluginLoadResult } from "../../features/plugins/plugin-host.ts";
import type { Config } from "../../session/settings/settings.ts";
import { engineHandles } from "../engine/engine-handles.ts";
import type { HarnessOptions } from "../engine/options.ts";
import { settingsUnder } from "../plan/settings.ts";
import type { Providers } from "./providers.ts";

/** The acknowledged plugins that bring providers. */
interface OfferingPlugins extends AsyncDisposable {
  /** Returns the plugin that brings a provider. */
  owner(provider: string): { readonly plugin?: string };
  /** Plugins that offer nothing, and why. */
  readonly told: readonly ({ readonly provider: string } & (
    | { readonly error: string }
    | { readonly notice: string }
  ))[];
}

/** Loads plugins without an engine, so that their models can be listed. */
export async function openProviderPlugins(
  options: HarnessOptions,
  config: Config,
  providers: Providers,
): Promise<OfferingPlugins> {
  const owners = new Map<string, string>();
  const told: OfferingPlugins["told"][number][] = [];
  const name = options.profile ?? config.defaultProfile;
  const { paths } = options;
  const engine = engineHandles(options, config, providers);
  const loaded = openEnginePlugins(engine);
  const offering: OfferingPlugins = {
    owner(provider) {
      const plugin = owners.get(provider);
      return plugin === undefined ? {} : { plugin };
    },
    told,
    [Symbol.asyncDispose]: () => loaded[Symbol.asyncDispose](),
  };
  const isAny = [config.plugins, engine.embedded].some(({ length }) => length > 0);
  if (!isAny && name === undefined) return offering;
  const profile =
    name === undefined
      ? { path: "", plugins: [] }
      : (await settingsUnder(name, { ...options, config })).profile;
  const count = (opened: PluginLoadResult, from: string) => {
    if (opened.kind === "failed") told.push({ provider: from, error: opened.error.message });
    else for (const provider of opened.plugin.providers.keys()) owners.set(provider, opened.plugin.name);
  };
  const named = pluginPaths({ config, profile, paths });
  if (!isAny && named.length === 0) return offering;
  const host = await loaded.host();
  for (const opened of await host.given()) count(opened, "plugins");
  for (const path of named) {
    try {
      const items = await readPlugins(options.world, [path]);
      const { pending } = await engine.judge(items, "/");
      if (pending.length > 0) {
        const notice = `The plugin ${path} is not acknowledged, so nobody knows what models it offers: cinch ack`;
        told.push({ provider: path, notice });
      } else for (const item of items) count(await host.load(item), path);
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) throw thrown;
      told.push({ provider: path, error: thrown.message });
    }
  }
  return offering;
}
