import { join } from "node:path";
import { hostClock } from "../../platform/clock.ts";
import { openLogFile } from "../../platform/log-file.ts";
import { cinchPaths } from "../environment.ts";
import type { Settings } from "../settings.ts";

/** Logs why a prompt starts its own engine, or joins a session. The keys, and with them the engine, come later. */
export function logReason({ logToStderr, logLevels }: Settings, why: string): void {
  const log = openLogFile({
    directory: join(cinchPaths(process.env).state, "log"),
    toStderr: logToStderr,
    now: () => hostClock.now(),
    levels: logLevels,
  });
  log.for("cli").write("debug", "the running engine begins no session for this prompt", { why });
}
