import type { Fetch, Random } from "../base/world.ts";
import type { CustomProvider } from "../provider/vendors.ts";
import { authorizedFetch } from "./authorized-fetch.ts";
import type { Credentials } from "./credentials.ts";
import { envKeyRing, keyNeedsOf } from "./env-keys.ts";
import type { MachineKey } from "./machine-key.ts";
import { openMachineKey } from "./machine-key.ts";
import { printsOfRing } from "./ring-prints.ts";

export interface HeldHereParts {
  readonly environment: Readonly<Record<string, string>>;
  readonly customs: readonly CustomProvider[];
  readonly fetch: Fetch;
  readonly random: Random;
  /** The configuration directory, where the machine key is. */
  readonly directory: string;
  readonly insecureDevKey: boolean;
}

/**
 * Keys that this very process holds: for embedders, who gave them to it, and for engines that found none at all and so
 * have nothing to hide. The machine key is opened, or made, when the key of the log is asked for.
 */
export function heldHere(parts: HeldHereParts): Credentials {
  const { environment, customs, fetch, directory, random, insecureDevKey } = parts;
  const keys = envKeyRing(environment, customs);
  let opened: Promise<MachineKey> | undefined;
  let found: MachineKey | undefined;
  return {
    keys,
    send: authorizedFetch({ fetch, keys, variableFor: (provider) => keyNeedsOf(provider, customs) }),
    prints: () => printsOfRing(keys, random),
    async logKey() {
      opened ??= openMachineKey({ directory, random, insecureDevKey });
      found = await opened;
      return found.derive("cinch log v1");
    },
    async held() {
      const found = await Promise.all(
        (await keys.providers()).map(async (provider) => ({ provider, key: await keys.keyFor(provider) })),
      );
      return found.flatMap(({ provider, key }) =>
        key === undefined ? [] : [{ provider, source: key.source }],
      );
    },
    notices: async () => (insecureDevKey && opened !== undefined ? (await opened).notices : []),
    state: () => ({
      helper: { kind: "none" },
      ...(found === undefined ? {} : { machineKey: found.source }),
    }),
  };
}
