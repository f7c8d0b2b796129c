import { profileReference } from "../../config/run-profile.ts";
import type { ProviderOffer } from "../../session/feature.ts";
import type { Config } from "../../session/settings/settings.ts";
import { engineHandles } from "../engine/engine-handles.ts";
import type { HarnessOptions } from "../engine/options.ts";
import { settingsUnder } from "../plan/settings.ts";
import type { Providers } from "./providers.ts";

/** Profile of a listing that names none. */
const NO_PROFILE = { path: "", plugins: [] } as const;

/** Loads the providers that features bring, without an engine, so that their models can be listed. */
export async function openOfferedProviders(
  options: HarnessOptions,
  config: Config,
  providers: Providers,
): Promise<ProviderOffer> {
  const {
    profile: named,
    workingDir,
    features: { features },
  } = options;
  const isNamed = (named ?? config.defaultProfile) !== undefined;
  const reference = profileReference({ named, config, workingDir });
  const profile = isNamed ? (await settingsUnder(reference, { ...options, config })).profile : NO_PROFILE;
  const engine = engineHandles(options, config, providers);
  await using undo = new AsyncDisposableStack();
  const offers: ProviderOffer[] = [];
  for (const feature of features) {
    const offer = await feature.offers?.providers?.(engine, profile);
    if (offer !== undefined) offers.push(undo.use(offer));
  }
  const opened = undo.move();
  return {
    owners: new Map(offers.flatMap(({ owners }) => [...owners])),
    problems: offers.flatMap(({ problems }) => problems),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
