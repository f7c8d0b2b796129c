import { servicePaths } from "../../app/serving/service-paths.ts";
import { hasReason, messageOf } from "../../base/errors.ts";
import { engineSection } from "../../config/sections/engine.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import type { ParsedCall } from "../args/parsed-call.ts";
import { cinchPaths } from "../environment.ts";
import { processContext } from "../process-context.ts";
import type { Stop } from "../processes/stop.ts";
import { configIn } from "../secrets.ts";
import { startEngine } from "../shared-engine/start-engine.ts";
import { isListening } from "./prompt-link.ts";

/**
 * Starts a shared engine that stays for a time, if `[engine] stay` asks for it. A job of CI starts none: nobody comes
 * back to it. Returns true if one runs then. If it cannot be started, the run's own engine reports why.
 */
export async function startEngineThatStays({ settings }: ParsedCall, stop: Stop): Promise<boolean> {
  if (isCi()) return false;
  const paths = cinchPaths(process.env);
  const { stayMs } = settingsOf(engineSection, { config: await configIn(paths.config) });
  if (stayMs === undefined) return false;
  const { ownerSocket } = servicePaths(paths);
  const isRunning = () => isListening(ownerSocket);
  const at = processContext(settings, stop);
  try {
    await startEngine({ at, insecureDevKey: false, isRunning, signal: stop.signal });
    return true;
  } catch (thrown) {
    stop.signal.throwIfAborted();
    if (hasReason(thrown, "EngineRunning")) return true; // another process was quicker
    at.world.log.for("cli").write("warn", "no engine was left behind", { problem: messageOf(thrown) });
    return false;
  }
}

function isCi(): boolean {
  return !["", "0", "false"].includes(process.env["CI"] ?? "");
}
