import { deadline, whileAlive } from "../../base/async/deadline.ts";
import { HarnessError, messageOf } from "../../base/errors.ts";
import type { CallId } from "../../base/ids.ts";
import type { Log } from "../../base/log.ts";
import type { World } from "../../base/world.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import type { SettingsOf } from "../../session/config-section.ts";
import type { Around, OpenFeature } from "../../session/feature.ts";
import type { SessionHost } from "../../session/host.ts";
import type { ToolMiddleware } from "../../tools/middleware.ts";
import type { ToolContext } from "../../tools/tool.ts";
import type { CommandChanges } from "./cancelled-command.ts";
import type { Checkpoints, RecordedCall } from "./checkpoints.ts";
import { checkpointSection } from "./config.ts";
import type { OpenCheckpoints, RecordingOptions } from "./record-before-change.ts";
import { checkpointsFolder } from "./store/checkpoints-folder.ts";

/** Limit for the search after a turn that was cancelled in a command. */
const CHANGES_MS_MAX = 2_000;

/** Time after a turn for which the state of the workspace stays in memory. */
const RELEASE_AFTER_MS = 60_000;

/**
 * Opens checkpoints of one session (SES-15): files are recorded before a turn changes them, and RewindSession restores
 * them. The first call that changes something loads the mechanism and scans the workspace: a session that only reads
 * pays for neither.
 */
export function openCheckpointsFeature(host: SessionHost): OpenFeature {
  const { world, workspace, publish } = host;
  const keys = settingsOf(checkpointSection, host.plan());
  const isOn = keys.enabled;
  const checkpoints = new LazyCheckpoints(host, keys);
  const work = new BackgroundWork(world.log);
  const open = () => checkpoints.open();
  /** Number of the last turn whose files could not be recorded. */
  let unrecordedTurn: number | undefined;

  const userCommands = new UserCommands({ log: world.log, checkpoints, work });

  let lastTurn: { readonly turn: number; readonly files: readonly string[] } | undefined;

  /** Publishes the failure once in a turn. It is in the log, so that no rewind goes back over it. */
  function reportUnrecorded({ reason, message, fields }: HarnessError, turn: number): void {
    if (unrecordedTurn === turn) return;
    unrecordedTurn = turn;
    publish({ kind: "Error", payload: { reason, message, details: { ...fields } } });
  }

  /** Finds the changes of a cancelled command. The turn waits for it, so it has a time limit. */
  async function changedBy(context: ToolContext): Promise<CommandChanges> {
    if (!isOn) return { unknown: "files are not kept ([checkpoint] enabled)" };
    if (context.workspace.root !== workspace.root) return { unknown: "it ran in a separate worktree" };
    const by = context.byUser === true ? "user" : "calls";
    return await changesSinceScan({ world, open, by }, work.signal);
  }

  return {
    around: [
      ...(isOn
        ? recordingMiddleware({
            ...{ workspace, open, work, userCommands },
            isRequired: keys.required ?? false,
            failed: reportUnrecorded,
          })
        : []),
      { tool: "keep", run: reportCancelled(world, changedBy) },
    ],
    async onTurnEnd(_reason, { turn }) {
      const { opening } = checkpoints;
      if (opening === undefined) return;
      try {
        // Also for a cancelled turn: the next turn starts from what it has left.
        const files = await (await opening).endTurn(turn, work.signal);
        lastTurn = files === undefined ? undefined : { turn, files };
      } catch (thrown) {
        if (!(thrown instanceof HarnessError)) throw thrown;
        reportUnrecorded(thrown, turn);
      }
      userCommands.turnEnded();
    },
    turnFiles: (turn) => (lastTurn?.turn === turn ? lastTurn.files : undefined),
    async rewind(command, turn) {
      const { handleRewind } = await import("./rewind/rewind.ts");
      return await handleRewind(command, turn, { host, open });
    },
    queries: {
      async GetChanges(query, { signal }) {
        const { sessionChanges } = await import("./changes/answer-changes.ts");
        const opened = await checkpoints.opening;
        return await sessionChanges(query, { host, opened }, signal);
      },
    },
    async settle() {
      checkpoints.cancelRelease();
      await work.settle();
    },
  };
}

