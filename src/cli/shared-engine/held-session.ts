import { hasReason } from "../../base/errors.ts";
import { resumedSession, sessionsOf } from "../commands/line/line-session.ts";
import type { ProcessContext } from "../process-context.ts";
import type { Settings } from "../settings.ts";
import { runningEngine } from "./reach-engine.ts";
import type { RemotePort } from "./remote-port.ts";

/**
 * Returns the running engine that holds a session which could not be opened here; the session continues there (SES-07,
 * CTL-11). Returns undefined if another process holds it, which the refusal names.
 */
export async function engineThatHolds(
  thrown: unknown,
  { resume }: Settings,
  at: ProcessContext,
): Promise<RemotePort | undefined> {
  if (!hasReason(thrown, "LogHeld") || resume === undefined) return undefined;
  const { signal } = at.stop;
  const port = await runningEngine({ at, signal });
  if (port === undefined) return undefined;
  const { live } = await resumedSession(sessionsOf(port, signal), resume, at.workingDir);
  if (live) return port;
  await port[Symbol.asyncDispose]();
  return undefined;
}
