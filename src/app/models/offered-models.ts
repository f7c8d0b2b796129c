import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import { noModelError } from "../../providers/choosing/choose-model.ts";
import type { Model } from "../../providers/provider.ts";
import { keyNeeds } from "../../providers/vendors.ts";
import type { Config } from "../../session/settings/settings.ts";
import { bootStep } from "../engine/boot.ts";
import { configuredProviders } from "../engine/open-store.ts";
import type { HarnessOptions } from "../engine/options.ts";
import { openOfferedProviders } from "./offered-providers.ts";

/** Models of one configured provider, or why they are unknown. */
export interface OfferedModels {
  readonly provider: string;
  /** Plugin that brings the provider. */
  readonly plugin?: string;
  readonly models?: readonly Model[];
  readonly error?: string;
  /** Reason why the provider was not asked. */
  readonly notice?: string;
}

/**
 * Yields the models of every configured provider, or of the servers of this machine if none is configured (PROV-13).
 * @throws HarnessError NoModel if there is neither, naming what the user's default lacks.
 */
export async function* listModels(
  options: HarnessOptions,
  signal: AbortSignal,
): AsyncGenerator<OfferedModels> {
  const { config, providers } = await bootStep(options.world.log, "reading the configuration", () =>
    configuredProviders(options),
  );
  await using offer = await openOfferedProviders(options, config, providers);
  yield* offer.problems;
  const keyed = await providers.configured();
  for (const { name } of config.providers.filter((each) => !keyed.includes(each.name)))
    yield { provider: name, notice: withoutKey(name, config) };
  const names = keyed.length > 0 ? keyed : await providers.localServers(signal);
  if (names.length === 0) {
    const preferred = config.defaultModel === undefined ? [] : [config.defaultModel];
    await providers.choose(undefined, { preferred }, signal);
    throw noModelError(); // the server that would be chosen does not answer
  }
  let answered = 0;
  for (const provider of names) {
    try {
      const models = await (await providers.registry.open(provider)).models(signal);
      answered += 1;
      const plugin = offer.owners.get(provider);
      yield { provider, models, ...defined({ plugin }) };
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) throw thrown;
      yield { provider, error: thrown.message };
    }
  }
  if (answered > 0 && config.routes.length > 0)
    yield { provider: "routing", models: config.routes.map(({ name }) => ({ id: name })) };
}

function withoutKey(name: string, { providers }: Config): string {
  const needs = keyNeeds(name, providers) ?? { variable: "one", kept: "" };
  return `${name} is not asked: it has no key. Set ${needs.variable}${needs.kept}.`;
}
