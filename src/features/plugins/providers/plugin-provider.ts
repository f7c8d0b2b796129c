import { HarnessError, messageOf } from "../../../base/errors.ts";
import { foreignProvider } from "../../../providers/foreign-provider.ts";
import type { ProviderFactory } from "../../../providers/registry.ts";
import type { RegisteredPlugin } from "../registration/registered-plugin.ts";

/**
 * Wraps a provider of a plugin. An unexpected exception ends the turn with an error that names the plugin. After the
 * plugin is switched off, the provider fails with that reason.
 */
export function containProvider(
  name: string,
  open: ProviderFactory,
  plugin: Pick<RegisteredPlugin, "name" | "health">,
): ProviderFactory {
  const assertOn = () => {
    if (plugin.health.off !== undefined) throw plugin.health.off;
  };
  const failed = (thrown: unknown): unknown => {
    if (thrown instanceof HarnessError) return thrown;
    const fields = { plugin: plugin.name, where: `its provider ${name}`, what: messageOf(thrown) };
    return new HarnessError("PluginFailed", fields, { cause: thrown });
  };
  return async () => {
    assertOn();
    try {
      return { ...foreignProvider(await open(), { assertUsable: assertOn, failed }), name };
    } catch (thrown) {
      throw failed(thrown);
    }
  };
}
