import { assert } from "../../base/assert.ts";
import { canonicalJson } from "../../base/json.ts";
import type { Clock } from "../../base/world.ts";
import type { CallOutcome } from "../../session/store/store.ts";
import type { ToolMiddleware } from "../../tools/middleware.ts";
import type { ToolOutput } from "../../tools/tool.ts";
import type { Bus } from "../bus/bus.ts";

/**
 * Records that a call is about to run, and how it ended ([A] § Tool-call intent / outcome ledger, SES-03).
 *
 * The intent of a mutating call survives a power loss before the call runs: after a crash an intent without an outcome
 * means that the call may have taken effect, and it is never run again automatically. Its outcome is committed before
 * the model or a client gets its result, and synced before the end of the turn is shown. The records of a call that
 * only reads are written with the next batch. A tool that awaits its intent by itself gets ready before the intent is
 * in the log, and changes nothing before it is safe.
 */
export function ledger(bus: Bus, clock: Clock): ToolMiddleware {
  return async function ledger(call, context, next) {
    const { mutating, awaitsIntent } = call.tool;
    bus.intend({
      callId: call.id,
      tool: call.name,
      argsHash: new Bun.CryptoHasher("sha256").update(canonicalJson(call.input)).digest("hex"),
      summary: call.plan?.summary ?? call.name,
      mutating,
      startedAt: new Date(clock.now()).toISOString(),
    });
    let wasAwaited = false;
    const intentSafe = async () => {
      wasAwaited = true;
      await bus.commit("power");
    };
    const isAwaited = mutating && awaitsIntent === true;
    if (mutating && !isAwaited) await intentSafe();
    const conclude = (outcome: CallOutcome["outcome"]) =>
      bus.conclude(
        { callId: call.id, outcome, completedAt: new Date(clock.now()).toISOString() },
        { mutating },
      );
    let output: ToolOutput;
    try {
      context.signal.throwIfAborted(); // an intent without an outcome would stay orphaned
      output = await next(call, isAwaited ? { ...context, intentSafe } : context);
      assert(
        !isAwaited || wasAwaited || output.isError === true,
        "a tool awaits its intent before it succeeds",
      );
    } catch (thrown) {
      conclude(context.signal.aborted ? "cancelled" : "error");
      throw thrown;
    }
    conclude(output.timedOut ? "timeout" : output.isError ? "error" : "ok");
    return output;
  };
}
