import { HarnessError, hasReason } from "../../../base/errors.ts";
import type { Reason } from "../../../base/reasons.ts";
import type { World } from "../../../base/world.ts";
import type { StoreFinding } from "../../store/store.ts";
import { BLOCKING_MS_MAX, StoreConnection } from "../connection.ts";
import type { LogKey } from "../keys/data-keys.ts";
import { checkLogKey, DataKeys } from "../keys/data-keys.ts";
import { checkFile, checkNotEmptied, hasSealing, statStoreFile } from "../open.ts";
import { RowReader } from "../rows.ts";
import { versionOf } from "../schema/migrate.ts";
import { MIGRATIONS } from "../schema/migrations.ts";
import { countHeads, headsOf } from "../wal/head-file.ts";
import { checkStore, checkStructure } from "./check.ts";
import { checkLength } from "./check-length.ts";

export interface Inspection {
  readonly path: string;
  readonly world: World;
  readonly depth: "quick" | "full";
  readonly signal: AbortSignal;
  /** Called only if something is sealed; absent: nothing sealed is opened, so "quick" is all there is. */
  readonly logKey?: () => Promise<LogKey>;
  readonly busyMs?: number;
}

/**
 * Checks the file of a store for damage, in whatever state it is, and changes nothing: it is neither upgraded, nor
 * created if it is missing. A file that cannot be opened is a finding like any other.
 */
export async function* inspectStore(inspection: Inspection): AsyncGenerator<StoreFinding> {
  const { path, world } = inspection;
  try {
    const unmerged = (await statStoreFile(`${path}-wal`, { path, world }))?.size ?? 0;
    const found = await statStoreFile(path, { path, world });
    if (found === undefined) return; // no session ever started
    checkFile(path, found, unmerged);
    if (found.size === 0 && countHeads(path) === 0) return;
    using connection = openToLook(inspection, unmerged);
    if (unmerged > 0) checkLength(connection);
    checkNotEmptied(connection);
    yield* lookInto(connection, inspection);
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    yield closedFinding(thrown);
  }
}

function openToLook({ path, busyMs = BLOCKING_MS_MAX }: Inspection, unmerged: number): StoreConnection {
  let reader: StoreConnection | undefined;
  try {
    reader = StoreConnection.openToRead(path, busyMs);
    reader.first("SELECT 1 FROM sqlite_schema LIMIT 1");
    return reader;
  } catch (thrown) {
    reader?.[Symbol.dispose]();
    if (unmerged > 0 || !hasReason(thrown, "StoreUnwritable")) throw thrown;
    return StoreConnection.openFrozen(path, busyMs); // a medium that takes no writes
  }
}

async function* lookInto(connection: StoreConnection, inspection: Inspection): AsyncGenerator<StoreFinding> {
  const { depth, signal, world, logKey } = inspection;
  const { path } = connection;
  const version = versionOf(connection, MIGRATIONS);
  if (version < MIGRATIONS.length) {
    if (version > 0) yield olderFinding(path, version);
    yield* checkStructure(connection, depth);
    return;
  }
  const key = hasSealing(connection) ? await logKey?.() : undefined;
  if (key !== undefined) checkLogKey(connection, key);
  const keys = new DataKeys(connection, key?.key ?? new Uint8Array(), (count) => world.random.bytes(count));
  using heads = headsOf(connection, world);
  yield* checkStore(connection, new RowReader(path, keys), { depth, signal, world, heads });
}

function olderFinding(path: string, version: number): StoreFinding {
  return {
    kind: "older",
    weight: "note",
    text: `The session store ${path} is of schema ${version}; this cinch has ${MIGRATIONS.length}.`,
    remedy: "Nothing: the next start copies it and brings it up to date.",
  };
}

const REMEDIES: { readonly [R in Reason]?: string } = {
  StoreNewer: "Use the newer cinch that wrote it.",
  StoreInUse: "End the process of the older cinch.",
  StoreBusy: "Try again when the other program is done; `fuser` names it.",
  SessionsLocked: "Give the machine key or passphrase that it was made with.",
  StoreUnwritable: "Make the file and its folder readable and writable for you.",
};

function closedFinding(thrown: HarnessError): StoreFinding {
  const remedy =
    REMEDIES[thrown.reason] ??
    "Restore it from a backup beside it, or move it away to start with an empty one.";
  return { kind: "closed", weight: "damage", text: thrown.message, remedy };
}
