import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Secret } from "../../base/brand.ts";
import { HarnessError, messageOf } from "../../base/errors.ts";
import { arrayAt, numberAt, parseJson, stringAt } from "../../base/json.ts";
import type { Clock, World } from "../../base/world.ts";
import { readPrivateFile, sameSecret, temporaryBeside, writeNewFile } from "../../safety/private-file.ts";
import type { MachineKey } from "../machine-key.ts";
import { withStoreLock } from "./store-lock.ts";

export const KEY_STORE_FILE = "creds.enc";
export const KEY_STORE_BYTES_MAX = 1_048_576;

const FORMAT = "cinch creds";
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** One key of the store. */
export interface StoredKey {
  readonly provider: string;
  readonly account: string;
  readonly secret: Secret;
  /** ISO 8601. */
  readonly addedAt: string;
}

export interface KeyStoreOptions {
  /** The path of `creds.enc`. */
  readonly path: string;
  readonly machineKey: MachineKey;
}

export interface KeyStoreChange extends KeyStoreOptions, Pick<World, "random"> {
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
}

/**
 * Reads the encrypted key store; empty if there is none (CRED-01).
 *
 * @throws HarnessError CredentialsLocked if it was written under another machine key; CredentialsDamaged if it is
 * damaged, of a newer cinch, or not private. The file is not changed.
 */
export async function readKeyStore({ path, machineKey }: KeyStoreOptions): Promise<readonly StoredKey[]> {
  const found = await read(path);
  if (found === undefined) return [];
  const { keyId, nonce, data } = sealedFrom(path, found);
  if (!sameSecret(keyId, keyIdOf(machineKey))) {
    throw new HarnessError("CredentialsLocked", { path, source: machineKey.source });
  }
  const plain = decrypt(path, { keyId, nonce, data }, machineKey);
  try {
    return keysFrom(path, new TextDecoder().decode(plain));
  } finally {
    plain.fill(0);
  }
}

/**
 * Changes the store atomically, one process at a time: readers see the old or the new version, and a crash leaves one
 * of them (R25). A store that cannot be read is not changed.
 *
 * @throws as `readStore`; HarnessError CredentialsUnwritable if the disk rejects the write.
 */
export async function changeKeyStore(
  { path, machineKey, random, clock }: KeyStoreChange,
  change: (keys: readonly StoredKey[]) => readonly StoredKey[],
): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await withStoreLock(`${path}.lock`, clock, async () => {
      const keys = change(await readKeyStore({ path, machineKey }));
      await removeLeftovers(path);
      const temporary = temporaryBeside(path, random.bytes(6));
      try {
        await writeNewFile(
          temporary,
          new TextEncoder().encode(sealed(keys, machineKey, random.bytes(NONCE_BYTES))),
        );
        await rename(temporary, path);
      } catch (thrown) {
        await rm(temporary, { force: true });
        throw thrown;
      }
      await using directory = await open(dirname(path), "r");
      await directory.sync(); // else a power cut may lose the new name
    });
  } catch (thrown) {
    if (thrown instanceof HarnessError) throw thrown;
    throw new HarnessError("CredentialsUnwritable", { path, detail: messageOf(thrown) }, { cause: thrown });
  }
}

async function read(path: string): Promise<string | undefined> {
  try {
    const found = await readPrivateFile(path, KEY_STORE_BYTES_MAX);
    if (found.kind === "missing") return undefined;
    if (found.kind === "read") return new TextDecoder().decode(found.bytes);
    throw damaged(path, `it ${found.problem}`);
  } catch (thrown) {
    if (thrown instanceof HarnessError) throw thrown;
    throw damaged(path, messageOf(thrown), thrown);
  }
}

interface Sealed {
  readonly keyId: string;
  readonly nonce: Uint8Array;
  /** The ciphertext and its tag. */
  readonly data: Uint8Array;
}

