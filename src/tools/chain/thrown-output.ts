import { DeadlineReached, framesOf, HarnessError, messageOf } from "../../base/errors.ts";
import type { ToolCall } from "../middleware.ts";
import { errorOutput } from "../output.ts";
import type { ToolContext, ToolOutput } from "../tool.ts";
import { ToolFailure } from "../tool.ts";

/**
 * Converts what a tool threw into a result that the model sees, or rethrows it.
 *
 * Rethrows the reason of an aborted signal, and a `HarnessError`, which ends the turn. Anything else that is no
 * `ToolFailure` is a bug of the tool: the model is informed, the log gets the stack, and the turn continues (ENG-12).
 */
export function thrownOutput(thrown: unknown, call: ToolCall, context: ToolContext): ToolOutput {
  const { signal } = context;
  // A tool's text about the limit that it reached is worth showing; after a cancel nobody needs it.
  if (signal.aborted && !(thrown instanceof ToolFailure && signal.reason instanceof DeadlineReached)) {
    throw signal.reason;
  }
  if (thrown instanceof ToolFailure) return errorOutput(thrown.message);
  if (thrown instanceof HarnessError) throw thrown;
  context.world.log.for("tool").write("error", "a tool threw", {
    tool: call.name,
    call: call.id,
    error: thrown instanceof Error ? thrown.name : typeof thrown,
    at: framesOf(thrown),
  });
  return errorOutput(`internal error in ${call.name}: ${messageOf(thrown)}`);
}
