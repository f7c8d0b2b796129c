import type { KeyObject } from "node:crypto";
import { assert } from "../../../base/assert.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { LogId } from "../../../base/ids.ts";
import type { Binding, RandomBytes, Seal, Sealed, SealKey, SealScope } from "../../store/seal.ts";
import {
  bufferedRandom,
  keyFingerprint,
  newKeyId,
  openBytes,
  SEAL_KEY_BYTES,
  SealBroken,
  scopeText,
  sealBytes,
  sealKey,
} from "../../store/seal.ts";
import type { Row, StoreConnection } from "../connection.ts";

/** Unwrapped keys that are cached in memory. */
const KEYS_MAX = 256;

/** The key that wraps the data keys of a store, and where it came from. */
export interface LogKey {
  /** 32 bytes. */
  readonly key: Uint8Array;
  /** For people: "machine.key", "CINCH_PASSPHRASE". */
  readonly source: string;
}

export interface DataKey {
  readonly keyId: string;
  readonly key: SealKey;
}

interface Unwrapped {
  readonly key: KeyObject;
  readonly binding: Binding;
}

/** `data_keys.bound` of today's keys; older ones are used for reading only. */
const BOUND = 2;

/** The data keys of one store: created when needed, unwrapped when used (SES-04). */
export class DataKeys {
  readonly #connection: StoreConnection;
  readonly #logKey: Uint8Array;
  readonly #random: RandomBytes;
  readonly #nonces: RandomBytes;
  readonly #unwrapped = new Map<string, Unwrapped>();

  constructor(connection: StoreConnection, logKey: Uint8Array, random: RandomBytes) {
    this.#connection = connection;
    this.#logKey = logKey;
    this.#random = random;
    this.#nonces = bufferedRandom(random);
  }

