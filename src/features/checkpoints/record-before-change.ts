import { HarnessError } from "../../base/errors.ts";
import type { CallId } from "../../base/ids.ts";
import type { ToolCall, ToolMiddleware } from "../../tools/middleware.ts";
import type { Checkpoints, RecordedCall } from "./checkpoints.ts";
import type { Changes } from "./tracking/tracker.ts";

/** Opens checkpoints; called when a call is about to change something, since nothing of them is needed before. */
export type OpenCheckpoints = () => Promise<Checkpoints>;

export interface RecordingOptions {
  readonly open: OpenCheckpoints;
  /** True if a call whose files cannot be recorded must not run. */
  readonly isRequired: boolean;
  /** Called before a call runs, with what it may change. */
  begins(call: CallId, recorded: RecordedCall): void;
  /** Called if the files of a call that runs all the same could not be recorded. */
  failed(failure: HarnessError, turn: number): void;
}

/**
 * Records files before a call changes them (SES-15). If that fails, it is reported and the call runs.
 * @throws HarnessError CheckpointRequired; the signal's reason.
 */
export function recordBeforeChange({ open, isRequired, begins, failed }: RecordingOptions): ToolMiddleware {
  return async function checkpoint(call, context, next) {
    const changes = context.onlyReads === true ? undefined : changesOf(call);
    if (changes === undefined) return await next(call, context);
    let recorded: RecordedCall = { changes, turn: context.turn };
    try {
      const { turn, signal, emit } = context;
      recorded = await (await open()).before(changes, { turn, call: call.id, signal, emit });
    } catch (thrown) {
      context.signal.throwIfAborted();
      if (!(thrown instanceof HarnessError)) throw thrown;
      if (isRequired)
        throw new HarnessError("CheckpointRequired", { detail: thrown.message }, { cause: thrown });
      failed(thrown, context.turn);
    }
    begins(call.id, recorded);
    return await next(call, context);
  };
}

/** Returns what a call may change; undefined for a call that changes no file. */
function changesOf({ tool, plan }: ToolCall): Changes | undefined {
  if (!tool.mutating || plan === undefined) return undefined;
  const { target } = plan;
  if (target.kind === "command") return "anything";
  if (target.kind !== "paths") return undefined;
  const paths = target.paths.flatMap(({ path, access }) => (access === "write" ? [path] : []));
  return paths.length === 0 ? undefined : paths;
}
