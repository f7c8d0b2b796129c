import type { Services } from "../layout/services.ts";

/** Returns true while a turn runs, and says that it must end before the session can be changed. */
export function sayIfTurnRuns({ session, say }: Pick<Services, "session" | "say">): boolean {
  if (session.view.run?.turn === undefined) return false;
  say("A turn runs: cancel it first, or wait for its end.", "warning");
  return true;
}
