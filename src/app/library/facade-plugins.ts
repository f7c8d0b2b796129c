import { HarnessError } from "../../base/errors.ts";
import type { EnginePlugins } from "../../features/plugins/engine-plugins.ts";
import { pluginsFeature } from "../../features/plugins/feature.ts";
import type { RegisteredPlugin } from "../../features/plugins/registration/registered-plugin.ts";
import type { Feature } from "../../session/feature.ts";

/**
 * The plugins of a `Harness`. It has one model, no wire, no clients who could send commands, and no permission gate: a plugin
 * that needs one of these to do what it promises is refused, and so is one that fails.
 */
export const facadePluginsFeature: Feature<EnginePlugins> = {
  ...pluginsFeature,
  async rules({ trust, host, engine }) {
    if (host.embedded.length === 0) return undefined;
    const { active, failed } = await (await engine()).forSession(trust);
    const [first] = failed;
    if (first !== undefined) throw first.error; // whoever gave it is the one to tell
    for (const plugin of active) refuseUnfit(plugin);
    return undefined;
  },
};

function refuseUnfit({ name, providers, transports, rules }: RegisteredPlugin): void {
  const needs = [
    ...(providers.size > 0 ? ["a provider, and a Harness has one model"] : []),
    ...(transports.length > 0 ? ["a transport, and a Harness has no wires"] : []),
    ...(rules.length > 0 ? ["permission rules, and in a Harness nothing is asked"] : []),
  ];
  const [first] = needs;
  if (first !== undefined)
    throw new HarnessError("UsageInvalid", { problem: `the plugin ${name} registers ${first}` });
}
