import { HarnessError, messageOf } from "../../base/errors.ts";
import type { ModelEvent, Provider } from "../../providers/provider.ts";
import type { ProviderFactory } from "../../providers/registry.ts";
import { readUsage } from "../../providers/token-count.ts";
import type { RegisteredPlugin } from "./registration/registered-plugin.ts";

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
  const failed = (thrown: unknown, signal?: AbortSignal): unknown => {
    if (signal?.aborted === true) return signal.reason;
    if (thrown instanceof HarnessError) return thrown;
    const fields = { plugin: plugin.name, where: `its provider ${name}`, what: messageOf(thrown) };
    return new HarnessError("PluginFailed", fields, { cause: thrown });
  };
  const tried = async <Value>(run: () => Promise<Value>, signal?: AbortSignal): Promise<Value> => {
    assertOn();
    try {
      return await run();
    } catch (thrown) {
      throw failed(thrown, signal);
    }
  };
  return async () => {
    const provider: Provider = await tried(async () => await open());
    async function* chat(
      ...[request, signal, onSilence]: Parameters<Provider["chat"]>
    ): AsyncGenerator<ModelEvent> {
      assertOn();
      try {
        for await (const event of provider.chat(request, signal, onSilence)) {
          yield checked(event);
        }
      } catch (thrown) {
        throw failed(thrown, signal);
      }
    }
    return {
      name,
      family: provider.family,
      canonicalFormVersion: provider.canonicalFormVersion,
      ...(provider.pricesInCatalogue === undefined ? {} : { pricesInCatalogue: provider.pricesInCatalogue }),
      ...(provider.server === undefined ? {} : { server: provider.server }),
      chat,
      models: (signal) => tried(() => provider.models(signal), signal),
      tokenCount: (messages, signal) => tried(() => provider.tokenCount(messages, signal), signal),
    };
  };
}

/** Checks the fields of an event that a plugin's code may get wrong, whatever its types say. */
function checked(event: ModelEvent): ModelEvent {
  if (event.kind === "usage") return { kind: "usage", usage: readUsage(event.usage) };
  if (event.kind !== "finish" || typeof event.model === "string") return event;
  const { model: _none, ...finish } = event;
  return finish;
}
