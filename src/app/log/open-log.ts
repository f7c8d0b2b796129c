import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import type { LogId, SessionId } from "../../base/ids.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { EffortWord } from "../../protocol/effort.ts";
import type { ChosenModel } from "../../providers/choosing/choose-model.ts";
import type { OpenedLog, ResumedLog } from "../../session/history/resumed-log.ts";
import type { EngineHost } from "../../session/host.ts";
import type { DelegatingCall } from "../../session/plan.ts";
import type { LogInfo, SessionStore } from "../../session/store/store.ts";
import type { FeatureSet } from "../plan/feature-set.ts";
import { resumeLog } from "./resume.ts";

/** Returns the log to continue, in its earlier working directory. */
export async function previousRun(
  { resume }: CommandOf<"CreateSession">,
  store: SessionStore,
): Promise<LogInfo | undefined> {
  if (resume === undefined) return undefined;
  const before = await store.find(resume);
  if (before === undefined) throw new HarnessError("SessionMissing", { id: resume });
  return before;
}

const NEW_LOG: ResumedLog = { history: [], recovered: [], lastTurn: 0 };

export interface LogToOpen {
  readonly session: SessionId;
  readonly logId: LogId;
  readonly workingDir: string;
  /** Name or path that loads it. */
  readonly profile: string;
  readonly chosen: ChosenModel;
  /** Effort of thinking, if a client chose one. */
  readonly effort?: EffortWord;
  readonly isNew: boolean;
  /** Call that the session works for. */
  readonly delegatedBy?: DelegatingCall;
  /** Log of the session that it follows. */
  readonly previousLog?: LogId;
  /** True if it has this profile and this model from now on. */
  readonly isChanged: boolean;
}

export async function openSessionLog(
  log: LogToOpen,
  { world, store }: Pick<EngineHost, "world" | "store">,
  { features }: Pick<FeatureSet, "features">,
): Promise<OpenedLog> {
  const { session, logId, workingDir, profile, chosen, effort, isNew, isChanged, previousLog, delegatedBy } =
    log;
  const holder = { pid: world.machine.pid, processStart: world.machine.processStart };
  const model = `${chosen.provider}:${chosen.model}`;
  if (!isNew) {
    const writer = await store.open(logId, session, holder, isChanged ? { profile, model } : undefined);
    return { writer, isOld: true, resumed: await resumeLog(store, logId, features) };
  }
  const createdAt = new Date(world.clock.now()).toISOString();
  // It is listed below the session that started it, of which it has no event: its own first event names it.
  const origin = delegatedBy?.logId ?? previousLog;
  const branchOf = origin === undefined ? {} : { branchOf: { logId: origin, at: 1 } };
  const thinking = defined({ effort });
  const start = { logId, session, workingDir, profile, model, ...thinking, createdAt, ...branchOf };
  const writer = await store.create(start, holder);
  return { writer, isOld: false, resumed: NEW_LOG };
}
