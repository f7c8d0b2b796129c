import { Secret } from "../base/brand.ts";
import type { KeyRing } from "../providers/authorized-fetch.ts";
import type { CustomProvider } from "../providers/vendors.ts";
import { VENDORS } from "../providers/vendors.ts";

/** Key variables of the known vendors: removed from the environment of child processes. */
export const KEY_VARIABLES: readonly string[] = VENDORS.map(({ keyVariable }) => keyVariable).filter(
  (variable) => variable !== undefined,
);

/** Returns every variable that may hold a key, including those of the user's providers. */
export function keyVariables(customs: readonly CustomProvider[]): readonly string[] {
  const customVariables = customs
    .map(({ apiKeyEnv }) => apiKeyEnv)
    .filter((variable) => variable !== undefined);
  return [...new Set([...KEY_VARIABLES, ...customVariables])];
}

/** Returns the variable that holds the key of one provider, if it has one. */
export function keyVariableOf(provider: string, customs: readonly CustomProvider[]): string | undefined {
  const custom = customs.find(({ name }) => name === provider);
  if (custom !== undefined) return custom.apiKeyEnv; // a configured provider shadows a vendor of the same name
  return VENDORS.find(({ name }) => name === provider)?.keyVariable;
}

/**
 * Returns keys from environment variables. They are read once, here; blank ones count as absent.
 *
 * White space around a value is removed: it comes with `$(cat key)`, and no key contains any.
 */
export function envKeyRing(
  env: Readonly<Record<string, string | undefined>>,
  customs: readonly CustomProvider[] = [],
): KeyRing {
  const keys = new Map<string, { readonly key: Secret; readonly source: string }>();
  for (const provider of new Set([...customs, ...VENDORS].map(({ name }) => name))) {
    const source = keyVariableOf(provider, customs);
    const value = source === undefined ? "" : (env[source] ?? "").trim();
    if (source !== undefined && value !== "")
      keys.set(provider, { key: new Secret("api-key", value), source });
  }
  return {
    keyFor: (provider) => Promise.resolve(keys.get(provider)),
    providers: () => Promise.resolve([...keys.keys()]),
  };
}