/** The checkpoints of a session, which are opened at their first use and released while the session is idle. */
class LazyCheckpoints {
  readonly #host: SessionHost;
  readonly #keys: CheckpointKeys;
  #opening: Promise<Checkpoints> | undefined;
  #release: Disposable | undefined;

  constructor(host: SessionHost, keys: CheckpointKeys) {
    this.#host = host;
    this.#keys = keys;
  }

  /** Checkpoints that are open or being opened; undefined if nothing has needed them. */
  get opening(): Promise<Checkpoints> | undefined {
    return this.#opening;
  }

  /** @throws HarnessError CheckpointUnwritable, CheckpointsDamaged. */
  open(): Promise<Checkpoints> {
    this.cancelRelease();
    this.#opening ??= this.#load();
    const mine = this.#opening;
    // The caller gets a failure; the next call tries again.
    mine.catch(() => {
      if (this.#opening === mine) this.#opening = undefined;
    });
    return mine;
  }

  async #load(): Promise<Checkpoints> {
    const { openCheckpoints } = await import("./open-checkpoints.ts");
    try {
      return await openCheckpoints(this.#host, this.#keys);
    } catch (thrown) {
      if (thrown instanceof HarnessError) throw thrown;
      const path = checkpointsFolder(this.#host.paths.data);
      throw new HarnessError("CheckpointUnwritable", { path, detail: messageOf(thrown) }, { cause: thrown });
    }
  }

  /**
   * Releases the checkpoints after a while without use. Everything is on disk: the state of a large workspace takes
   * memory that an idle session need not use.
   */
  releaseLater(mayRelease: () => boolean): void {
    this.cancelRelease();
    this.#release = this.#host.world.clock.timer(RELEASE_AFTER_MS, () => {
      if (mayRelease()) this.#opening = undefined;
    });
  }

  cancelRelease(): void {
    this.#release?.[Symbol.dispose]();
  }
}

type CheckpointKeys = SettingsOf<typeof checkpointSection>;

/** Work beside the turns, which nobody waits for before the session ends. */
class BackgroundWork {
  readonly #log: Log;
  readonly #running = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Aborted at the end of the session. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** Takes over a promise and logs its failure. */
  add(promise: Promise<void>): void {
    const running = promise
      .catch((thrown: unknown) => {
        if (this.signal.aborted) return;
        this.#log.for("checkpoint").write("warn", "work beside a turn failed", { what: messageOf(thrown) });
      })
      .finally(() => void this.#running.delete(running));
    this.#running.add(running);
  }

  async settle(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }
}

interface UserCommandsOptions {
  readonly log: Log;
  readonly checkpoints: LazyCheckpoints;
  readonly work: BackgroundWork;
}

/** The commands that the user runs by themselves (RunShell). What they change is the user's: a rewind spares it. */
class UserCommands {
  readonly #options: UserCommandsOptions;
  readonly #running = new Map<CallId, Checkpoints>();
  /** True once a call of the turn that runs has been recorded: then the end of the turn releases. */
  #isTurnRecorded = false;

  constructor(options: UserCommandsOptions) {
    this.#options = options;
  }

  turnRecords(): void {
    this.#isTurnRecorded = true;
  }

  turnEnded(): void {
    this.#isTurnRecorded = false;
    this.#releaseLater();
  }

  #releaseLater(): void {
    const { checkpoints, work } = this.#options;
    if (!this.#isTurnRecorded) checkpoints.releaseLater(() => work.isIdle && this.#running.size === 0);
  }

  /** Resolves when a command may begin. It is not held back if its changes cannot be found. */
  async begins(call: CallId, signal: AbortSignal): Promise<void> {
    const { checkpoints, log } = this.#options;
    try {
      const opened = await checkpoints.open();
      await opened.userBegins(signal);
      this.#running.set(call, opened);
    } catch (thrown) {
      signal.throwIfAborted();
      const what = messageOf(thrown);
      log.for("checkpoint").write("warn", "the files before a command of the user are not known", { what });
    }
  }

