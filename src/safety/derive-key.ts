const HASH_BYTES = 32;
/** RFC 5869 numbers the blocks of an output. One of SHA-256 is a whole key. */
const FIRST_BLOCK = new Uint8Array([1]);

/**
 * Derives a key of 32 bytes for one purpose, which reveals nothing of its source (HKDF-SHA256 without a salt).
 *
 * It is written out because `node:crypto`, which has it too, takes milliseconds of each start to load.
 */
export function deriveKey(source: Uint8Array, purpose: string): Uint8Array {
  const extracted = hmac(new Uint8Array(HASH_BYTES)).update(source).digest();
  const key = new Uint8Array(hmac(extracted).update(purpose).update(FIRST_BLOCK).digest());
  extracted.fill(0);
  return key;
}

function hmac(key: Uint8Array): Bun.CryptoHasher {
  return new Bun.CryptoHasher("sha256", key);
}
