import { deadline } from "../../base/async/deadline.ts";
import { HarnessError, hasReason } from "../../base/errors.ts";
import { nearestWords } from "../../base/text/near.ts";
import type { World } from "../../base/world.ts";
import type { ChosenModel } from "../../providers/choosing/choose-model.ts";
import { knownModel } from "../../providers/choosing/prices.ts";
import { findRoute, ROUTING_PROVIDER } from "../../providers/choosing/route.ts";
import type { Model, Provider } from "../../providers/provider.ts";
import { VENDORS } from "../../providers/vendors.ts";
import type { Config } from "../../session/settings/settings.ts";
import type { Providers } from "./providers.ts";

/** Milliseconds to wait for a new catalogue before the old one is used. */
const REFRESH_MS_MAX = 5_000;

/** Sources that a model is looked up in. */
export interface KnownModels {
  readonly providers: { readonly registry: Pick<Providers["registry"], "names" | "open"> };
  readonly config: Pick<Config, "providers" | "routes">;
  readonly world: Pick<World, "clock">;
}

/**
 * Checks that a provider has the model that a user names, by its cached catalogue: no provider is asked that was not
 * asked before (PROV-03).
 * @returns a sentence for the person if that is unknown.
 * @throws HarnessError UnknownModel with the nearest names, if the catalogue is complete.
 */
export async function checkModel(
  { provider, model }: Pick<ChosenModel, "provider" | "model">,
  { providers, config, world }: KnownModels,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (provider === ROUTING_PROVIDER) {
    findRoute(config.routes, model);
    return undefined;
  }
  if (!providers.registry.names().includes(provider)) return undefined; // one without a catalogue: a cassette
  const isOwn = config.providers.some(({ name }) => name === provider);
  if (!isOwn && knownModel(provider, model) !== undefined) return undefined;
  const opened = await providers.registry.open(provider);
  if (opened.known === undefined) return undefined;
  const knownModels = await opened.known();
  if (lists(knownModels, model)) return undefined;
  const isWhole = !isOwn && VENDORS.some(({ name, listsAll }) => name === provider && listsAll === true);
  if (!isWhole || knownModels.length === 0) return remark(provider, model, knownModels);
  const listed = await fresh(opened, { knownModels, world }, signal);
  if (lists(listed, model)) return undefined;
  throw new HarnessError("UnknownModel", {
    provider,
    model,
    detail: `its catalogue does not list it${nearest(model, listed)}`,
  });
}

/**
 * Checks a model by its name, for later use: its key, and a plugin that brings its provider, may exist only then.
 * @throws HarnessError UnknownProvider, UnknownModel, UsageInvalid.
 */
export async function checkNamedModel(
  name: string,
  sources: NamedSources,
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    const chosen = await sources.providers.choose(name, {}, signal);
    return listOf(chosen.notice, await checkModel(chosen, sources, signal));
  } catch (thrown) {
    if (hasReason(thrown, "UnknownProvider") && sources.config.plugins.length > 0)
      return [`${thrown.message} A plugin may bring it.`];
    if (!hasReason(thrown, "ProviderKeyMissing")) throw thrown;
    const { provider, variable } = thrown.fields;
    const model = name.startsWith(`${provider}:`) ? name.slice(provider.length + 1) : name;
    const remark = await checkModel({ provider, model }, sources, signal);
    return listOf(`Provider ${provider} needs a key by then: ${variable}.`, remark);
  }
}

interface NamedSources extends KnownModels {
  readonly providers: Pick<Providers, "registry" | "choose">;
  readonly config: Pick<Config, "providers" | "routes" | "plugins">;
}

function listOf(...sentences: readonly (string | undefined)[]): readonly string[] {
  return sentences.filter((sentence) => sentence !== undefined);
}

function remark(provider: string, model: string, knownModels: readonly Model[]): string {
  return knownModels.length === 0
    ? `${provider}:${model} is taken as it is written: what ${provider} offers is not known here. cinch models asks it.`
    : `${provider}:${model} is taken as it is written, though the catalogue of ${provider} does not list it${nearest(model, knownModels)}.`;
}

/** Returns true for a model with a date or without, and in a variant that providers make of it: `:free`, `-latest`. */
function lists(models: readonly Model[], model: string): boolean {
  const wanted = [model, model.replace(/:[a-z0-9-]+$/, ""), model.replace(/-latest$/, "")];
  return models.some(({ id }) => wanted.includes(id) || wanted.includes(id.replace(/-\d{8}$/, "")));
}

function nearest(model: string, models: readonly Model[]): string {
  const ids = models.map(({ id }) => id);
  const names = nearestWords(model, ids);
  // Vendors' names begin with that of the maker: "anthropic/claude-…".
  const suggestions =
    names.length > 0 ? names : ids.filter((id) => id.split("/").at(-1) === model).slice(0, 3);
  return suggestions.length === 0 ? "" : `; nearest: ${suggestions.join(", ")}`;
}

/** A model may be newer than the catalogue. If no new one can be fetched, the cached one counts. */
async function fresh(
  provider: Provider,
  { knownModels, world }: { readonly knownModels: readonly Model[]; readonly world: Pick<World, "clock"> },
  signal: AbortSignal,
): Promise<readonly Model[]> {
  using limit = deadline(world.clock, REFRESH_MS_MAX, signal);
  try {
    return await provider.models(limit.signal);
  } catch {
    signal.throwIfAborted();
    return knownModels;
  }
}