  /** Returns the key of a log's day; a new one is part of the caller's transaction. */
  forDay({ log, logId, day }: LogDay): DataKey {
    const known = this.#connection.first(
      "SELECT key_id FROM data_keys WHERE log = ? AND day = ? AND wrapped IS NOT NULL AND bound = ? LIMIT 1",
      log,
      day,
      BOUND,
    );
    if (known !== undefined) {
      const keyId = String(known["key_id"]);
      return { keyId, key: this.#get(keyId).key };
    }
    const random = this.#random;
    const [keyId, key] = [newKeyId(random), random(SEAL_KEY_BYTES)];
    this.#connection.run(
      "INSERT INTO data_keys (key_id, log, day, wrapped, bound) VALUES (?, ?, ?, ?, ?)",
      keyId,
      log,
      day,
      sealBytes({ key: this.#logKey, random }, wrapText(logId, day, { keyId, bound: BOUND }), key),
      BOUND,
    );
    return { keyId, key: sealKey(key) };
  }

  /** Seals the content of a row under one of these keys. */
  seal(scope: SealScope, { keyId, key }: DataKey, content: Uint8Array): Sealed {
    return {
      keyId,
      bytes: sealBytes({ key, random: this.#nonces }, scopeText(scope, keyId, "row"), content),
    };
  }

  /**
   * Opens the content of a row.
   * @param use "once" for a key that is not cached then: it must not displace those of running sessions.
   * @throws SealBroken if it was changed or moved, or its key was.
   */
  open(scope: SealScope, { keyId, bytes }: Sealed, use: "once" | "again" = "again"): Uint8Array {
    if (use === "once" && !this.#unwrapped.has(keyId)) {
      const row = this.#rowOf(keyId);
      return openBytes(this.unwrap(keyId, row), scopeText(scope, keyId, bindingOf(row)), bytes);
    }
    const { key, binding } = this.#get(keyId);
    return openBytes(key, scopeText(scope, keyId, binding), bytes);
  }

  /**
   * Returns a key that exists.
   * @throws SealBroken if it was destroyed or changed, or is missing.
   */
  use(keyId: string): DataKey {
    return { keyId, key: this.#get(keyId).key };
  }

  /** @throws SealBroken if one of these keys cannot be unwrapped. */
  checkBefore(log: number, day: string): void {
    const keys = this.#connection.all(
      "SELECT key_id FROM data_keys WHERE log = ? AND day < ? AND wrapped IS NOT NULL",
      log,
      day,
    );
    for (const { key_id } of keys) this.#get(String(key_id));
  }

  /** Keeps no key in memory. */
  forget(): void {
    this.#unwrapped.clear();
  }

  /**
   * Returns the bytes of a key that is used once, of its row: `wrapped`, `day`, `bound` and `log_id`.
   * @throws SealBroken if it was destroyed or changed.
   */
  unwrap(keyId: string, { wrapped, log_id: logId, day, bound }: Row): Uint8Array {
    if (!(wrapped instanceof Uint8Array))
      throw new SealBroken(`its key ${keyId} was destroyed: it has expired`);
    const text = wrapText(String(logId), String(day), { keyId, bound: Number(bound) });
    try {
      return openBytes(this.#logKey, text, wrapped);
    } catch (cause) {
      throw new SealBroken(`its key ${keyId} was changed`, { cause });
    }
  }

  #get(keyId: string): Unwrapped {
    const known = this.#unwrapped.get(keyId);
    if (known !== undefined) return known;
    const row = this.#rowOf(keyId);
    const key = sealKey(this.unwrap(keyId, row));
    if (this.#unwrapped.size === KEYS_MAX) this.#unwrapped.clear();
    const unwrapped: Unwrapped = { key, binding: bindingOf(row) };
    this.#unwrapped.set(keyId, unwrapped);
    return unwrapped;
  }

  #rowOf(keyId: string): Row {
    const row = this.#connection.first(
      `SELECT wrapped, day, log_id, bound FROM data_keys JOIN logs ON logs.num = data_keys.log WHERE data_keys.key_id = ?`,
      keyId,
    );
    if (row === undefined) throw new SealBroken(`its key ${keyId} is missing`);
    return row;
  }
}

function bindingOf({ bound = null }: Row): Binding {
  return Number(bound) === BOUND ? "row" : "kind";
}

interface LogDay {
  /** The row number of the log. */
  readonly log: number;
  readonly logId: LogId;
  /** `2026-03-01`. */
  readonly day: string;
}

function wrapText(
  logId: string,
  day: string,
  { keyId, bound }: { readonly keyId: string; readonly bound: number },
): string {
  return [`cinch data key v${bound}`, logId, day, keyId].join("\0");
}

/**
 * Seals the contents of one writer. Call `forget` after a transaction that failed: a key may have been rolled back
 * with it.
 */
export class WriterSeal implements Pick<Seal, "seal"> {
  readonly #keys: DataKeys;
  readonly #log: Omit<LogDay, "day">;
  readonly #today: () => string;
  #current: { readonly day: string; readonly keyId: string; readonly key: SealKey } | undefined;

  constructor(keys: DataKeys, log: Omit<LogDay, "day">, today: () => string) {
    this.#keys = keys;
    this.#log = log;
    this.#today = today;
  }

  /** Called in a transaction, before anything is sealed in it: one batch is sealed with one key. */
  begin(): void {
    const day = this.#today();
    if (this.#current?.day !== day) this.#current = { day, ...this.#keys.forDay({ ...this.#log, day }) };
  }

  seal(scope: SealScope, content: Uint8Array): Sealed {
    assert(this.#current !== undefined, "contents are sealed in a transaction");
    return this.#keys.seal(scope, this.#current, content);
  }

  forget(): void {
    this.#current = undefined;
  }
}

/** @throws HarnessError SessionsLocked if the store was sealed under another key; nothing is changed then. */
export function checkLogKey(connection: StoreConnection, { key, source }: LogKey): "sealed" | "not yet" {
  const row = connection.first("SELECT fingerprint FROM sealing WHERE num = 1");
  if (row === undefined) return "not yet";
  if (row["fingerprint"] === keyFingerprint(key)) return "sealed";
  throw new HarnessError("SessionsLocked", { path: connection.path, source });
}

/**
 * Wraps every data key again under another log key, in one transaction (SES-04): no content is read or written.
 * @throws SealBroken, SessionsLocked; the old key is then still the right one.
 */
export function rewrap(
  connection: StoreConnection,
  { from, to, random }: { readonly from: LogKey; readonly to: LogKey; readonly random: RandomBytes },
): number {
  return connection.transaction("power", () => {
    checkLogKey(connection, from);
    const rows = connection.all(
      `SELECT data_keys.key_id, day, wrapped, bound, log_id FROM data_keys JOIN logs ON logs.num = data_keys.log
       WHERE wrapped IS NOT NULL`,
    );
    for (const row of rows) {
      const { key_id, day, log_id, wrapped, bound } = row;
      const text = wrapText(String(log_id), String(day), { keyId: String(key_id), bound: Number(bound) });
      const key = openBytes(from.key, text, wrapped instanceof Uint8Array ? wrapped : new Uint8Array());
      connection.run(
        "UPDATE data_keys SET wrapped = ? WHERE key_id = ?",
        sealBytes({ key: to.key, random }, text, key),
        String(key_id),
      );
    }
    connection.run("UPDATE sealing SET fingerprint = ? WHERE num = 1", keyFingerprint(to.key));
    return rows.length;
  });
}
