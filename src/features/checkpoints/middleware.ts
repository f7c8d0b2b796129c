import { HarnessError } from "../../base/errors.ts";
import type { CallId } from "../../base/ids.ts";
import type { ToolCall, ToolMiddleware } from "../../tools/middleware.ts";
import type { Checkpoints } from "./checkpoints.ts";
import type { Changes } from "./tracking/tracker.ts";

/** Asked for when a call is about to change something: until then nothing of this is needed. */
export type OpenCheckpoints = () => Promise<Checkpoints>;

export interface Keeping {
  readonly open: OpenCheckpoints;
  /** A call whose files cannot be kept is not run. */
  readonly isRequired: boolean;
  /** Told what a call may change before it runs. */
  begins(call: CallId, changes: Changes): void;
  /** Told why the files of a call that runs all the same could not be kept. */
  failed(failure: HarnessError, turn: number): void;
}

/**
 * Has files kept before a call changes them (SES-15). Where that fails, it is told and the call runs.
 * @throws HarnessError CheckpointRequired; the signal's reason.
 */
export function keepBeforeChange({ open, isRequired, begins, failed }: Keeping): ToolMiddleware {
  return async function checkpoint(call, context, next) {
    const changes = context.onlyReads === true ? undefined : changesOf(call);
    if (changes === undefined) return await next(call, context);
    try {
      await (await open()).before(changes, context);
    } catch (thrown) {
      context.signal.throwIfAborted();
      if (!(thrown instanceof HarnessError)) throw thrown;
      if (isRequired)
        throw new HarnessError("CheckpointRequired", { detail: thrown.message }, { cause: thrown });
      failed(thrown, context.turn);
    }
    begins(call.id, changes);
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
