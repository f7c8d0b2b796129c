import { ulidSource } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import type { World } from "../base/world.ts";
import { hostClock } from "./clock.ts";
import { hostFiles } from "./files/files.ts";
import { hostMachine } from "./machine.ts";
import { hostSpawn } from "./processes/spawn.ts";
import { hostRandom } from "./random.ts";
import { hostFetch } from "./sockets/fetch.ts";
import { hostListen } from "./sockets/listen.ts";
import { hostResolve } from "./sockets/resolve.ts";

/** Returns the real world: this machine's clock, randomness, network, files and processes. */
export function hostWorld(log: Log): World {
  return {
    clock: hostClock,
    ids: ulidSource(hostClock.now, hostRandom.bytes),
    random: hostRandom,
    fetch: hostFetch(),
    resolve: hostResolve,
    files: hostFiles,
    lock: async (path, signal) => {
      const { lockDatabase } = await import("./files/database-lock.ts"); // SQLite is not needed for a start
      return await lockDatabase(path, hostClock, signal);
    },
    spawn: hostSpawn(log),
    listen: hostListen(log),
    log,
    machine: hostMachine(),
  };
}
