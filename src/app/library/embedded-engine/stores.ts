import { dirname, isAbsolute } from "node:path";
import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import { SILENT_LOG } from "../../../base/log.ts";
import { KEY_BYTES, openMachineKey } from "../../../credentials/machine-key.ts";
import { hostWorld } from "../../../platform/host.ts";
import { hostMachine } from "../../../platform/machine.ts";
import { openSqliteStore } from "../../../session/sqlite/open.ts";
import { memorySessionStore } from "../../../session/store/memory-store.ts";
import type { SessionStore } from "../../../session/store/store.ts";
import type { StoreLimit } from "../program-store.ts";
import { programStore } from "../program-store.ts";

/** Options of `sqliteStore`. */
export interface SqliteStoreSetup {
  /** The database file, absolute. It is made, with its folder, for its owner alone. */
  readonly path: string;
  /** Key that all content is sealed with: 32 bytes. Default: `machine.key` in the file's folder, made at first use. */
  readonly key?: Uint8Array;
  /** Ends the wait for another process that has the file locked. Default: the wait ends after 30 s. */
  readonly signal?: AbortSignal;
}

/**
 * Makes a store that keeps its sessions as long as this process lives. Of one session it keeps at least the newest
 * 10,000 events; a reader that begins before them gets a StreamGap.
 */
export function memoryStore(): SessionStore {
  return own(memorySessionStore(hostMachine()));
}

/**
 * Opens a store in an SQLite file. Its sessions outlive the process, however that ends. Several processes may open
 * one file; each session has one writer at a time. Content is sealed.
 *
 * @throws HarnessError UsageInvalid for a path that is not absolute or a key of another length;
 *   StoreNewer, StoreCorrupt, StoreUnwritable, StoreBusy, SessionsLocked for another key than the file was
 *   made with; MachineKeyUnusable.
 */
export async function sqliteStore({ path, key, signal }: SqliteStoreSetup): Promise<SessionStore> {
  if (key !== undefined && key.length !== KEY_BYTES)
    throw new HarnessError("UsageInvalid", { problem: `the key of a store has ${KEY_BYTES} bytes` });
  if (!isAbsolute(path))
    throw new HarnessError("UsageInvalid", {
      problem: `the path of a store is ${JSON.stringify(path)}; give an absolute path of a file`,
    });
  const world = hostWorld(SILENT_LOG);
  return own(
    await openSqliteStore({
      path,
      world,
      logKey: key === undefined ? await keyBeside(path, world) : { key, source: "the program" },
      ...defined({ signal }),
    }),
  );
}

/**
 * Stores that were made here. They have limits of their own, and theirs are longer while another process has a
 * file locked.
 */
const OWN = new WeakSet<SessionStore>();

function own(store: SessionStore): SessionStore {
  OWN.add(store);
  return store;
}

/** Returns the store of an engine: one that the program wrote fails within a limit. */
export function containedStore(store: SessionStore, limit: StoreLimit): SessionStore {
  return OWN.has(store) ? store : programStore(store, limit);
}

async function keyBeside(path: string, { random }: ReturnType<typeof hostWorld>) {
  using machineKey = await openMachineKey({ directory: dirname(path), random });
  return { key: machineKey.derive("cinch log v1"), source: machineKey.source };
}
