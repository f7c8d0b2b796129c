import type { LogId, SessionId } from "../../base/ids.ts";
import type { Scope } from "./scope.ts";
import { allowsSession } from "./scope.ts";

/**
 * Returns true if a scope names a session or another run of the same log (AUTH-07). A resumed session has a new id, and
 * a client that was let into the run before is let into this one.
 */
export async function reachesSession(
  scope: Scope,
  id: SessionId,
  logOf: (id: SessionId) => Promise<LogId | undefined>,
): Promise<boolean> {
  if (allowsSession(scope, id)) return true;
  const wanted = await logOf(id);
  return wanted !== undefined && (await reachesLog(scope, wanted, logOf));
}

/** Returns true if a scope names some run of a log. */
export async function reachesLog(
  { sessions }: Scope,
  wanted: LogId,
  logOf: (id: SessionId) => Promise<LogId | undefined>,
): Promise<boolean> {
  if (sessions === "all") return true;
  for (const named of sessions) if ((await logOf(named)) === wanted) return true;
  return false;
}
