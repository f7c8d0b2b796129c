import { afterGrace } from "../../base/async/abandon.ts";
import { deadline, whileAlive } from "../../base/async/deadline.ts";
import { DeadlineReached } from "../../base/errors.ts";
import type { ToolMiddleware } from "../middleware.ts";
import { errorOutput } from "../output.ts";
import type { ToolOutput } from "../tool.ts";

/** Default time limit of one call. */
export const TOOL_MS_MAX = 120_000;

/**
 * Time that an aborted tool has to stop before it is abandoned: longer than the grace period of its processes. Clients
 * and a shutdown wait a second longer for the end of a cancelled turn, so that they see it.
 */
export const TOOL_STOP_MS_MAX = 4_000;

/**
 * Ends a call that exceeds its tool's `msMax`, or `msMaxDefault` (ENG-22).
 *
 * The tool's signal aborts first; a tool that ignores it is abandoned after `TOOL_STOP_MS_MAX`, so that it cannot
 * hang a session. A reached limit is a result that the model sees, after the tool's own text. A cancel from above
 * rethrows its reason.
 */
export function timeLimit(msMaxDefault: number = TOOL_MS_MAX): ToolMiddleware {
  return async function timeLimit(call, context, next) {
    const { clock } = context.world;
    using limit = deadline(clock, call.tool.msMax ?? msMaxDefault, context.signal);
    using patience = afterGrace({ clock, signal: limit.signal, ms: TOOL_STOP_MS_MAX });
    let output: ToolOutput;
    try {
      output = await whileAlive(next(call, { ...context, signal: limit.signal }), patience.signal);
    } catch (thrown) {
      if (context.signal.aborted) throw context.signal.reason;
      if (!limit.reached) throw thrown;
      return { ...errorOutput(timedOut(limit.signal)), timedOut: true };
    }
    if (!limit.reached) return output;
    return {
      content: [...output.content, ...errorOutput(timedOut(limit.signal)).content],
      isError: true,
      timedOut: true,
    };
  };
}

function timedOut(signal: AbortSignal): string {
  const seconds = signal.reason instanceof DeadlineReached ? signal.reason.afterMs / 1000 : 0;
  return `timed out after ${seconds} s`;
}
