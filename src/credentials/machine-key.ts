import { dirname, join } from "node:path";
import { defined } from "../base/defined.ts";
import { HarnessError, messageOf } from "../base/errors.ts";
import { explainStorage } from "../base/files/storage-problem.ts";
import type { Random } from "../base/world.ts";
import { deriveKey } from "../safety/derive-key.ts";
import { createPrivateFile, readPrivateFile } from "../safety/private-file.ts";

export const MACHINE_KEY_VARIABLE = "CINCH_MACHINE_KEY";
export const PASSPHRASE_VARIABLE = "CINCH_PASSPHRASE";
export const KEY_BYTES = 32;
export const PASSPHRASE_ITERATIONS = 600_000;

const SALT_BYTES = 32;
const DEV_PASSPHRASE = "cinch insecure development key";

/** Source of the machine key, for people: shown by /health and in errors. */
export type MachineKeySource =
  | typeof MACHINE_KEY_VARIABLE
  | typeof PASSPHRASE_VARIABLE
  | "keychain"
  | "machine.key"
  | "--insecure-dev-key";

/** Purpose of a derived key. Keys of different purposes reveal nothing about each other. */
export type KeyPurpose = "cinch creds v1" | "cinch creds v1 id" | "cinch log v1";

/** The key that encrypts everything of this installation. Disposing it overwrites it. */
export interface MachineKey extends Disposable {
  readonly source: MachineKeySource;
  /** Sentences for the user at every start: an insecure key, an unusable keychain. */
  readonly notices: readonly string[];
  /** Returns a new copy of the 32-byte key of one purpose (HKDF-SHA256). */
  derive(purpose: KeyPurpose): Uint8Array;
}

/** The system keychain: stores one value for cinch. */
export interface Keychain {
  /** @throws HarnessError if it exists and cannot be used now; any other error if there is none. */
  read(): Promise<Uint8Array | undefined>;
  /** @throws as `read`. */
  store(key: Uint8Array): Promise<void>;
}

export interface MachineKeyOptions {
  /** The configuration directory with `salt` and `machine.key`; created if missing. */
  readonly directory: string;
  /** Values of the two variables. An empty one is reported as an error, never ignored. */
  readonly machineKey?: string;
  readonly passphrase?: string;
  /** Present if the user opted in. */
  readonly keychain?: Keychain;
  /** Uses the built-in, public passphrase, for experiments. */
  readonly insecureDevKey?: boolean;
  readonly random: Random;
}

/**
 * Finds the machine key, or creates one at first use: CINCH_MACHINE_KEY, else CINCH_PASSPHRASE, else the keychain if
 * the user opted in, else a random key file (CRED-01, SES-04).
 *
 * A named source that cannot be used is an error: no weaker one replaces it. The exception is a machine without a
 * keychain: that is reported and skipped, since the user cannot change it.
 * @throws HarnessError MachineKeyUnusable, naming the source and its problem, never its value.
 */
export async function openMachineKey(options: MachineKeyOptions): Promise<MachineKey> {
  const { machineKey, passphrase, insecureDevKey = false } = options;
  if (machineKey !== undefined) return keyOf(parseMachineKey(machineKey), MACHINE_KEY_VARIABLE);
  if (passphrase !== undefined) {
    return keyOf(await stretched(checkedPassphrase(passphrase), options), PASSPHRASE_VARIABLE);
  }
  if (insecureDevKey) {
    const notice =
      "--insecure-dev-key: keys and logs are encrypted under a passphrase that everybody knows. Use it for experiments only.";
    return keyOf(await stretched(DEV_PASSPHRASE, options), "--insecure-dev-key", [notice]);
  }
  if (options.keychain === undefined) return keyOf(await keyFile(options), "machine.key");
  const found = await fromKeychain(options.keychain, options.random);
  if (found.kind === "key") return keyOf(found.key, "keychain");
  const notice = `The keychain cannot be used (${found.problem}); the key file ${keyPath(options)} is used in its place.`;
  return keyOf(await keyFile(options), "machine.key", [notice]);
}

/**
 * Decodes a key of 32 bytes: raw, 64 hex digits, or base64 in either alphabet, padded or not.
 * @throws HarnessError MachineKeyUnusable for any other text.
 */
