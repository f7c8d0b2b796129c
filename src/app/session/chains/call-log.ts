import type { ToolMiddleware } from "../../../tools/middleware.ts";

/**
 * Writes each finished call of a tool to the operational log (LOG-01): its name, its outcome and its duration. Neither
 * arguments nor output are in it.
 */
export const callLog: ToolMiddleware = async (call, context, next) => {
  const { world, session, turn, signal } = context;
  const startMs = world.clock.monotonic();
  const write = (outcome: string) => {
    const ms = Math.round(world.clock.monotonic() - startMs);
    world.log.for("engine").write("debug", "tool call ended", {
      session,
      turn,
      callId: call.id,
      tool: call.name,
      outcome,
      ms,
    });
  };
  try {
    const output = await next(call, context);
    write(output.isError ? "failed" : "ok");
    return output;
  } catch (thrown) {
    write(signal.aborted ? "cancelled" : "broken");
    throw thrown;
  }
};
