import type { ParsedCall } from "../args/parsed-call.ts";
import type { Stop } from "../processes/stop.ts";
import { askRunning } from "./ask-running.ts";
import type { RunningPrompt } from "./prompt-connection.ts";

/**
 * Returns the prompt of a command line in the engine that already runs, or was started to stay (`[engine] stay`);
 * undefined if this process has to start its own.
 * The log of level debug names the reason.
 */
export async function shareRunning(call: ParsedCall, stop: Stop): Promise<RunningPrompt | undefined> {
  let sharing = await askRunning(call, stop.signal);
  if (sharing.kind === "own" && sharing.mayStay === true) {
    const { startEngineThatStays } = await import("./engine-that-stays.ts");
    if (await startEngineThatStays(call, stop)) sharing = await askRunning(call, stop.signal);
  }
  if (sharing.kind === "own") {
    const { why } = sharing;
    if (why === undefined || call.settings.logLevels.size === 0) return undefined;
    const { logReason } = await import("./log-reason.ts");
    logReason(call.settings, why);
    return undefined;
  }
  const { makeUndumpable } = await import("../../platform/processes/undumpable.ts");
  makeUndumpable(); // it may have keys, which the engine has already
  return sharing.prompt;
}
