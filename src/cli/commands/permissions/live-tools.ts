import type { FindLiveTools } from "../../../app/explain/explain.ts";
import { HarnessError } from "../../../base/errors.ts";
import { EVERYTHING } from "../../../session/access/scope.ts";
import type { ProcessContext } from "../../process-context.ts";
import { runningEngine } from "../../shared-engine/reach-engine.ts";

/**
 * Returns a search for the tools of the newest session that the running engine has in a directory, under a profile. An
 * engine that refuses this process is reported on standard error, and counts as none.
 */
export function liveTools(at: ProcessContext): FindLiveTools {
  const asking = { identityClass: "human", scope: EVERYTHING, signal: at.stop.signal } as const;
  return async ({ root, profile }) => {
    try {
      await using engine = await runningEngine({ at, signal: asking.signal });
      if (engine === undefined) return undefined;
      const { sessions } = await engine.query({ kind: "ListSessions" }, asking);
      const found = sessions.find(
        (each) => each.live && each.working_dir === root && each.profile === profile,
      );
      if (found === undefined) return undefined;
      const { session } = found;
      const { tools } = await engine.query({ kind: "ListTools", sessionId: session }, asking);
      return { session, tools };
    } catch (thrown) {
      asking.signal.throwIfAborted();
      if (!(thrown instanceof HarnessError)) throw thrown;
      await at.stderr.write(`cinch: the engine that runs was not asked for its tools: ${thrown.message}\n`);
      return undefined;
    }
  };
}
