import { join } from "node:path";
import { Schedule } from "../task/schedule.ts";
import type { HarnessOptions } from "./options.ts";

/** The scheduled tasks of this user. */
export function openSchedule({ world, paths }: Pick<HarnessOptions, "world" | "paths">): Schedule {
  return new Schedule({
    files: world.files,
    clock: world.clock,
    machine: world.machine,
    folder: join(paths.data, "tasks"),
    lock: world.lock,
  });
}