function sealedFrom(path: string, text: string): Sealed {
  const value = parseJson(text)?.value;
  const [keyId, nonce, data] = [stringAt(value, "key"), bytesAt(value, "nonce"), bytesAt(value, "data")];
  const version = numberAt(value, "version");
  if (stringAt(value, "format") !== FORMAT || version === undefined)
    throw damaged(path, "it is not a key store");
  if (version > VERSION) throw damaged(path, `it was written by a newer cinch (version ${version})`);
  if (keyId === undefined || nonce?.length !== NONCE_BYTES || data === undefined || data.length < TAG_BYTES) {
    throw damaged(path, "a part of it is missing");
  }
  return { keyId, nonce, data };
}

/**
 * Returns the data that is bound to the ciphertext, so that no part of the file can be changed or exchanged for
 * another file's.
 */
function bound({ keyId, nonce }: Pick<Sealed, "keyId" | "nonce">): Uint8Array {
  const parts = [FORMAT, VERSION, keyId, Buffer.from(nonce).toString("hex")];
  return new TextEncoder().encode(JSON.stringify(parts));
}

function sealed(keys: readonly StoredKey[], machineKey: MachineKey, nonce: Uint8Array): string {
  const keyId = keyIdOf(machineKey);
  const entries = keys.map(({ provider, account, secret, addedAt }) => ({
    provider,
    account,
    secret: secret.reveal(),
    addedAt,
  }));
  const plain = new TextEncoder().encode(JSON.stringify({ entries }));
  const key = machineKey.derive("cinch creds v1");
  try {
    const { createCipheriv } = process.getBuiltinModule("node:crypto"); // loaded late: it takes milliseconds
    const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(bound({ keyId, nonce }));
    const data = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    const file = {
      format: FORMAT,
      version: VERSION,
      key: keyId,
      nonce: Buffer.from(nonce).toString("base64"),
      data: data.toString("base64"),
    };
    return `${JSON.stringify(file)}\n`;
  } finally {
    key.fill(0);
    plain.fill(0);
  }
}

function decrypt(path: string, { keyId, nonce, data }: Sealed, machineKey: MachineKey): Uint8Array {
  const key = machineKey.derive("cinch creds v1");
  try {
    const { createDecipheriv } = process.getBuiltinModule("node:crypto");
    const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(bound({ keyId, nonce }));
    decipher.setAuthTag(data.subarray(data.length - TAG_BYTES));
    return new Uint8Array(
      Buffer.concat([decipher.update(data.subarray(0, data.length - TAG_BYTES)), decipher.final()]),
    );
  } catch (thrown) {
    throw damaged(path, "its content was changed", thrown);
  } finally {
    key.fill(0);
  }
}

/** Identifies the key that a store was written under, without revealing it. */
function keyIdOf(machineKey: MachineKey): string {
  return Buffer.from(machineKey.derive("cinch creds v1 id").subarray(0, 16)).toString("hex");
}

function keysFrom(path: string, text: string): readonly StoredKey[] {
  return arrayAt(parseJson(text)?.value, "entries").map((entry) => {
    const [provider, account] = [stringAt(entry, "provider"), stringAt(entry, "account")];
    const [secret, addedAt] = [stringAt(entry, "secret"), stringAt(entry, "addedAt")];
    if (provider === undefined || account === undefined || secret === undefined || addedAt === undefined) {
      throw damaged(path, "an entry of it is not whole");
    }
    return { provider, account, secret: new Secret("api-key", secret), addedAt };
  });
}

function bytesAt(value: unknown, key: string): Uint8Array | undefined {
  const text = stringAt(value, key);
  if (text === undefined || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  return new Uint8Array(Buffer.from(text, "base64"));
}

/** Removes files of a process that ended while writing. No other process writes now: this one has the lock. */
async function removeLeftovers(path: string): Promise<void> {
  const start = `.${basename(path)}.`;
  for (const name of await readdir(dirname(path))) {
    if (name.startsWith(start) && name.endsWith(".cinch-tmp"))
      await rm(join(dirname(path), name), { force: true });
  }
}

function damaged(path: string, detail: string, cause?: unknown): HarnessError<"CredentialsDamaged"> {
  return new HarnessError("CredentialsDamaged", { path, detail }, cause === undefined ? {} : { cause });
}
