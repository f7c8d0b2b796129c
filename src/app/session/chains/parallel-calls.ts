import type { SessionPermissions } from "../../../session/guard/permissions.ts";
import type { Profile } from "../../../session/settings/settings.ts";
import { prepareCall } from "../../../tools/chain/validate.ts";
import type { ToolCall } from "../../../tools/middleware.ts";
import type { ToolContext } from "../../../tools/tool.ts";
import type { ComposeDependencies } from "./compose-session.ts";

/**
 * Returns the test for calls of one answer that may run at the same time, if the profile has opted in to that (ENG-20):
 * those that change nothing and need no approval. A call that is refused runs alone, as one that cannot be planned
 * does. So does a command that is known to only read, and which a failure of another that reads does not stop.
 */
export function parallelCalls(
  { toolExecution }: Pick<Profile, "toolExecution">,
  permission: SessionPermissions,
): Pick<ComposeDependencies, "mayRunBeside"> {
  if (toolExecution !== "parallel-read-only") return {};
  return {
    async mayRunBeside(call: ToolCall, context: ToolContext) {
      if (call.tool.alone === true) return false;
      const prepared = await prepareCall(call, context);
      if (prepared.kind !== "ready") return false;
      if (!call.tool.mutating) return await permission.goesUnasked(prepared.call, context);
      return (await permission.onlyReads(prepared.call, context)) && "alone";
    },
  };
}
