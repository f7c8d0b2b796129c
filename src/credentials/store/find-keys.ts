import { join } from "node:path";
import type { Secret } from "../../base/brand.ts";
import type { KeyRing } from "../../providers/authorized-fetch.ts";
import type { CustomProvider } from "../../providers/vendors.ts";
import { VENDORS } from "../../providers/vendors.ts";
import { envKeyRing, keyVariables } from "../env-keys.ts";
import type { HeldKey } from "../helper/helper-messages.ts";
import type { MachineKey } from "../machine-key.ts";
import { isCredentialName } from "../mcp/credential-name.ts";
import { readHarnessSecrets } from "./harness-secrets.ts";
import type { StoredKey } from "./key-store.ts";
import { KEY_STORE_FILE, readKeyStore } from "./key-store.ts";

export const HARNESS_SECRETS = ".harness-secrets/env";
/** The account whose key is used if a provider has several. */
export const DEFAULT_ACCOUNT = "default";

export interface KeySources {
  /** The secret variables of the environment. */
  readonly variables: Readonly<Record<string, string>>;
  readonly customs: readonly CustomProvider[];
  /** The configuration directory, and the key that encrypts its files; absent without a home directory. */
  readonly directory?: string;
  readonly machineKey?: MachineKey;
  readonly workingDir: string;
  /** Providers whose credentials stay where they are, and are exchanged at each use. */
  readonly exchanged?: readonly HeldKey[];
}

export interface FoundKeys {
  readonly keys: KeyRing;
  /** The known keys with their sources, in the order in which providers are tried. */
  readonly heldKeys: readonly HeldKey[];
  readonly notices: readonly string[];
}

/**
 * Finds the key of each provider in the first source that has one: the environment, then the encrypted store, then
 * `.harness-secrets/env` (CRED-02).
 *
 * @throws HarnessError if the store exists and cannot be read: no weaker source replaces it.
 */
export async function findKeys(sources: KeySources): Promise<FoundKeys> {
  const { variables, customs, directory, machineKey, workingDir } = sources;
  const stored =
    directory === undefined || machineKey === undefined
      ? []
      : (await readKeyStore({ path: join(directory, KEY_STORE_FILE), machineKey })).filter(
          ({ provider }) => !isCredentialName(provider), // models are never called with it
        );
  const secrets = await readHarnessSecrets(workingDir, keyVariables(customs));
  const fromFile = envKeyRing(secrets.variables, customs);
  const rings = [envKeyRing(variables, customs), storeKeyRing(stored), fromFile];

  const found = new Map<string, { readonly key: Secret; readonly source: string }>();
  const reported = new Set<string>();
  for (const ring of rings) {
    for (const provider of await ring.providers()) {
      const entry = await ring.keyFor(provider);
      if (entry === undefined || found.has(provider)) continue;
      const source = ring === fromFile ? HARNESS_SECRETS : entry.source;
      if (ring === fromFile) reported.add(provider);
      found.set(provider, { key: entry.key, source });
    }
  }
  const order = [...customs, ...VENDORS].map(({ name }) => name);
  const exchanged = (sources.exchanged ?? []).filter(({ provider }) => !found.has(provider));
  const heldKeys = [
    ...[...found].map(([provider, { source }]): HeldKey => ({ provider, source })),
    ...exchanged,
  ].sort((one, other) => order.indexOf(one.provider) - order.indexOf(other.provider));
  const notices = [
    ...(secrets.problem === undefined ? [] : [secrets.problem]),
    ...(reported.size === 0 ? [] : [`Keys from ${HARNESS_SECRETS}: ${[...reported].join(", ")}.`]),
  ];
  return {
    keys: {
      keyFor: (provider) => Promise.resolve(found.get(provider)),
      providers: () => Promise.resolve(heldKeys.map(({ provider }) => provider)),
    },
    heldKeys,
    notices,
  };
}

/** Returns the stored key that each provider uses: that of the account `default`, else the one added first. */
export function usedKeys(stored: readonly StoredKey[]): ReadonlyMap<string, StoredKey> {
  const used = new Map<string, StoredKey>();
  for (const key of stored) {
    if (key.account === DEFAULT_ACCOUNT || !used.has(key.provider)) used.set(key.provider, key);
  }
  return used;
}

function storeKeyRing(stored: readonly StoredKey[]): KeyRing {
  const used = usedKeys(stored);
  return {
    keyFor(provider) {
      const key = used.get(provider);
      return Promise.resolve(key === undefined ? undefined : { key: key.secret, source: KEY_STORE_FILE });
    },
    providers: () => Promise.resolve([...used.keys()]),
  };
}
