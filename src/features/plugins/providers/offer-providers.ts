import { HarnessError } from "../../../base/errors.ts";
import type { ProviderOffer } from "../../../session/feature.ts";
import type { EngineHandles } from "../../../session/host.ts";
import type { Profile } from "../../../session/settings/settings.ts";
import { openEnginePlugins } from "../engine-plugins.ts";
import { pluginPaths, readPlugins } from "../plugin-files.ts";
import type { PluginLoadResult } from "../plugin-host.ts";

/** Loads the acknowledged plugins without a session, so that the models of their providers can be listed. */
export async function offerPluginProviders(
  engine: EngineHandles,
  profile: Pick<Profile, "path" | "plugins">,
): Promise<ProviderOffer> {
  const owners = new Map<string, string>();
  const problems: ProviderOffer["problems"][number][] = [];
  const { world, config, paths } = engine;
  await using undo = new AsyncDisposableStack();
  const plugins = undo.use(openEnginePlugins(engine));
  const named = pluginPaths({ config, profile, paths });
  if (named.length > 0 || plugins.embedded.length > 0) {
    const host = await plugins.host();
    const add = (opened: PluginLoadResult, from: string) => {
      if (opened.kind === "failed") problems.push({ provider: from, error: opened.error.message });
      else for (const provider of opened.plugin.providers.keys()) owners.set(provider, opened.plugin.name);
    };
    for (const opened of await host.embedded()) add(opened, "plugins");
    for (const path of named) {
      try {
        const items = await readPlugins(world, [path]);
        const { pending } = await engine.judge(items, "/");
        if (pending.length > 0) {
          const notice = `The plugin ${path} is not acknowledged, so nobody knows what models it offers: cinch ack`;
          problems.push({ provider: path, notice });
        } else for (const item of items) add(await host.load(item), path);
      } catch (thrown) {
        if (!(thrown instanceof HarnessError)) throw thrown;
        problems.push({ provider: path, error: thrown.message });
      }
    }
  }
  const opened = undo.move();
  return { owners, problems, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
