import { HarnessError } from "../../../base/errors.ts";
import type { World } from "../../../base/world.ts";
import type { StoreConnection } from "../connection.ts";
import { openWhenFree } from "../when-free.ts";
import { backUp } from "./backups.ts";
import type { Migration } from "./migrations.ts";

/** Milliseconds that one process waits for another that is upgrading the same file. */
const UPGRADE_MS_MAX = 60_000;

const LEDGER = `CREATE TABLE IF NOT EXISTS schema_migrations (
  version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL, sha256 TEXT NOT NULL) STRICT`;

export interface Upgrade {
  readonly migrations: readonly Migration[];
  readonly world: World;
  /** Called before the wait, so that it can be shown (SES-02). */
  readonly onUpgrade: (from: number, to: number) => void;
  /** Completes the new schema, in the same transaction as the migrations. */
  readonly complete: () => void;
}

/**
 * Brings the schema up to the newest migration that this version knows, all in one transaction (SES-02).
 *
 * Forward only. Copies a store with content to `<path>.backup-v<old>` first, and keeps only the newest copy. Of two
 * processes that upgrade at once, one waits and finds the work done.
 * @throws StoreNewer if a newer cinch wrote it, StoreInUse while a living process writes a log in the older form,
 * StoreCorrupt if it is not a session store of cinch or a migration was applied with another text; nothing is changed
 * then.
 */
export async function migrate(connection: StoreConnection, upgrade: Upgrade): Promise<void> {
  const version = versionOf(connection, upgrade.migrations);
  if (version === upgrade.migrations.length) return;
  if (version === 0) await prepareNewFile(connection, upgrade.world);
  else upgrade.onUpgrade(version, upgrade.migrations.length);
  await applyRest(connection, upgrade);
}

/**
 * Returns the last migration applied; 0 for an empty file.
 * @throws HarnessError StoreNewer, StoreCorrupt.
 */
export function versionOf(connection: StoreConnection, migrations: readonly Migration[]): number {
  const path = connection.path;
  const tables = connection.all("SELECT name FROM sqlite_schema WHERE type = 'table'");
  if (tables.length === 0) return 0;
  if (!tables.some(({ name }) => name === "schema_migrations")) {
    throw new HarnessError("StoreCorrupt", { path, detail: "it is a database, but not a session store" });
  }
  const applied = connection.all("SELECT version, sha256 FROM schema_migrations ORDER BY version");
  const found = Number(applied.at(-1)?.["version"] ?? 0);
  if (found > migrations.length) {
    throw new HarnessError("StoreNewer", { path, found: `${found}`, known: `${migrations.length}` });
  }
  for (const [index, { version, sha256 }] of applied.entries()) {
    const known = migrations[index];
    if (Number(version) !== index + 1 || known === undefined || sha256 !== hashOf(known)) {
      const detail = `its schema step ${version} is not the one that this version of cinch knows`;
      throw new HarnessError("StoreCorrupt", { path, detail });
    }
  }
  return applied.length;
}

/** Sets what can be set only while a file is empty. */
async function prepareNewFile(connection: StoreConnection, world: World): Promise<void> {
  // Changing the journal mode answers "busy" at once if another process is doing the same, whatever the time-out. Pages
  // freed by expiry can be returned piecemeal with the incremental vacuum (R17).
  const settings = "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL";
  await whenFree(world, () => connection.execute(settings));
}

function whenFree(world: World, work: () => void): Promise<void> {
  const { signal } = new AbortController(); // an upgrade must not stop halfway
  return openWhenFree({ clock: world.clock, msMax: UPGRADE_MS_MAX, signal })(work);
}

async function applyRest(connection: StoreConnection, upgrade: Upgrade): Promise<void> {
  const { migrations, world } = upgrade;
  const unlocked = (work: () => void) => whenFree(world, work);
  await connection.exclusively(unlocked, async () => {
    connection.execute(LEDGER);
    // Another process may have done it while this one waited for the lock.
    const from = Number(
      connection.first("SELECT max(version) AS version FROM schema_migrations")?.["version"],
    );
    if (from > 0 && from < migrations.length) {
      checkUnused(connection, world.machine);
      await backUp(connection.path, { version: from, world, whenFree: unlocked });
    }
    for (const migration of migrations.slice(from)) {
      connection.execute(migration.sql);
      connection.run(
        "INSERT INTO schema_migrations (version, applied_at, sha256) VALUES (?, ?, ?)",
        migration.version,
        new Date(world.clock.now()).toISOString(),
        hashOf(migration),
      );
    }
    upgrade.complete();
  });
  versionOf(connection, migrations);
}

/** An older cinch would find its tables gone in the middle of a turn, and call that damage. */
function checkUnused(connection: StoreConnection, machine: World["machine"]): void {
  for (const { pid, process_start: start } of connection.all(
    "SELECT pid, process_start FROM leases WHERE pid IS NOT NULL",
  ))
    if (machine.isAlive(Number(pid), String(start)))
      throw new HarnessError("StoreInUse", { path: connection.path, pid: `${pid}` });
}

function hashOf(migration: Migration): string {
  return new Bun.CryptoHasher("sha256").update(migration.sql).digest("hex");
}
