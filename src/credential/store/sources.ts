import { join } from "node:path";
import type { KeyRing } from "../../provider/authorized-fetch.ts";
import type { CustomProvider } from "../../provider/vendors.ts";
import { envKeyRing } from "../env-keys.ts";
import type { HeldKey } from "../helper/wire.ts";
import type { MachineKey } from "../machine-key.ts";

export interface KeySources {
  /** The secret variables of the environment. */
  readonly variables: Readonly<Record<string, string>>;
  readonly customs: readonly CustomProvider[];
  readonly directory?: string;
  readonly workingDir: string;
  readonly machineKey?: MachineKey;
}

export interface FoundKeys {
  readonly keys: KeyRing;
  readonly held: readonly HeldKey[];
  readonly notices: readonly string[];
}

/** Every key that there is, each from the first source that has one. */
export async function findKeys({ variables, customs }: KeySources): Promise<FoundKeys> {
  const keys = envKeyRing(variables, customs);
  const held: HeldKey[] = [];
  for (const provider of await keys.providers()) {
    const found = await keys.keyFor(provider);
    if (found !== undefined) held.push({ provider, source: found.source });
  }
  return { keys, held, notices: [] };
}

export function storePath(directory: string): string {
  return join(directory, "creds.enc");
}
