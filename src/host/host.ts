import { ulidSource } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import type { World } from "../base/world.ts";
import { hostClock } from "./clock.ts";
import { hostFetch } from "./fetch.ts";
import { hostFiles } from "./files.ts";
import { hostListen } from "./listen.ts";
import { hostMachine } from "./machine.ts";
import { hostRandom } from "./random.ts";
import { hostResolve } from "./resolve.ts";
import { hostSpawn } from "./spawn.ts";

/** The real world: this machine's clock, chance, network, files and processes. */
export function hostWorld(log: Log): World {
  return {
    clock: hostClock,
    ids: ulidSource(hostClock.now, hostRandom.bytes),
    random: hostRandom,
    fetch: hostFetch(),
    resolve: hostResolve,
    files: hostFiles,
    lock: async (path, signal) => {
      const { lockDatabase } = await import("./database-lock.ts"); // SQLite is not needed for a start
      return await lockDatabase(path, hostClock, signal);
    },
    spawn: hostSpawn(log),
    listen: hostListen(log),
    log,
    machine: hostMachine(),
  };
}
