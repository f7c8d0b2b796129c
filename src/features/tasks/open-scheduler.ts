import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import type { SessionId } from "../../base/ids.ts";
import { resolveProfile } from "../../config/profile-path.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import type { UnattendedEngine } from "../../session/commands/cli-command.ts";
import type { EngineOptions } from "../../session/options.ts";
import { least } from "../../session/plan.ts";
import { priceOf } from "../../view/costs/cost.ts";
import { followSession, openSubscription } from "../../view/follow.ts";
import { followTurn } from "../../view/follow-turn.ts";
import type { TurnResult } from "../../view/turn-result.ts";
import { openSchedule } from "./open-schedule.ts";
import type { ClaimedRun, RunEnd } from "./schedule/schedule.ts";
import type { ScheduledTask } from "./schedule/scheduled-task.ts";
import type { RunTask } from "./schedule/scheduler.ts";
import { Scheduler } from "./schedule/scheduler.ts";

/** Time limit for a run. */
export const RUN_MS_MAX = 86_400_000;

export interface RunOptions {
  /**
   * Checks the profile of a run: the one that its task names, or the default.
   * @throws HarnessError for a profile that a model may have changed.
   */
  readonly checkProfile: (named: string | undefined, cwd: string) => Promise<void>;
  /** Receives the model's last answer. */
  readonly onAnswer?: (text: string) => void;
  /** Time limit for each run, unless the task has a shorter one. */
  readonly maxTimeMs?: number;
}

/** Returns a scheduler that runs tasks in an engine, each in a separate unattended session. */
export function openScheduler(
  options: Pick<EngineOptions, "world" | "paths">,
  engine: Pick<UnattendedEngine, "openUnattended" | "attach">,
  runOptions: RunOptions,
): Scheduler {
  const { world } = options;
  return new Scheduler({
    world,
    schedule: openSchedule(options),
    run: runIn(engine, options, runOptions),
  });
}

function runIn(
  engine: Pick<UnattendedEngine, "openUnattended" | "attach">,
  { world }: Pick<EngineOptions, "world">,
  { checkProfile, onAnswer, maxTimeMs }: RunOptions,
): RunTask {
  return async function run({ task }: ClaimedRun, begun, signal): Promise<RunEnd> {
    const request = requestOf(task, maxTimeMs);
    await checkProfile(request.profile, task.cwd);
    const session = await engine.openUnattended(request);
    const connection = await engine.attach({ identityClass: "agent", label: `schedule ${task.name}` });
    const leave = new AbortController();
    using _limit = world.clock.timer(RUN_MS_MAX, () =>
      leave.abort(new Error(`it took longer than ${RUN_MS_MAX / 3_600_000} h`)),
    );
    const until = AbortSignal.any([signal, leave.signal]);
    try {
      await begun(session);
      await connection.handshake(PROTOCOL_VERSION);
      const result = await turnOf(connection, { session, prompt: task.prompt, signal: until });
      onAnswer?.(result.text);
      return endOf(result, session);
    } catch (thrown) {
      if (leave.signal.aborted) throw leave.signal.reason;
      throw thrown;
    } finally {
      // Its log stays; a session that has done its work need not stay open.
      await connection.send({ kind: "EndSession", sessionId: session }).catch((thrown: unknown) => {
        if (!(thrown instanceof HarnessError)) throw thrown; // the engine ends, and every session with it
      });
    }
  };
}

function requestOf(task: ScheduledTask, msMax: number | undefined): CommandOf<"CreateSession"> {
  const { profile, model, cwd: workingDir, level, maxTurns, maxCostUsd } = task;
  const maxTimeMs = least(task.maxTimeMs, msMax);
  // The folder in which the engine was started does not matter for a task.
  const named = profile === undefined ? undefined : resolveProfile(profile, workingDir);
  return {
    kind: "CreateSession",
    workingDir,
    ...defined({ profile: named, model }),
    run: {
      ...defined({ level, maxTurns, maxCostUsd, maxTimeMs }),
    },
  };
}

interface Sending {
  readonly session: SessionId;
  readonly prompt: string;
  readonly signal: AbortSignal;
}

type Attached = Awaited<ReturnType<UnattendedEngine["attach"]>>;

async function turnOf(connection: Attached, { session, prompt, signal }: Sending): Promise<TurnResult> {
  // The subscription is open before anything can happen in the turn.
  const events = openSubscription(followSession(connection, session, { signal }));
  const { inputId } = await connection.send({
    kind: "SendInput",
    sessionId: session,
    content: [{ type: "text", text: prompt }],
  });
  const sent = { by: connection.clientId, inputId };
  const result = await followTurn(events, sent).catch((thrown: unknown) => {
    signal.throwIfAborted();
    throw thrown;
  });
  if (result === "withdrawn") throw new HarnessError("EngineStopping", {});
  return result;
}

function endOf(result: TurnResult, session: SessionId): RunEnd {
  const { reason, error, refused, cost } = result;
  const run = { session, costUsd: priceOf(cost) };
  switch (reason) {
    case "complete":
    case "yield":
      return {
        ...run,
        outcome: "done",
        ...(refused === 0
          ? {}
          : { refused, detail: `calls that nobody had allowed did not run: ${refused}` }),
      };
    case "turn_limit":
    case "budget":
    case "time_limit":
      return { ...run, outcome: "limit", detail: error?.message ?? reason };
    case "cancelled":
      return { ...run, outcome: "stopped" };
    default:
      return { ...run, outcome: "failed", detail: error?.message ?? reason ?? "it did not end" };
  }
}
