import { join } from "node:path";
import type { EngineHost } from "../../session/host.ts";
import { Schedule } from "./schedule/schedule.ts";

/** Opens the scheduled tasks of this user. */
export function openSchedule({ world, paths }: Pick<EngineHost, "world" | "paths">): Schedule {
  return new Schedule({
    files: world.files,
    clock: world.clock,
    machine: world.machine,
    folder: join(paths.data, "tasks"),
    lock: world.lock,
  });
}
