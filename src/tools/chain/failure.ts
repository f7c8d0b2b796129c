import { DeadlineReached, framesOf, HarnessError, messageOf } from "../../base/errors.ts";
import type { ToolCall } from "../middleware.ts";
import { fails } from "../output.ts";
import type { ToolContext, ToolOutput } from "../tool.ts";
import { ToolFailure } from "../tool.ts";

/**
 * What a throw of a tool means: a result that the model sees, or something that is thrown on.
 *
 * Thrown on are the reason of an aborted signal, and a `HarnessError`, which ends the turn. Whatever else is no
 * `ToolFailure` is a bug of the tool: the model is told so, the log gets where it happened, and the turn goes on (ENG-12).
 */
export function outputOf(thrown: unknown, call: ToolCall, context: ToolContext): ToolOutput {
  const { signal } = context;
  // What a tool says about the limit it ran into is worth showing; about a cancel nobody asks any more.
  if (signal.aborted && !(thrown instanceof ToolFailure && signal.reason instanceof DeadlineReached)) {
    throw signal.reason;
  }
  if (thrown instanceof ToolFailure) return fails(thrown.message);
  if (thrown instanceof HarnessError) throw thrown;
  context.world.log.for("tool").write("error", "a tool threw", {
    tool: call.name,
    call: call.id,
    error: thrown instanceof Error ? thrown.name : typeof thrown,
    at: framesOf(thrown),
  });
  return fails(`internal error in ${call.name}: ${messageOf(thrown)}`);
}
