import type { ProviderInfo } from "../../protocol/resources.ts";

/**
 * Names of the models that each provider offers which was asked: those that are set up, and model servers on the
 * engine's machine. One that is silent is not in it.
 */
export type ServedModels = ReadonlyMap<string, readonly string[]>;

/** Way to get a model where none is the default. */
export type ModelSource =
  | {
      /** A model of a provider that is set up. */
      readonly kind: "configured";
      readonly provider: string;
      /** `provider:name`. */
      readonly model: string;
    }
  | {
      /** A model of a server on the engine's machine. */
      readonly kind: "server";
      readonly provider: string;
      /** `provider:name`. */
      readonly model: string;
      readonly address: string;
    }
  | {
      /** A provider that takes a key. */
      readonly kind: "key";
      readonly provider: string;
      /** Variable that could hold the key instead. */
      readonly variable: string;
    };

/** Models of one provider that are offered. */
const MODELS_MAX = 50;

/**
 * Returns the ways to get a model: models of providers that are set up, then those of servers that answer, then keys,
 * in the order of the engine.
 */
export function modelSources(
  providers: readonly ProviderInfo[],
  served: ServedModels,
): readonly ModelSource[] {
  const offered = (name: string) =>
    (served.get(name) ?? [])
      .slice(0, MODELS_MAX)
      .map((model) => ({ provider: name, model: `${name}:${model}` }));
  const configured = configuredNames(providers).flatMap((name) =>
    offered(name).map((each): ModelSource => ({ kind: "configured", ...each })),
  );
  const servers = providers.flatMap(({ name, address, configured: isSetUp }) =>
    address === undefined || isSetUp
      ? []
      : offered(name).map((each): ModelSource => ({ kind: "server", ...each, address })),
  );
  const keys = providers.flatMap(({ name, configured, key_variable: variable }): readonly ModelSource[] =>
    variable === undefined || configured ? [] : [{ kind: "key", provider: name, variable }],
  );
  return [...configured, ...servers, ...keys];
}

/** Returns the names of the providers that are set up. */
export function configuredNames(providers: readonly ProviderInfo[]): readonly string[] {
  return providers.flatMap(({ name, configured }) => (configured ? [name] : []));
}

/** Returns the names of the servers on the engine's machine that could be asked. */
export function serverNames(providers: readonly ProviderInfo[]): readonly string[] {
  return providers.flatMap(({ name, address, configured }) =>
    address === undefined || configured ? [] : [name],
  );
}
