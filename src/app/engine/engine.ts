import type { CallId, LogId, SessionId } from "../../base/ids.ts";
import type { EngineHost, SessionHost } from "../../session/host.ts";
import type { CarriedState } from "../../session/moments.ts";
import type { Limits, SessionPlan } from "../../session/plan.ts";
import type { Config } from "../../session/settings/settings.ts";
import type { DelegatedTask, DelegateRequest } from "../../session/spawn.ts";
import type { LossNotices } from "../../session/store/loss-notices.ts";
import type { Providers } from "../models/providers.ts";
import type { EngineFeatures } from "../session/open-features.ts";
import type { RetentionSweep } from "../sessions/retention/sweep.ts";
import type { LiveSessions } from "./live-sessions.ts";
import type { HarnessOptions } from "./options.ts";

/** Resources that the sessions of one engine share. */
export interface Engine {
  readonly options: HarnessOptions;
  /** Working directory that the engine was started in, resolved. */
  readonly workingDir: string;
  readonly host: EngineHost;
  readonly providers: Providers;
  readonly features: EngineFeatures;
  readonly live: LiveSessions;
  /** Losses of the store that no person was shown yet. */
  readonly losses: Pick<LossNotices, "look" | "tell">;
  /** Destroys old content in the background of the first request. */
  readonly retention: Pick<RetentionSweep, "expireContent">;
  /** Removes a session that has ended, if it was never used. */
  removeUnused(logId: LogId): Promise<void>;
  /** Called for each call that waits for a person's permission. */
  readonly onAsked: (session: SessionId, tool: string) => void;
  /** Runs a task in a session below another one. */
  delegate(parent: DelegatingSession, request: DelegateRequest): Promise<DelegatedTask>;
}

/** A session that delegates a task, and the rest of its limits. */
export interface DelegatingSession extends Pick<SessionHost, "session" | "logId"> {
  /** State that the task's session begins with. */
  readonly carried: CarriedState;
  readonly plan: SessionPlan;
  readonly config: Config;
  readonly workingDir: string;
  readonly callId: CallId;
  readonly remaining: Pick<Limits, "maxTurns" | "maxCostUsd" | "maxTimeMs">;
}
