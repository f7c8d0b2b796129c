import type { CallId } from "../base/ids.ts";
import type { ToolCall, ToolMiddleware } from "../tool/middleware.ts";
import type { Changes, Checkpoints } from "./checkpoints.ts";

/** Asked for when a call is about to change something: until then nothing of this is needed. */
export type OpenCheckpoints = () => Promise<Checkpoints>;

/**
 * Has files kept before a call changes them (SES-15). A call whose files cannot be kept is not run.
 * @param kept is told what a call may change, once that is kept.
 * @throws HarnessError CheckpointUnwritable.
 */
export function keepBeforeChange(
  open: OpenCheckpoints,
  kept: (call: CallId, changes: Changes) => void,
): ToolMiddleware {
  return async function checkpoint(call, context, next) {
    const changes = changesOf(call);
    if (changes === undefined) return await next(call, context);
    await (await open()).before(changes, context);
    kept(call.id, changes);
    return await next(call, context);
  };
}

/** Undefined for a call that changes no file. */
function changesOf({ tool, plan }: ToolCall): Changes | undefined {
  if (!tool.mutating || plan === undefined) return undefined;
  const { target } = plan;
  if (target.kind === "command") return "anything";
  if (target.kind !== "paths") return undefined;
  const paths = target.paths.flatMap(({ path, access }) => (access === "write" ? [path] : []));
  return paths.length === 0 ? undefined : paths;
}
