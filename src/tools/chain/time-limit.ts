import { afterGrace } from "../../base/async/abandon.ts";
import { deadline, whileAlive } from "../../base/async/deadline.ts";
import { DeadlineReached } from "../../base/errors.ts";
import type { CallId } from "../../base/ids.ts";
import type { Clock } from "../../base/world.ts";
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
 * Time that a call whose sub-agent was just abandoned has to settle, before it is abandoned too: less than the second
 * that clients and a shutdown wait longer.
 */
const SUB_AGENT_STOP_MS_MAX = 300;

/**
 * Ends a call that exceeds its tool's `msMax`, or `msMaxDefault` (ENG-22).
 *
 * The tool's signal aborts first; a tool that ignores it is abandoned after `TOOL_STOP_MS_MAX`, so that it cannot
 * hang a session. A call that runs a sub-agent outlives the sub-agent's calls, so each end is published before that of
 * the call above. A reached limit is a result that the model sees, after the tool's own text. A cancel from above
 * rethrows its reason.
 */
export function timeLimit(msMaxDefault: number = TOOL_MS_MAX): ToolMiddleware {
  const running = new RunningCalls();
  return async function timeLimit(call, context, next) {
    const { clock } = context.world;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    using _running = running.add(context.within?.parentCall, ended);
    using limit = deadline(clock, call.tool.msMax ?? msMaxDefault, context.signal);
    using patience = afterGrace({ clock, signal: limit.signal, ms: TOOL_STOP_MS_MAX });
    let output: ToolOutput;
    try {
      const work = next(call, { ...context, signal: limit.signal });
      const ofSubAgent = () => running.below(call.id);
      output = await untilAbandoned(work, { clock, signal: patience.signal, ofSubAgent });
    } catch (thrown) {
      if (context.signal.aborted) throw context.signal.reason;
      if (!limit.reached) throw thrown;
      return { ...errorOutput(timedOut(limit.signal)), timedOut: true };
    } finally {
      end();
    }
    if (!limit.reached) return output;
    return {
      content: [...output.content, ...errorOutput(timedOut(limit.signal)).content],
      isError: true,
      timedOut: true,
    };
  };
}

/** The end of one call's patience. */
interface Abandonment {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Returns the ends of the calls of its sub-agent that run now. */
  readonly ofSubAgent: () => readonly Promise<void>[];
}

/** Waits for work until its signal aborts, then for the calls of its sub-agent, and a little longer for the work. */
async function untilAbandoned<Value>(
  work: Promise<Value>,
  { clock, signal, ofSubAgent }: Abandonment,
): Promise<Value> {
  try {
    return await whileAlive(work, signal);
  } catch (thrown) {
    const inner = ofSubAgent();
    if (!signal.aborted || inner.length === 0) throw thrown;
    await Promise.all(inner);
    using more = deadline(clock, SUB_AGENT_STOP_MS_MAX, new AbortController().signal);
    return await whileAlive(work, more.signal);
  }
}

/** Ends of the running calls of sub-agents, by the call above. */
class RunningCalls {
  readonly #ends = new Map<CallId, Set<Promise<void>>>();

  add(parentCall: CallId | undefined, end: Promise<void>): Disposable {
    if (parentCall === undefined) return { [Symbol.dispose]: () => undefined };
    const ends = this.#ends.get(parentCall) ?? new Set();
    this.#ends.set(parentCall, ends.add(end));
    return {
      [Symbol.dispose]: () => {
        ends.delete(end);
        if (ends.size === 0) this.#ends.delete(parentCall);
      },
    };
  }

  below(call: CallId): readonly Promise<void>[] {
    return [...(this.#ends.get(call) ?? [])];
  }
}

function timedOut(signal: AbortSignal): string {
  const seconds = signal.reason instanceof DeadlineReached ? signal.reason.afterMs / 1000 : 0;
  return `timed out after ${seconds} s`;
}
