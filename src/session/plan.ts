import type { CallId, LogId, SessionId } from "../base/ids.ts";
import type { SessionMcpServer } from "../protocol/commands/session-servers.ts";
import type { EffortWord } from "../protocol/effort.ts";
import type { Level, ToolTable } from "../tools/tool-facts.ts";
import type { Policy } from "./guard/policy.ts";
import type { TrustKind } from "./guard/trust.ts";
import type { OrphanFate } from "./history/unfinished.ts";
import type { Config, Profile, ProjectSettings } from "./settings/settings.ts";

/** Limits of a session. An absent limit is not set. */
export interface Limits {
  readonly level?: Level;
  /** Calls above the level are refused, and nobody is asked. */
  readonly strict?: true;
  /** Rounds with the model in one turn. */
  readonly maxTurns?: number;
  /** US dollars. */
  readonly maxCostUsd?: number;
  /** Wall-clock time of one turn, in milliseconds. */
  readonly maxTimeMs?: number;
}

/** A tool call of one session that another session works for. */
export interface DelegatingCall {
  readonly session: SessionId;
  readonly logId: LogId;
  readonly callId: CallId;
}

/** Wishes for one session, from flags and from the client that asked for it. */
export interface SessionWishes {
  /** Environment of the person's terminal. Keys are read from it and removed for the tools' children. */
  readonly environment: Readonly<Record<string, string>>;
  readonly level?: Level;
  readonly effort?: EffortWord;
  readonly autoApprove: boolean;
  readonly strictPermissions: boolean;
  /** Begin in plan mode (ENG-21). */
  readonly planMode?: boolean;
  /** True if a person can answer. If false, a question is refused at once (PERM-12). */
  readonly attended: boolean;
  /**
   * True if the person who answers can read a project's files first; default: `attended`. If false, a file that
   * nobody acknowledged ends the start (TOFU-04).
   */
  readonly asksTrust?: boolean;
  /** Load nothing of the project: no instructions, no settings. */
  readonly withoutProject?: boolean;
  /** Load nothing of `~/.agents`, which several programs of the user share. */
  readonly withoutShared?: boolean;
  /** Let the project's hooks run, once each of their files was acknowledged (HOOK-02). */
  readonly allowProjectHooks?: boolean;
  /** Lock file that approves what it names, beside the user's own answers (TOFU-05). Absolute. */
  readonly lockfile?: string;
  /** Text at the end of the system text. */
  readonly appendSystemPrompt?: string;
  /** Allow rules that count like those in the user's configuration. */
  readonly allow?: readonly string[];
  /** Folders of the workspace besides the working directory, absolute. Resolved in a plan. */
  readonly addDirs?: readonly string[];
  /** MCP servers that the user has named for this session alone. */
  readonly mcpServers?: readonly SessionMcpServer[];
  readonly maxTurns?: number;
  readonly maxCostUsd?: number;
  /** Milliseconds for one turn, with its sub-agents and waits (ENG-29). */
  readonly maxTimeMs?: number;
  /** End of the whole run, by the monotonic clock: for a run of one prompt. */
  readonly endsAtMs?: number;
  /** Cassette file to write (PROV-08). */
  readonly record?: string;
  /** Decision about calls that the last run of a resumed session left open. Default: a person is asked. */
  readonly orphans?: OrphanFate;
  /** Limits that the client set for this session alone. */
  readonly begun?: Limits;
  /** Limits of a session that an agent asked for, on top of all others. They only lower. */
  readonly atMost?: Limits;
  /** Set for a session that works for a call of another one (ENG-23). */
  readonly delegatedBy?: DelegatingCall;
  /** Calls of one answer run one at a time, whatever the profile says (ENG-04). */
  readonly sequentialCalls?: true;
  /** Set if no person reads the session's notices: a schedule or an agent opened it. */
  readonly unread?: true;
}

/**
 * Everything that holds in one session, as a value: settings with their layers applied, wishes, limits and policy.
 *
 * `app/plan` makes it, and nothing mutates it. An acknowledgement, or a plugin that loads later, makes the next plan
 * by the same function; so code that needs the current one calls `host.plan()` each time.
 */
export interface SessionPlan {
  /** Working directory, absolute and resolved. */
  readonly root: string;
  /** Name or path that the profile was loaded by. */
  readonly reference: string;
  readonly profile: Profile;
  readonly config: Config;
  readonly wishes: SessionWishes;
  /** Settings of the project that a person has acknowledged. They only restrict (PROF-03). */
  readonly project: readonly ProjectSettings[];
  /** Kinds of files that extend the session, or will once a person has acknowledged them. */
  readonly kinds: ReadonlySet<TrustKind>;
  /** Plugins that the embedder of the engine gives. Only `features/plugins` knows their shape. */
  readonly embedded: readonly unknown[];
  readonly limits: PlannedLimits;
  readonly policy: Policy;
  /** Facts of every tool that cinch itself can have. */
  readonly tools: ToolTable;
  /** Milliseconds that a permission request waits for a person. */
  readonly permissionTimeoutMs: number;
  /** True if a permission question stays open while a person is subscribed: no profile sets its time limit. */
  readonly questionsStayOpen: boolean;
}

/** Limits of the turns of a session, after every layer. */
export interface PlannedLimits {
  /** Rounds of the session's own agent in one turn. */
  readonly roundsMax: number;
  /** Rounds of one turn with all its sub-agents. */
  readonly treeRoundsMax: number;
  /** Milliseconds of one turn; absent: no limit. */
  readonly turnMsMax?: number;
  /** End of the whole run, by the monotonic clock; absent: none. */
  readonly endsAtMs?: number;
  /** US dollars for the session; absent: no cap. */
  readonly costUsdMax?: number;
  /** The cap was set for the session or by the user, so it also counts what earlier sessions of a switch have cost. */
  readonly isCostCarried: boolean;
}

/** Returns the lower of two limits; an absent one does not count. */
export function least(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}
