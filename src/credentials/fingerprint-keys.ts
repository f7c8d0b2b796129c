import type { KeyRing } from "../providers/authorized-fetch.ts";
import type { SecretPrint } from "../safety/secrets/known-secret.ts";
import { fingerprintSecrets } from "../safety/secrets/known-secret.ts";

/** Bytes of the salt of fingerprints. */
export const PRINT_SALT_BYTES = 16;

/** Returns the fingerprints of every key of a ring. Those of one key under one salt are equal. */
export async function fingerprintKeys(keys: KeyRing, salt: Uint8Array): Promise<readonly SecretPrint[]> {
  const found = await Promise.all((await keys.providers()).map((provider) => keys.keyFor(provider)));
  const known = found.flatMap((key) => (key === undefined ? [] : [key.key]));
  return fingerprintSecrets(known, salt);
}
