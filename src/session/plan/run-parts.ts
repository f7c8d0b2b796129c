import type { Providers } from "../../app/models/providers.ts";
import type { RetentionSweep } from "../../app/sessions/retention.ts";
import type { CacheBudget } from "../../base/cache-budget.ts";
import type { CallId, LogId, SessionId } from "../../base/ids.ts";
import type { Config } from "../../config/config.ts";
import type { EngineServers } from "../../features/mcp/mcp-pool.ts";
import type { PluginHost } from "../../features/plugins/plugin-host.ts";
import type { PrepareSwitch } from "../../features/profiles/profile-switch.ts";
import type { EngineTelemetry } from "../../features/telemetry/telemetry.ts";
import type { Level, ToolTable } from "../../tools/tool-facts.ts";
import type { OfferedBySessions } from "../session-offers.ts";
import type { DelegatedTask, DelegateRequest } from "../spawn.ts";
import type { LossNotices } from "../store/loss-notices.ts";
import type { SessionStore } from "../store/store.ts";
import type { HarnessOptions } from "./options.ts";

/** What every session of one engine starts from. */
export interface RunDefaults extends HarnessOptions {
  readonly config: Config;
  /** Every tool that cinch itself can have. */
  readonly tools: ToolTable;
  /** What all caches of the engine share (SES-12). */
  readonly caches: CacheBudget;
  readonly providers: Providers;
  readonly store: SessionStore;
  /** Losses of the store that no person was shown yet. */
  readonly losses: Pick<LossNotices, "look" | "tell">;
  /** Set for a session whose notices no person reads: that of a schedule or of an agent. */
  readonly unread?: true;
  /** Lets go of old content in the background of the first request. */
  readonly retention: Pick<RetentionSweep, "middleware">;
  /** The MCP servers that the sessions share. */
  readonly servers: EngineServers;
  /** What the live sessions have to show. */
  readonly offered: OfferedBySessions;
  /** How each of them goes on under another profile. */
  readonly switches: Map<SessionId, PrepareSwitch>;
  /** What tells OpenTelemetry. */
  readonly telemetry: Pick<EngineTelemetry, "open" | "problems" | "above">;
  /** The plugins of this engine, loaded with the first call. */
  readonly pluginHost: () => Promise<PluginHost>;
  /** Opens sessions below others; absent where there are no further sessions. */
  readonly delegate?: (parent: DelegatingSession, request: DelegateRequest) => Promise<DelegatedTask>;
  /** Set for a session that does a task of another one's: by whose call (ENG-23). */
  readonly delegatedBy?: DelegatingCall;
  /** Calls of one answer run one at a time, whatever the profile says (ENG-04). */
  readonly sequentialCalls?: true;
  /** What a client has said for this session alone, which narrows it. */
  readonly begun?: Limits;
  /** Set where an agent has asked for the session: what that is held to, beside whatever else holds. It only takes away. */
  readonly atMost?: Limits;
  /** Told of each call that waits for a person's permission. */
  readonly onAsked?: (session: SessionId, tool: string) => void;
}

/** What a session may do at most; what is absent is not limited. */
export interface Limits {
  readonly level?: Level;
  /** What is above the level is refused, and nobody asked. */
  readonly strict?: true;
  /** Rounds with the model in one turn. */
  readonly maxTurns?: number;
  /** US dollars. */
  readonly maxCostUsd?: number;
  /** Wall-clock time of one turn, in milliseconds. */
  readonly maxTimeMs?: number;
}

/** The call of a session that another session works for. */
export interface DelegatingCall {
  readonly session: SessionId;
  readonly logId: LogId;
  readonly callId: CallId;
}

/** A session that hands a task on, with what the one below it begins from. */
export interface DelegatingSession extends Omit<DelegatingCall, "callId"> {
  readonly profile: string;
  readonly workingDir: string;
  /** Whether nothing is to be changed now. */
  readonly planMode: boolean;
  readonly defaults: RunDefaults;
  /** US dollars that may still be spent; absent: without a cap. */
  readonly maxCostUsd?: number;
  /** Rounds that the turn above may still begin. */
  readonly maxTurns: number;
  /** Milliseconds that the turn above has left; absent: no limit. */
  readonly maxTimeMs?: number;
}
