import { join } from "node:path";
import { PROGRAM_FEATURES } from "../../src/app/plan/feature-set.ts";
import { deleteSession } from "../../src/app/sessions/delete.ts";
import { sweep } from "../../src/app/sessions/retention/sweep.ts";
import type { LogId } from "../../src/base/ids.ts";
import { SILENT_LOG } from "../../src/base/log.ts";
import { NOTHING } from "../../src/config/config.ts";
import { hostWorld } from "../../src/platform/host.ts";
import { StoreConnection } from "../../src/session/sqlite/connection.ts";
import { openSqliteStore } from "../../src/session/sqlite/open.ts";
import { LOG_KEY } from "./store-rig.ts";

/**
 * Deletes a session, or sweeps, and kills itself with SIGKILL after a number of steps:
 * `delete-child.ts <home> <log id | sweep> <steps>`. A step is one statement of the store or one change of a file.
 */
const [home = "", what = "", steps = ""] = process.argv.slice(2);
const host = hostWorld(SILENT_LOG);
let left = Number.POSITIVE_INFINITY;

function step(): void {
  left -= 1;
  if (left === 0) process.kill(process.pid, "SIGKILL");
}

const files = {
  ...host.files,
  async remove(path: string) {
    await host.files.remove(path);
    step();
  },
  async writeAtomic(...given: Parameters<typeof host.files.writeAtomic>) {
    await host.files.writeAtomic(...given);
    step();
  },
};
const { run, all, first } = StoreConnection.prototype;
StoreConnection.prototype.run = function (...given) {
  const result = run.apply(this, given);
  step();
  return result;
};
StoreConnection.prototype.all = function (...given) {
  const result = all.apply(this, given);
  step();
  return result;
};
StoreConnection.prototype.first = function (...given) {
  const result = first.apply(this, given);
  step();
  return result;
};

const world = { ...host, files };
const paths = { config: join(home, "config"), data: join(home, "data"), state: join(home, "state") };
await using store = await openSqliteStore({ path: join(paths.data, "sessions.db"), world, logKey: LOG_KEY });
const sources = { world, paths, store, features: PROGRAM_FEATURES, config: NOTHING };
const info = what === "sweep" ? undefined : await store.find(what as LogId);
left = Number(steps);
if (info === undefined) await sweep(sources, new AbortController().signal);
else await deleteSession(sources, info);
left = Number.POSITIVE_INFINITY;
