import { basename, dirname, join } from "node:path";
import { HarnessError } from "../../../base/errors.ts";
import type { World } from "../../../base/world.ts";
import { StoreConnection } from "../connection.ts";

const PRIVATE_FILE = 0o600;

interface BackingUp {
  /** Version of the schema that is replaced. */
  readonly version: number;
  readonly world: World;
  /** Runs work again while another process has the store locked. */
  readonly whenFree: (work: () => void) => Promise<void>;
}

/**
 * Copies a store to `<path>.backup-v<old>`, which only its owner can read, and removes older copies. A second
 * connection reads the committed state while the first one holds the write lock, so the copy is whole.
 */
export async function backUp(path: string, { version, world, whenFree }: BackingUp): Promise<void> {
  const target = `${path}.backup-v${version}`;
  await world.files.remove(target);
  await world.files.append(target, "", PRIVATE_FILE);
  await whenFree(() => {
    using reader = StoreConnection.open(path, 0);
    reader.run("VACUUM INTO ?", target);
  });
  await removeBackups(path, world, target);
}

/** Removes the copies of a store that upgrades have left, except for one. */
export async function removeBackups(path: string, world: World, keptBackup = ""): Promise<void> {
  for (const backup of await backupsOf(path, world)) {
    if (backup !== keptBackup) await world.files.remove(backup);
  }
}

/**
 * Destroys in the copies of a store the keys that the store no longer has: expired and deleted contents stay unreadable
 * there too (SES-06), and so do the folders of deleted sessions. A copy that cannot be changed is removed.
 */
export async function forgetInBackups(connection: StoreConnection, world: World): Promise<void> {
  for (const backup of await backupsOf(connection.path, world)) {
    try {
      destroyStrangers(connection, backup);
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) throw thrown;
      world.log
        .for("session.sqlite")
        .write("warn", "a copy of the session store that could not be cleaned was removed", {
          path: backup,
          error: thrown.message,
        });
      await world.files.remove(backup);
    }
  }
}

function destroyStrangers(connection: StoreConnection, backup: string): void {
  connection.run("ATTACH ? AS backup", backup);
  try {
    connection.run(
      `UPDATE backup.data_keys SET wrapped = NULL WHERE wrapped IS NOT NULL AND key_id NOT IN (
         SELECT key_id FROM main.data_keys WHERE wrapped IS NOT NULL)`,
    );
    connection.run(
      `UPDATE backup.logs SET working_dir = '' WHERE working_dir != '' AND log_id NOT IN (
         SELECT log_id FROM main.logs WHERE deleted = 0)`,
    );
  } finally {
    connection.run("DETACH backup");
  }
}

async function backupsOf(path: string, world: World): Promise<readonly string[]> {
  const names = (await world.files.list(dirname(path))).map(({ name }) => name);
  const copies = names.filter((name) => /^\.backup-v\d+$/u.test(name.slice(basename(path).length)));
  return copies.filter((name) => name.startsWith(basename(path))).map((name) => join(dirname(path), name));
}
