import { HarnessError } from "../../base/errors.ts";
import { chooseModel } from "../../providers/choosing/choose-model.ts";
import { findRoute, ROUTING_PROVIDER } from "../../providers/choosing/route.ts";
import { VENDORS } from "../../providers/vendors.ts";
import type { Config } from "../../session/settings/settings.ts";
import { KEYLESS_PROVIDERS } from "./providers.ts";

/**
 * Returns the problem of a model that a file names, by its provider's name alone: no provider is asked for its models,
 * and no key is read. Undefined if plugins are named: one of them may bring the provider.
 */
export async function namedModelProblem(
  model: string,
  { providers, routes, plugins }: Pick<Config, "providers" | "routes" | "plugins">,
): Promise<string | undefined> {
  if (plugins.length > 0) return undefined;
  try {
    const named = await chooseModel({
      requested: model,
      keyed: [...VENDORS, ...providers].map(({ name }) => name),
      customs: providers,
      keyless: KEYLESS_PROVIDERS,
      discoverLocal: async () => [],
    });
    if (named.provider === ROUTING_PROVIDER) findRoute(routes, named.model);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    return thrown.message;
  }
}
