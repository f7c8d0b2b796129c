import { rmSync } from "node:fs";
import type { RandomBytes } from "../../store/seal.ts";
import { keyFingerprint } from "../../store/seal.ts";
import { BLOCKING_MS_MAX, StoreConnection } from "../connection.ts";
import { keptWalPath } from "../wal/kept-wal.ts";
import type { LogKey } from "./data-keys.ts";
import { checkLogKey, rewrap } from "./data-keys.ts";

export type RotationResult =
  /** There is no store, or nothing in it was ever sealed. */
  | { readonly kind: "none" }
  /** It is already under the new key. */
  | { readonly kind: "done before" }
  | { readonly kind: "rotated"; readonly keys: number };

/**
 * Puts the session store under another log key: its data keys are wrapped again, in one transaction (SES-04). No
 * content is read or written, so it takes no longer for a large store. The copy of a damaged write-ahead log is
 * removed: the old key opens its content.
 * @throws HarnessError SessionsLocked if it is under neither of the two, StoreCorrupt, StoreBusy.
 */
export async function rotateStore(
  path: string,
  keys: {
    readonly from: LogKey;
    readonly to: LogKey;
    readonly random: RandomBytes;
    /** Called once the old key is known to be right, before anything is changed. */
    readonly before?: () => Promise<void>;
  },
): Promise<RotationResult> {
  const { from, to } = keys;
  using connection = StoreConnection.open(path, BLOCKING_MS_MAX);
  if (connection.first("SELECT 1 FROM sqlite_schema WHERE name = 'sealing'") === undefined)
    return { kind: "none" };
  if (connection.first("SELECT 1 FROM sealing") === undefined) return { kind: "none" };
  if (isUnder(connection, to)) {
    removeKeptWal(path); // the process that rotated may have been killed before that
    return { kind: "done before" };
  }
  checkLogKey(connection, from);
  await keys.before?.();
  const wrapped = rewrap(connection, keys);
  removeKeptWal(path);
  return { kind: "rotated", keys: wrapped };
}

function removeKeptWal(path: string): void {
  rmSync(keptWalPath(path), { force: true });
}

function isUnder(connection: StoreConnection, { key }: LogKey): boolean {
  return (
    connection.first("SELECT fingerprint FROM sealing WHERE num = 1")?.["fingerprint"] === keyFingerprint(key)
  );
}
