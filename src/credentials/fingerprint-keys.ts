import type { Random } from "../base/world.ts";
import type { KeyRing } from "../providers/authorized-fetch.ts";
import type { SecretPrint } from "../safety/secrets/known-secret.ts";
import { fingerprintSecrets } from "../safety/secrets/known-secret.ts";

const SALT_BYTES = 16;

/** Returns the fingerprints of every key of a ring. */
export async function fingerprintKeys(keys: KeyRing, random: Random): Promise<readonly SecretPrint[]> {
  const found = await Promise.all((await keys.providers()).map((provider) => keys.keyFor(provider)));
  const known = found.flatMap((key) => (key === undefined ? [] : [key.key]));
  return fingerprintSecrets(known, random.bytes(SALT_BYTES));
}