  /** Ends a command, if it has begun. */
  ends(call: CallId): void {
    const checkpoints = this.#running.get(call);
    const { work } = this.#options;
    if (checkpoints === undefined) return;
    const seen = async () => {
      await checkpoints.userEnds(work.signal);
      this.#running.delete(call);
      this.#releaseLater();
    };
    work.add(seen());
  }
}

interface Recording extends Pick<RecordingOptions, "open" | "isRequired" | "failed"> {
  readonly workspace: SessionHost["workspace"];
  readonly work: BackgroundWork;
  readonly userCommands: UserCommands;
}

/** Returns middleware that records files before a call changes them, and finds the changes afterwards. */
function recordingMiddleware({ workspace, work, userCommands, ...recording }: Recording): readonly Around[] {
  const { open } = recording;
  /** Calls that may have changed something and have not been checked yet. */
  const uncheckedCalls = new Map<CallId, RecordedCall>();

  async function findChanges(recorded: RecordedCall): Promise<void> {
    await (await open()).after(recorded, work.signal);
  }

  const lookAfterwards: ToolMiddleware = async (call, context, next) => {
    try {
      return await next(call, context);
    } finally {
      userCommands.ends(call.id);
      const recorded = uncheckedCalls.get(call.id);
      uncheckedCalls.delete(call.id);
      if (recorded !== undefined) work.add(findChanges(recorded));
    }
  };

  const recordBefore: ToolMiddleware = async (call, context, next) => {
    // Changes of a sub-agent in its own worktree are kept or removed with that worktree.
    const isOwn = context.workspace.root === workspace.root;
    if (!call.tool.mutating || !isOwn) return await next(call, context);
    if (context.byUser === true) {
      if (context.onlyReads !== true) await userCommands.begins(call.id, context.signal);
      return await next(call, context);
    }
    userCommands.turnRecords();
    const { recordBeforeChange } = await import("./record-before-change.ts");
    const begins = (id: CallId, recorded: RecordedCall) => void uncheckedCalls.set(id, recorded);
    return await recordBeforeChange({ ...recording, begins })(call, context, next);
  };

  return [
    { tool: "watch", run: lookAfterwards },
    { tool: "keep", run: recordBefore },
  ];
}

interface SearchForChanges {
  readonly world: Pick<World, "clock" | "log">;
  readonly open: OpenCheckpoints;
  readonly by: "calls" | "user";
}

async function changesSinceScan(
  { world: { clock, log }, open, by }: SearchForChanges,
  signal: AbortSignal,
): Promise<CommandChanges> {
  using limit = deadline(clock, CHANGES_MS_MAX, signal);
  try {
    const checkpoints = await whileAlive(open(), limit.signal);
    const paths = await whileAlive(checkpoints.changedSinceScan(by, limit.signal), limit.signal);
    return paths ?? { unknown: "files are kept only where a call names them" };
  } catch (thrown) {
    log.for("checkpoint").write("warn", "a cancelled command's changes are not known", {
      what: messageOf(thrown),
    });
    return { unknown: "the workspace could not be scanned in time" };
  }
}

/** Returns middleware that reports the changes of a command that was cancelled while it ran. */
function reportCancelled(
  { clock }: Pick<World, "clock">,
  changedBy: (context: ToolContext) => Promise<CommandChanges>,
): ToolMiddleware {
  return async function cancelledCommand(call, context, next) {
    const startMs = clock.monotonic();
    try {
      return await next(call, context);
    } catch (thrown) {
      if (!context.signal.aborted || call.plan?.target.kind !== "command") throw thrown;
      const ranMs = clock.monotonic() - startMs;
      const changed = context.onlyReads === true ? [] : await changedBy(context);
      const { reportCancelledCommand } = await import("./cancelled-command.ts");
      reportCancelledCommand(context, { ranMs, changed });
      throw thrown;
    }
  };
}
