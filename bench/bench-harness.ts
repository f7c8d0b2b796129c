import { join } from "node:path";
import type { HarnessOptions } from "../src/app/engine/options.ts";
import type { OpenHarness } from "../src/app/harness.ts";
import { openHarness } from "../src/app/harness.ts";
import { PROGRAM_FEATURES } from "../src/app/plan/feature-set.ts";
import { SILENT_LOG } from "../src/base/log.ts";
import type { World } from "../src/base/world.ts";
import { hostWorld } from "../src/platform/host.ts";

/** Model of the engines that are measured: the one of the server in `server.ts`. */
export const BENCH_MODEL = "bench:bench-model";

/** Opens an unattended engine with every feature in the home of the process, which logs nothing. */
export async function openBenchHarness(changes: Partial<World> = {}): Promise<OpenHarness> {
  return await openHarness(benchOptions(changes), new AbortController().signal);
}

/** Returns the options of an engine in the home of the process. */
export function benchOptions(changes: Partial<World> = {}): HarnessOptions {
  const home = process.env["HOME"] ?? "";
  return {
    world: { ...hostWorld(SILENT_LOG), ...changes },
    paths: {
      config: join(home, ".config/cinch"),
      data: join(home, ".local/share/cinch"),
      state: join(home, ".local/state/cinch"),
    },
    workingDir: process.cwd(),
    model: BENCH_MODEL,
    features: PROGRAM_FEATURES,
    wishes: {
      autoApprove: false,
      strictPermissions: false,
      attended: false,
      environment: { HOME: home, PATH: "/usr/bin:/bin" },
    },
  };
}
