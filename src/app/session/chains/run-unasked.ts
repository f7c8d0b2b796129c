import type { SessionPermissions } from "../../../session/guard/permissions.ts";
import { catchFailures } from "../../../tools/chain/catch-failures.ts";
import { prepareCall } from "../../../tools/chain/validate.ts";
import type { ToolCall, ToolMiddleware } from "../../../tools/middleware.ts";
import { chainTool } from "../../../tools/middleware.ts";
import type { ToolContext, ToolOutput } from "../../../tools/tool.ts";
import { ToolFailure } from "../../../tools/tool.ts";

/** Parts of a session that judge a call of its own. */
export interface UnaskedDependencies {
  /** Tool middleware at the place of hooks: a hook guards these calls too. */
  readonly hooks: readonly ToolMiddleware[];
  readonly permissions: SessionPermissions;
}

/**
 * Runs a tool call for an input, as the model could run it without asking anybody. Resolves to an error output if the
 * call is invalid, a hook refuses it, or a person would have to be asked.
 */
export async function runUnasked(
  call: ToolCall,
  context: ToolContext,
  { hooks, permissions }: UnaskedDependencies,
): Promise<ToolOutput> {
  const prepared = await prepareCall(call, context);
  if (prepared.kind === "refused") return prepared.output;
  const run = chainTool([catchFailures(), ...hooks], async (judged, at) => {
    if (judged.plan === undefined || !(await permissions.goesUnasked(judged, at)))
      throw new ToolFailure("it is not read unasked; the model can ask for it");
    return await judged.tool.run(judged.plan, at);
  });
  return await run(prepared.call, context);
}