export function parseMachineKey(text: string): Uint8Array {
  const raw = new TextEncoder().encode(text);
  // A variable that is no UTF-8 arrives with its bytes replaced, so its value is lost.
  if (raw.length === KEY_BYTES && !text.includes("\ufffd")) return raw;
  if (/^[0-9a-fA-F]{64}$/.test(text)) return new Uint8Array(Buffer.from(text, "hex"));
  if (/^(?:[A-Za-z0-9+/]{43}=?|[A-Za-z0-9_-]{43}=?)$/.test(text)) {
    return new Uint8Array(Buffer.from(text, "base64"));
  }
  const length = text === "" ? "it is empty" : `it has ${raw.length} bytes`;
  throw unusable(
    MACHINE_KEY_VARIABLE,
    `it must be exactly ${KEY_BYTES} bytes, as they are, as 64 hex digits or as base64, and ${length}`,
  );
}

function checkedPassphrase(passphrase: string): string {
  if (passphrase.trim() !== "") return passphrase;
  throw unusable(PASSPHRASE_VARIABLE, "it is set and empty; set a passphrase, or unset it");
}

/** Derives a key from a passphrase and the salt of this installation. Takes some tenths of a second, on purpose. */
async function stretched(passphrase: string, options: MachineKeyOptions): Promise<Uint8Array> {
  const path = join(options.directory, "salt");
  const salt = await privateBytes(path, SALT_BYTES, options.random);
  // NFC: the same words typed on another system must give the same key.
  const words = passphrase.normalize("NFC");
  const { pbkdf2 } = process.getBuiltinModule("node:crypto"); // loaded late: it takes milliseconds
  const key = await new Promise<Buffer>((resolve, reject) => {
    pbkdf2(words, salt, PASSPHRASE_ITERATIONS, KEY_BYTES, "sha256", (failure, derived) =>
      failure === null ? resolve(derived) : reject(failure),
    );
  });
  return new Uint8Array(key.buffer, key.byteOffset, key.length);
}

async function keyFile(options: MachineKeyOptions): Promise<Uint8Array> {
  return await privateBytes(keyPath(options), KEY_BYTES, options.random);
}

function keyPath({ directory }: MachineKeyOptions): string {
  return join(directory, "machine.key");
}

/** Reads the random bytes of one file; creates it at first use. */
async function privateBytes(path: string, length: number, random: Random): Promise<Uint8Array> {
  try {
    let found = await readPrivateFile(path, length + 1);
    if (found.kind === "missing") {
      const fresh = random.bytes(length);
      if (await createPrivateFile(path, fresh, random.bytes(6))) return fresh;
      found = await readPrivateFile(path, length + 1); // another process was first
    }
    if (found.kind === "read") {
      if (found.bytes.length === length) return found.bytes;
      throw unusable(
        path,
        `it has ${found.bytes.length} bytes and must have ${length}; bring back the old file`,
      );
    }
    throw unusable(path, found.kind === "missing" ? "it was removed meanwhile" : `it ${found.problem}`);
  } catch (thrown) {
    if (thrown instanceof HarnessError) throw thrown;
    const { problem, remedy } = explainStorage(thrown, {
      folder: dirname(path),
      variable: "XDG_CONFIG_HOME",
    });
    const instead = `Or set ${MACHINE_KEY_VARIABLE} to 64 hex digits of your own, which need no file`;
    throw unusable(path, `${problem}. ${remedy} ${instead}`, thrown);
  }
}

type FromKeychain =
  | { readonly kind: "key"; readonly key: Uint8Array }
  | { readonly kind: "none"; readonly problem: string };

async function fromKeychain(keychain: Keychain, random: Random): Promise<FromKeychain> {
  let stored: Uint8Array | undefined;
  try {
    stored = await keychain.read();
    if (stored === undefined) {
      await keychain.store(random.bytes(KEY_BYTES));
      stored = await keychain.read(); // the stored value is authoritative: another process may have been first
    }
  } catch (thrown) {
    if (thrown instanceof HarnessError) throw thrown; // it exists and has not answered
    return { kind: "none", problem: messageOf(thrown) };
  }
  if (stored?.length === KEY_BYTES) return { kind: "key", key: stored };
  throw unusable("the keychain", `its entry has ${stored?.length ?? 0} bytes and must have ${KEY_BYTES}`);
}

function keyOf(key: Uint8Array, source: MachineKeySource, notices: readonly string[] = []): MachineKey {
  return {
    source,
    notices,
    derive: (purpose) => deriveKey(key, purpose),
    [Symbol.dispose]: () => void key.fill(0),
  };
}

function unusable(source: string, problem: string, cause?: unknown): HarnessError<"MachineKeyUnusable"> {
  return new HarnessError("MachineKeyUnusable", { source, problem }, defined({ cause }));
}
