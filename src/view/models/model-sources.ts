import type { ProviderInfo } from "../../protocol/resources.ts";

/** Names of the models that each model server on the engine's machine offers. A server that is silent is not in it. */
export type ServedModels = ReadonlyMap<string, readonly string[]>;

/** Way to get a model on a machine where nothing is set up. */
export type ModelSource =
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

/** Models of one server that are offered. */
const MODELS_MAX = 50;

/** Returns the ways to get a model: those of servers that answer first, then keys, in the order of the engine. */
export function modelSources(
  providers: readonly ProviderInfo[],
  served: ServedModels,
): readonly ModelSource[] {
  const servers = providers.flatMap(({ name, address }): readonly ModelSource[] =>
    address === undefined
      ? []
      : (served.get(name) ?? []).slice(0, MODELS_MAX).map((model) => ({
          kind: "server",
          provider: name,
          model: `${name}:${model}`,
          address,
        })),
  );
  const keys = providers.flatMap(({ name, configured, key_variable: variable }): readonly ModelSource[] =>
    variable === undefined || configured ? [] : [{ kind: "key", provider: name, variable }],
  );
  return [...servers, ...keys];
}

/** Returns the names of the servers on the engine's machine that could be asked. */
export function serverNames(providers: readonly ProviderInfo[]): readonly string[] {
  return providers.flatMap(({ name, address }) => (address === undefined ? [] : [name]));
}
