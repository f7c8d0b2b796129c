import { deadline, whileAlive } from "../../base/async/deadline.ts";
import { HarnessError, messageOf } from "../../base/errors.ts";
import type { CallId } from "../../base/ids.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import type { RequestMiddleware } from "../../providers/middleware.ts";
import type { OpenFeature } from "../../session/feature.ts";
import type { SessionHost } from "../../session/host.ts";
import type { ToolMiddleware } from "../../tools/middleware.ts";
import type { ToolContext } from "../../tools/tool.ts";
import type { CommandChanges } from "./cancelled-command.ts";
import type { Checkpoints } from "./checkpoints.ts";
import { checkpointSection } from "./config.ts";
import { checkpointsFolder } from "./store/checkpoints-folder.ts";
import type { Changes } from "./tracking/tracker.ts";

/** Delay after which a request is on its way; the workspace is scanned while its answer is awaited. */
const LOOK_AFTER_MS = 20;

/** Limit for the search after a turn that was cancelled in a command. */
const CHANGES_MS_MAX = 2_000;

/** Time after a turn for which the state of the workspace stays in memory. */
const RELEASE_AFTER_MS = 60_000;

/**
 * Opens checkpoints of one session (SES-15): files are recorded before a turn changes them, and RewindSession
 * restores them. The mechanism is loaded while the first answer is awaited, or by the first call that changes
 * something.
 */
export function openCheckpointsFeature(host: SessionHost): OpenFeature {
  const { world, workspace, publish } = host;
  const keys = settingsOf(checkpointSection, host.plan());
  const isOn = keys.enabled;
  let opening: Promise<Checkpoints> | undefined;
  let lookedFor: number | undefined;
  /** Number of the last turn whose files could not be recorded. */
  let unrecordedTurn: number | undefined;
  const work = new Set<Promise<void>>();
  /** Calls that may have changed something and have not been checked yet. */
  const uncheckedCalls = new Map<CallId, Changes>();
  const stop = new AbortController();
  let idle: Disposable | undefined;

  function open(): Promise<Checkpoints> {
    idle?.[Symbol.dispose]();
    opening ??= (async () => {
      const { openCheckpoints } = await import("./open-checkpoints.ts");
      try {
        return await openCheckpoints(host, keys);
      } catch (thrown) {
        if (thrown instanceof HarnessError) throw thrown;
        const path = checkpointsFolder(host.paths.data);
        throw new HarnessError(
          "CheckpointUnwritable",
          { path, detail: messageOf(thrown) },
          { cause: thrown },
        );
      }
    })();
    const mine = opening;
    // The caller gets a failure; the next call tries again.
    mine.catch(() => {
      if (opening === mine) opening = undefined;
    });
    return mine;
  }

  /** Publishes the failure once in a turn. It is in the log, so that no rewind goes back over it. */
  function tellUnkept({ reason, message, fields }: HarnessError, turn: number): void {
    if (unrecordedTurn === turn) return;
    unrecordedTurn = turn;
    publish({ kind: "Error", payload: { reason, message, details: { ...fields } } });
  }

  /** Runs work that nobody waits for now. It never rejects, and ends before the session does. */
  function beside(promise: Promise<void>): void {
    const held = promise
      .catch((thrown: unknown) => {
        if (stop.signal.aborted) return;
        world.log.for("checkpoint").write("warn", "work beside a turn failed", { what: messageOf(thrown) });
      })
      .finally(() => void work.delete(held));
    work.add(held);
  }

  async function look(signal: AbortSignal): Promise<void> {
    try {
      await world.clock.sleep(LOOK_AFTER_MS, signal);
      await (await open()).prepare(signal);
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
    }
  }

  async function lookAfter(changes: Changes): Promise<void> {
    await (await open()).after(changes, stop.signal);
  }

  /** Finds the changes of a cancelled command. The turn waits for it, so it has a time limit. */
  async function changedBy(context: ToolContext): Promise<CommandChanges> {
    if (!isOn) return { unknown: "files are not kept ([checkpoint] enabled)" };
    if (context.workspace.root !== workspace.root) return { unknown: "it ran in a separate worktree" };
    using limit = deadline(world.clock, CHANGES_MS_MAX, stop.signal);
    try {
      const checkpoints = await whileAlive(open(), limit.signal);
      const paths = await whileAlive(checkpoints.changedSinceScan(limit.signal), limit.signal);
      return paths ?? { unknown: "files are kept only where a call names them" };
    } catch (thrown) {
      world.log.for("checkpoint").write("warn", "a cancelled command's changes are not known", {
        what: messageOf(thrown),
      });
      return { unknown: "the workspace could not be scanned in time" };
    }
  }

  const cancelled: ToolMiddleware = async (call, context, next) => {
    const startMs = world.clock.monotonic();
    try {
      return await next(call, context);
    } catch (thrown) {
      if (!context.signal.aborted || call.plan?.target.kind !== "command") throw thrown;
      const ranMs = world.clock.monotonic() - startMs;
      const changed = context.onlyReads === true ? [] : await changedBy(context);
      const { reportCancelledCommand } = await import("./cancelled-command.ts");
      reportCancelledCommand(context, { ranMs, changed });
      throw thrown;
    }
  };

  const lookAfterwards: ToolMiddleware = async (call, context, next) => {
    try {
      return await next(call, context);
    } finally {
      const changes = uncheckedCalls.get(call.id);
      uncheckedCalls.delete(call.id);
      if (changes !== undefined) beside(lookAfter(changes));
    }
  };

  const keepBefore: ToolMiddleware = async (call, context, next) => {
    // Changes of a sub-agent in its own worktree are kept or removed with that worktree.
    const isOwn = context.workspace.root === workspace.root;
    if (!call.tool.mutating || !isOwn) return await next(call, context);
    const { recordBeforeChange } = await import("./record-before-change.ts");
    const begins = (id: CallId, changes: Changes) => void uncheckedCalls.set(id, changes);
    const keep = recordBeforeChange({ open, isRequired: keys.required ?? false, begins, failed: tellUnkept });
    return await keep(call, context, next);
  };

  const lookBefore: RequestMiddleware = (request, context, next) => {
    if (context.purpose === undefined && lookedFor !== context.turn) {
      lookedFor = context.turn;
      beside(look(AbortSignal.any([context.signal, stop.signal])));
    }
    return next(request, context);
  };

  return {
    around: [
      ...(isOn
        ? ([
            { tool: "watch", run: lookAfterwards },
            { tool: "keep", run: keepBefore },
            { request: "watch", run: lookBefore },
          ] as const)
        : []),
      { tool: "keep", run: cancelled },
    ],
    async onTurnEnd(_reason, { turn }) {
      if (opening === undefined) return;
      try {
        // Also for a cancelled turn: the next turn starts from what it has left.
        await (await opening).endTurn(turn, stop.signal);
      } catch (thrown) {
        if (!(thrown instanceof HarnessError)) throw thrown;
        tellUnkept(thrown, turn);
      }
      idle?.[Symbol.dispose]();
      // Everything is on disk: the state of a large workspace takes memory that an idle session need not use.
      idle = world.clock.timer(RELEASE_AFTER_MS, () => {
        if (work.size === 0) opening = undefined;
      });
    },
    async rewind(command, turn) {
      const { handleRewind } = await import("./rewind/rewind.ts");
      return await handleRewind(command, turn, { host, open });
    },
    async settle() {
      idle?.[Symbol.dispose]();
      stop.abort();
      await Promise.all(work);
    },
  };
}
