import { HarnessError } from "../base/errors.ts";
import type { Clock, Fetch, Random } from "../base/world.ts";
import type { KeyRing } from "../providers/authorized-fetch.ts";
import type { VendorSettings } from "../providers/vendor-settings.ts";
import { usesVertex } from "../providers/vendor-settings.ts";
import type { CustomProvider } from "../providers/vendors.ts";
import { keyNeeds } from "../providers/vendors.ts";
import { authorizedFetch } from "./authorized-fetch.ts";
import type { Credentials } from "./credentials.ts";
import { envKeyRing, keyVariableOf } from "./env-keys.ts";
import { fingerprintKeys, PRINT_SALT_BYTES } from "./fingerprint-keys.ts";
import type { MachineKey } from "./machine-key.ts";
import { openMachineKey } from "./machine-key.ts";
import type { TokenSource } from "./token/token-source.ts";
import type { TokenSourceOf } from "./token/token-sources.ts";

/** Providers whose credentials are exchanged for a token first. */
const EXCHANGED = new Set(["vertex", "copilot"]);

export interface LocalCredentialsOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly customs: readonly CustomProvider[];
  readonly fetch: Fetch;
  readonly random: Random;
  /** The configuration directory, where the machine key is. */
  readonly directory: string;
  readonly insecureDevKey: boolean;
  readonly clock: Clock;
  readonly settings: VendorSettings;
}

/**
 * Returns credentials that this process holds: for embedders, who supplied the keys, and for engines without any
 * keys. The machine key is opened, or created, when the log key is needed.
 */
export function localCredentials(parts: LocalCredentialsOptions): Credentials {
  const { environment, customs, fetch, directory, random, insecureDevKey, clock, settings } = parts;
  const ring = envKeyRing(environment, customs);
  const isVertex = usesVertex(environment, settings.vertex);
  const keys: KeyRing = {
    keyFor: ring.keyFor,
    providers: async () => [...(await ring.providers()), ...(isVertex ? ["vertex"] : [])],
  };
  let sources: Promise<TokenSourceOf> | undefined;

  /** Loaded with the first provider that has any. */
  async function tokens(provider: string): Promise<TokenSource | undefined> {
    if (!EXCHANGED.has(provider) || customs.some(({ name }) => name === provider)) return undefined;
    sources ??= openSources();
    return await (await sources)(provider);
  }
  async function openSources(): Promise<TokenSourceOf> {
    const { tokenSources } = await import("./token/token-sources.ts");
    const { googleSource } = await import("./google/default-credentials.ts");
    const google = isVertex ? { google: googleSource(environment) } : {};
    return tokenSources({ keys: ring, fetch, clock, settings, customs, ...google });
  }
  let opened: Promise<MachineKey> | undefined;
  let found: MachineKey | undefined;
  return {
    keys,
    send: authorizedFetch({
      fetch,
      keys: ring,
      tokens,
      needsOf: (provider) => keyNeeds(provider, customs),
    }),
    prints: async () => ({ all: await fingerprintKeys(ring, random.bytes(PRINT_SALT_BYTES)) }),
    async store(entered) {
      const { checkProviderKey } = await import("./store/provider-key.ts");
      const { provider } = checkProviderKey(entered, customs);
      const variable = keyVariableOf(provider, customs) ?? `the key of ${provider}`;
      throw new HarnessError("KeyStoreMissing", { provider, variable });
    },
    async logKey() {
      opened ??= openMachineKey({ directory, random, insecureDevKey });
      found = await opened;
      return found.derive("cinch log v1");
    },
    async list() {
      const found = await Promise.all(
        (await ring.providers()).map(async (provider) => ({ provider, key: await ring.keyFor(provider) })),
      );
      const heldKeys = found.flatMap(({ provider, key }) =>
        key === undefined ? [] : [{ provider, source: key.source }],
      );
      return isVertex ? [...heldKeys, { provider: "vertex", source: "the environment" }] : heldKeys;
    },
    notices: async () => (insecureDevKey && opened !== undefined ? (await opened).notices : []),
    state: () => ({
      helper: { kind: "none" },
      ...(found === undefined ? {} : { machineKey: found.source }),
    }),
  };
}
