import type { KeyObject } from "node:crypto";
import { encode } from "../../base/text/text.ts";
import { deriveKey } from "../../safety/derive-key.ts";

/** Bytes of every key here. */
export const SEAL_KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Bytes that sealing adds to a content. */
export const SEAL_BYTES = NONCE_BYTES + TAG_BYTES;
const KEY_ID_BYTES = 8;
const NONCES_IN_ADVANCE = 128;

/** Row that a content belongs to: sealed content opens nowhere else (SES-04). */
export interface SealScope {
  readonly log: string;
  readonly table: "events" | "messages" | "tool_call_intents" | "logs" | "notes" | "search_segments";
  readonly row: string | number;
  /** Kind of its content, in the clear: the kind of an event, the role of a message. */
  readonly kind: string;
  /** Other columns in the clear. */
  readonly also?: readonly (string | number | boolean | undefined)[];
}

/** Binding of the contents under a key: to their row and its kind, or to all columns of the row. */
export type Binding = "kind" | "row";

export interface Sealed {
  readonly keyId: string;
  readonly bytes: Uint8Array;
}

/** Seals the contents of a log, and opens them. */
export interface Seal {
  seal(scope: SealScope, content: Uint8Array): Sealed;
  /** @throws SealBroken if the content was not sealed for this very row under this key. */
  open(scope: SealScope, sealed: Sealed): Uint8Array;
}

/** Sealed content that was changed, moved to another row, or sealed under another key. */
export class SealBroken extends Error {
  override readonly name = "SealBroken";
}

/** Returns unpredictable bytes. */
export type RandomBytes = (count: number) => Uint8Array;

/** A key to seal with, and a source of nonces. */
export interface Sealer {
  readonly key: SealKey;
  readonly random: RandomBytes;
}

/** Bytes of a key, or, for a key that is used often, its prepared form. */
export type SealKey = Uint8Array | KeyObject;

export function sealKey(bytes: Uint8Array): KeyObject {
  return ciphers().createSecretKey(bytes);
}

/** Draws random bytes in larger pieces, each byte used once: a few of them cost as much as many. */
export function bufferedRandom(random: RandomBytes): RandomBytes {
  let ready = new Uint8Array(0);
  return (count) => {
    if (ready.length < count)
      ready = new Uint8Array(random(Math.max(count, NONCE_BYTES * NONCES_IN_ADVANCE)));
    const bytes = ready.subarray(0, count);
    ready = ready.subarray(count);
    return bytes;
  };
}

/** Seals with AES-256-GCM and a random nonce of 96 bits: nonce, ciphertext, tag. */
export function sealBytes({ key, random }: Sealer, context: string, content: Uint8Array): Uint8Array {
  const nonce = random(NONCE_BYTES);
  const cipher = ciphers().createCipheriv("aes-256-gcm", key, nonce);
  cipher.setAAD(encode(context));
  const sealed = new Uint8Array(NONCE_BYTES + content.length + TAG_BYTES);
  sealed.set(nonce, 0);
  sealed.set(cipher.update(content), NONCE_BYTES);
  cipher.final();
  sealed.set(cipher.getAuthTag(), NONCE_BYTES + content.length);
  return sealed;
}

/** @throws SealBroken. */
export function openBytes(key: SealKey, context: string, sealed: Uint8Array): Uint8Array {
  const end = sealed.length - TAG_BYTES;
  if (end < NONCE_BYTES) throw new SealBroken("it is too short to be sealed content");
  const cipher = ciphers().createDecipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  cipher.setAAD(encode(context));
  cipher.setAuthTag(sealed.subarray(end));
  const content = cipher.update(sealed.subarray(NONCE_BYTES, end));
  try {
    cipher.final();
  } catch (cause) {
    throw new SealBroken("it was changed, or belongs elsewhere", { cause });
  }
  return content;
}

/** Returns the text that content is bound to. No part can hold the character between the parts. */
export function scopeText(scope: SealScope, keyId: string, binding: Binding): string {
  const { log, table, row, kind, also = [] } = scope;
  const parts = `${log}\0${table}\0${row}\0${kind}\0${keyId}`;
  return binding === "kind" ? `cinch row v1\0${parts}` : `cinch row v2\0${parts}\0${JSON.stringify(also)}`;
}

export function newKeyId(random: RandomBytes): string {
  return Buffer.from(random(KEY_ID_BYTES)).toString("hex");
}

/** Derives a key for one purpose, which reveals nothing of its source. */
export function subKey(key: Uint8Array, purpose: string): Uint8Array {
  return deriveKey(key, purpose);
}

/** Returns a fingerprint that tells keys apart and reveals nothing of them. */
export function keyFingerprint(key: Uint8Array): string {
  return new Bun.CryptoHasher("sha256", key).update("cinch key fingerprint v1").digest("hex").slice(0, 32);
}

/** Loads `node:crypto` at the first use, which is after the first request has left: it takes milliseconds. */
function ciphers(): typeof import("node:crypto") {
  return process.getBuiltinModule("node:crypto");
}
