// Made from the protocol's schemas by `npm run generate`. Changes here are lost.

export const PROTOCOL_VERSION = "0.3.0";

/** The kinds of event that this version knows; others are passed over. */
export const EVENT_KINDS = [
  "TextDelta",
  "ThinkingDelta",
  "ToolCallStarted",
  "ToolCallProgress",
  "ToolArgsDelta",
  "ToolResult",
  "TurnStarted",
  "TurnEnded",
  "TurnTiming",
  "CompactionTriggered",
  "CompactionProgress",
  "CostIncremented",
  "PermissionRequested",
  "PermissionAnswered",
  "Cancelled",
  "Error",
  "StreamGap",
  "TokenExpiring",
  "HookTimeout",
  "HookError",
  "MCPServerDown",
  "SkillRegistryChanged",
  "SessionEnded",
  "CustomEvent",
  "Asked",
  "Answered",
  "InputQueued",
  "InputWithdrawn",
  "CheckpointMade",
  "TaskChanged",
  "TodoChanged",
  "MemoryWritten",
  "ProfileSwitched",
  "ModelChanged",
  "RuleRevoked",
  "RulePromoted",
  "SessionRenamed",
  "LevelChanged",
  "InputEdited",
  "InputMoved",
] as const;

/** Position of an event in its log: 1, 2, 3 … without gaps over all runs of it. */
export type EventSeq = number;

export type SessionId = `sess_${string}`;

export type LogId = `log_${string}`;

export type CallId = `call_${string}`;

export type TokenId = `tok_${string}`;

export type ClientId = `cli_${string}`;

export type AskId = `ask_${string}`;

export type InputId = `inp_${string}`;

export type TaskId = `task_${string}`;

export type Command =
  | SendInputCommand
  | CancelTurnCommand
  | AnswerPermissionCommand
  | CreateSessionCommand
  | AttachSessionCommand
  | DetachSessionCommand
  | SetModelCommand
  | EnterPlanModeCommand
  | ExitPlanModeCommand
  | CustomCommandCommand
  | EndSessionCommand
  | BranchSessionCommand
  | PinSessionCommand
  | CompactSessionCommand
  | RewindSessionCommand
  | WithdrawInputCommand
  | RevokeRuleCommand
  | PromoteRuleCommand
  | SwitchProfileCommand
  | ReloadSkillsCommand
  | ManageMcpCommand
  | StopTaskCommand
  | AnswerCommand
  | ExportSessionCommand
  | DismissExpiringCommand
  | MuteSessionCommand
  | RenameSessionCommand
  | ArchiveSessionCommand
  | DeleteSessionCommand
  | MarkReadCommand
  | SetDraftCommand
  | SetLevelCommand
  | EditInputCommand
  | MoveInputCommand
  | RunShellCommand
  | StopShellCommand
  | StopAgentCommand
  | SteerAgentCommand
  | StoreProviderKeyCommand;

export interface Accepted {
  readonly sessionId?: SessionId;
  readonly inputId?: InputId;
  readonly result?: unknown;
}

export interface AttachmentInfo {
  readonly attachment: string;
  readonly name: string;
  readonly media_type: string;
  readonly bytes: number;
}

export type Envelope =
  | TextDeltaEvent
  | ThinkingDeltaEvent
  | ToolCallStartedEvent
  | ToolCallProgressEvent
  | ToolArgsDeltaEvent
  | ToolResultEvent
  | TurnStartedEvent
  | TurnEndedEvent
  | TurnTimingEvent
  | CompactionTriggeredEvent
  | CompactionProgressEvent
  | CostIncrementedEvent
  | PermissionRequestedEvent
  | PermissionAnsweredEvent
  | CancelledEvent
  | ErrorEvent
  | StreamGapEvent
  | TokenExpiringEvent
  | HookTimeoutEvent
  | HookErrorEvent
  | MCPServerDownEvent
  | SkillRegistryChangedEvent
  | SessionEndedEvent
  | CustomEventEvent
  | AskedEvent
  | AnsweredEvent
  | InputQueuedEvent
  | InputWithdrawnEvent
  | CheckpointMadeEvent
  | TaskChangedEvent
  | TodoChangedEvent
  | MemoryWrittenEvent
  | ProfileSwitchedEvent
  | ModelChangedEvent
  | RuleRevokedEvent
  | RulePromotedEvent
  | SessionRenamedEvent
  | LevelChangedEvent
  | InputEditedEvent
  | InputMovedEvent;

export type NewsItem = SessionChangedNews | SessionGoneNews | NewsReadyNews;

export interface Handshake {
  readonly protocol_version: string;
  readonly canonical_form_version: number;
  readonly schema_version_token_claim: number;
  readonly schema_version_profile: number;
  readonly schema_version_session_log: number;
  readonly command_kinds: readonly string[];
  readonly event_kinds: readonly string[];
  readonly query_kinds?: readonly string[];
  readonly features: readonly string[];
  readonly resource_uri_scheme: string;
}

export interface AgentInfo {
  readonly name: string;
  readonly description: string;
}

export interface CacheInfo {
  readonly name: string;
  readonly entries: number;
  readonly bytes: number;
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
}

export interface EngineHealth {
  readonly version: string;
  readonly pid: number;
  readonly sessions: number;
  readonly key_helper: {
    readonly state: "none" | "starting" | "working" | "restarting" | "failed";
    readonly failures?: number;
  };
  readonly machine_key?: string;
  readonly database: {
    readonly path: string;
    readonly bytes?: number;
  };
  readonly mcp_servers: readonly McpServerInfo[];
  readonly listening: readonly string[];
  readonly allowed_origins?: readonly string[];
  readonly notify?: {
    readonly state: "working" | "failing";
    readonly problem?: string;
    readonly sent: number;
    readonly failed: number;
    readonly dropped: number;
  };
}

export interface ErrorBody {
  readonly reason: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface FollowingClient {
  readonly id: ClientId;
  readonly label: string;
  readonly identity_class: "human" | "agent";
}

export interface Health {
  readonly status: "ok" | "starting" | "stopping";
  readonly protocol_version: string;
}

export interface McpServerInfo {
  readonly name: string;
  readonly state: "stopped" | "starting" | "running" | "degraded";
  readonly tools: number;
  readonly sessions?: readonly SessionId[];
}

export interface ModelInfo {
  readonly id: string;
  readonly name?: string;
  readonly context_tokens?: number;
  readonly output_tokens_max?: number;
  readonly accepts?: ReadonlyArray<"text" | "image" | "audio" | "pdf">;
  readonly thinking?: boolean;
  readonly efforts?: ReadonlyArray<"off" | "low" | "medium" | "high" | "xhigh" | "max">;
  readonly price?: PriceInfo;
}

export interface ModelPriceInfo {
  readonly input: number;
  readonly output: number;
  readonly cache_read?: number;
  readonly cache_write?: number;
  readonly long?: {
    readonly input: number;
    readonly output: number;
    readonly cache_read?: number;
    readonly cache_write?: number;
    readonly above_tokens: number;
  };
}

export interface PriceInfo {
  readonly input: number;
  readonly output: number;
  readonly cache_read?: number;
  readonly cache_write?: number;
}

export interface ProfileInfo {
  readonly name: string;
  readonly source: "embedded" | "user";
  readonly default_model?: string;
  readonly context_sources?: readonly string[];
  readonly tool_packs?: readonly string[];
  readonly skill_packs?: readonly string[];
  readonly mcp_servers?: ReadonlyArray<{
    readonly name: string;
    readonly transport: "stdio" | "http" | "sse";
    readonly discovery?: "eager" | "lazy";
    readonly pinned: boolean;
  }>;
  readonly plugins?: readonly string[];
  readonly permissions?: {
    readonly level?: "ReadOnly" | "WorkspaceWrite" | "DangerFullAccess";
    readonly strict?: boolean;
    readonly rules: ReadonlyArray<{
      readonly effect: "allow" | "ask" | "deny";
      readonly rule: string;
    }>;
  };
  readonly allow_project_hooks?: boolean;
}

export interface ProviderInfo {
  readonly name: string;
  readonly configured: boolean;
  readonly models?: readonly ModelInfo[];
  readonly error?: string;
}

export interface RuntimeInfo {
  readonly version: string;
  readonly protocol_version: string;
  readonly engine: string;
  readonly pid?: number;
  readonly started_at?: string;
  readonly sessions?: number;
  readonly caches?: {
    readonly bytes: number;
    readonly bytes_max: number;
    readonly each: readonly CacheInfo[];
  };
}

export interface SessionDetail {
  readonly session: SessionId;
  readonly log: LogId;
  readonly status: "running" | "interrupted" | "paused";
  readonly live: boolean;
  readonly state?: "running" | "waiting" | "idle";
  readonly title: string;
  readonly renamed?: boolean;
  readonly archived?: boolean;
  readonly profile: string;
  readonly model: string;
  readonly effort?: "off" | "low" | "medium" | "high" | "xhigh" | "max";
  readonly level?: "ReadOnly" | "WorkspaceWrite" | "DangerFullAccess";
  readonly plan_mode?: boolean;
  readonly turns: number;
  readonly unread?: number;
  readonly cost_usd?: number | null;
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_read_tokens?: number;
  readonly cache_write_tokens?: number;
  readonly context_tokens?: number;
  readonly context_window?: number;
  readonly questions?: number;
  readonly queued?: number;
  readonly events: number;
  readonly reserved?: number;
  readonly asked_since?: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly working_dir: string;
  readonly pinned: boolean;
  readonly branch_of?: {
    readonly log: LogId;
    readonly event: number;
    readonly session?: SessionId;
  };
  readonly attached_by?: readonly string[];
  readonly clients?: readonly FollowingClient[];
  readonly expires_in_days?: number;
  readonly last_text?: string;
  readonly last_events: readonly Envelope[];
}

export interface SessionInfo {
  readonly session: SessionId;
  readonly log: LogId;
  readonly status: "running" | "interrupted" | "paused";
  readonly live: boolean;
  readonly state?: "running" | "waiting" | "idle";
  readonly title: string;
  readonly renamed?: boolean;
  readonly archived?: boolean;
  readonly profile: string;
  readonly model: string;
  readonly effort?: "off" | "low" | "medium" | "high" | "xhigh" | "max";
  readonly level?: "ReadOnly" | "WorkspaceWrite" | "DangerFullAccess";
  readonly plan_mode?: boolean;
  readonly turns: number;
  readonly unread?: number;
  readonly cost_usd?: number | null;
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_read_tokens?: number;
  readonly cache_write_tokens?: number;
  readonly context_tokens?: number;
  readonly context_window?: number;
  readonly questions?: number;
  readonly queued?: number;
  readonly events: number;
  readonly reserved?: number;
  readonly asked_since?: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly working_dir: string;
  readonly pinned: boolean;
  readonly branch_of?: {
    readonly log: LogId;
    readonly event: number;
    readonly session?: SessionId;
  };
  readonly attached_by?: readonly string[];
  readonly clients?: readonly FollowingClient[];
  readonly expires_in_days?: number;
  readonly last_text?: string;
}

export interface SessionProfile {
  readonly profile: string;
  readonly reference: string;
  readonly path: string;
  readonly source: "embedded" | "user";
  readonly model: string;
  readonly skills: readonly string[];
  readonly mcp_servers: readonly McpServerInfo[];
  readonly tools: ReadonlyArray<{
    readonly name: string;
    readonly source: string;
  }>;
}

export interface SkillInfo {
  readonly name: string;
  readonly description: string;
  readonly source: string;
  readonly path?: string;
}

export interface SkillText {
  readonly name: string;
  readonly description: string;
  readonly source: string;
  readonly path?: string;
  readonly text: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

export interface SlashCommandInfo {
  readonly name: string;
  readonly usage: string;
  readonly help: string;
  readonly command: string;
  readonly alias_of?: string;
  readonly namespace?: string;
  readonly description?: string;
  readonly args_help?: string;
  readonly args_schema?: Readonly<Record<string, unknown>>;
  readonly aliases?: readonly string[];
  readonly takes_text?: boolean;
  readonly stands_for?: {
    readonly query?: string;
    readonly command?: string;
    readonly fields?: Readonly<Record<string, 
      | {
          readonly from: "session";
          readonly unless?: readonly string[];
        }
      | {
          readonly from: "word";
          readonly at: number;
          readonly optional?: boolean;
        }
      | {
          readonly from: "find";
          readonly at: number;
        }
      | {
          readonly from: "rest";
        }
      | {
          readonly from: "flag";
          readonly words: readonly string[];
        }
      | {
          readonly from: "option";
          readonly words: readonly string[];
          readonly same?: Readonly<Record<string, string>>;
        }
      | {
          readonly from: "value";
          readonly value: unknown;
        }>>;
    readonly shows?:
      | {
          readonly as: "text";
          readonly text: string;
          readonly none?: string;
        }
      | {
          readonly as: "list";
          readonly field: string;
          readonly line: string;
          readonly none: string;
          readonly words?: Readonly<Record<string, string>>;
          readonly notes?: string;
          readonly after?: string;
          readonly mark?: {
            readonly field: string;
            readonly key: string;
          };
        }
      | {
          readonly as: "table";
          readonly field: string;
          readonly columns: ReadonlyArray<{
            readonly head: string;
            readonly cell: string;
          }>;
          readonly none: string;
        }
      | {
          readonly as: "sessions";
          readonly none: string;
        }
      | {
          readonly as: "profile";
        }
      | {
          readonly as: "health";
        };
  };
  readonly is_builtin?: boolean;
}

export interface TaskInfo {
  readonly task: TaskId;
  readonly what: string;
  readonly state: "running" | "done" | "failed" | "stopped";
  readonly detail?: string;
  readonly updated_at: string;
}

export interface ToolInfo {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
  readonly level: "ReadOnly" | "WorkspaceWrite" | "DangerFullAccess";
  readonly mutating: boolean;
  readonly lazy: boolean;
  readonly source: string;
  readonly spelled?: string;
  readonly person_only?: string;
}

export interface TurnAnswer {
  readonly text: string;
  readonly reason: string;
  readonly turns: number;
  readonly cost_usd: number | null;
  readonly tools_used: readonly string[];
  readonly usage?: UsageInfo;
  readonly refused?: number;
  readonly error?: {
    readonly reason: string;
    readonly message: string;
  };
  readonly events?: readonly unknown[];
}

export interface UsageInfo {
  readonly calls: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
}

export interface ListSessionsQuery {
  readonly past?: boolean;
  readonly sessionId?: SessionId;
  readonly limit?: number;
  readonly text?: string;
  readonly state?: "running" | "waiting" | "idle";
  readonly archived?: "without" | "with" | "only";
  readonly before?: string;
  readonly reader?: string;
  readonly previews?: boolean;
}

export interface ListSessionsResult {
  readonly sessions: readonly SessionInfo[];
  readonly more?: boolean;
  readonly cursor?: string;
}

export interface GetSessionQuery {
  readonly sessionId: SessionId;
  readonly last?: number;
  readonly reader?: string;
  readonly previews?: boolean;
}

export interface ListTasksQuery {
  readonly sessionId: SessionId;
}

export interface ListTasksResult {
  readonly tasks: readonly TaskInfo[];
}

export interface GetHealthQuery {

}

export interface GetRuntimeQuery {

}

export interface ListProfilesQuery {
  readonly sessionId?: SessionId;
}

export interface ListProfilesResult {
  readonly profiles: readonly ProfileInfo[];
  readonly current?: string;
}

export interface GetProfileQuery {
  readonly name: string;
}

export interface ListProvidersQuery {
  readonly models?: boolean;
}

export interface ListProvidersResult {
  readonly providers: readonly ProviderInfo[];
}

export interface ListModelsQuery {
  readonly provider: string;
}

export interface ListModelsResult {
  readonly models: readonly ModelInfo[];
}

export interface ListToolsQuery {
  readonly sessionId?: SessionId;
}

export interface ListToolsResult {
  readonly tools: readonly ToolInfo[];
}

export interface ListSkillsQuery {
  readonly sessionId?: SessionId;
}

export interface ListSkillsResult {
  readonly skills: readonly SkillInfo[];
  readonly notices?: readonly string[];
}

export interface GetSkillQuery {
  readonly name: string;
}

export interface ListSlashCommandsQuery {
  readonly sessionId?: SessionId;
}

export interface ListSlashCommandsResult {
  readonly slash_commands: readonly SlashCommandInfo[];
  readonly alias_problems?: readonly string[];
}

export interface ListMcpServersQuery {
  readonly sessionId?: SessionId;
}

export interface ListMcpServersResult {
  readonly servers: readonly McpServerInfo[];
}

export interface FindSessionQuery {
  readonly text: string;
  readonly sessionId?: SessionId;
}

export interface GetSessionProfileQuery {
  readonly sessionId: SessionId;
}

export interface CheckProfileQuery {
  readonly sessionId: SessionId;
  readonly profile: string;
}

export interface CheckProfileResult {
  readonly profile: string;
  readonly path: string;
}

export interface ListAgentsQuery {
  readonly sessionId: SessionId;
}

export interface ListAgentsResult {
  readonly agents: readonly AgentInfo[];
}

export interface ExpandPromptQuery {
  readonly sessionId: SessionId;
  readonly name: string;
  readonly args?: readonly string[];
  readonly unclosed?: string;
  readonly text?: string;
}

export interface ExpandPromptResult {
  readonly prompt: string;
}

export interface ExpandMcpPromptQuery {
  readonly sessionId: SessionId;
  readonly name: string;
  readonly args?: readonly string[];
  readonly unclosed?: string;
}

export interface ExpandMcpPromptResult {
  readonly prompt: string;
}

export interface ListPricesQuery {
  readonly models: readonly string[];
}

export interface ListPricesResult {
  readonly prices: Readonly<Record<string, ModelPriceInfo | null>>;
}

export interface GetEngineHealthQuery {

}

export interface GetWebClientQuery {

}

export interface GetWebClientResult {
  readonly url?: string;
}

export interface ListTurnsQuery {
  readonly sessionId: SessionId;
  readonly before?: number;
  readonly after?: number;
  readonly limit?: number;
}

export interface ListTurnsResult {
  readonly turns: ReadonlyArray<{
    readonly turn: number;
    readonly started_at: string;
    readonly ended_at?: string;
    readonly first_event: number;
    readonly last_event: number;
    readonly prompt: string;
    readonly answer: string;
    readonly reason?: "complete" | "yield" | "cancelled" | "error" | "length" | "empty" | "turn_limit" | "time_limit" | "budget" | "no_progress";
    readonly error_reason?: string;
    readonly rounds: number;
    readonly calls: number;
    readonly tools: readonly string[];
    readonly files: readonly string[];
    readonly cost_usd: number | null;
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_read_tokens: number;
    readonly expired?: true;
    readonly running?: true;
    readonly cut?: true;
  }>;
  readonly more: boolean;
}

export interface ListItemsQuery {
  readonly sessionId: SessionId;
  readonly turn?: number;
  readonly before?: number;
  readonly after?: number;
  readonly limit?: number;
  readonly parentCall?: CallId;
}

export interface ListItemsResult {
  readonly items: ReadonlyArray<{
    readonly event: number;
    readonly last_event: number;
    readonly kind: "prompt" | "queued" | "text" | "thinking" | "call" | "question" | "notice" | "error" | "cancel" | "compaction" | "checkpoint" | "task" | "todos" | "memory" | "model" | "level" | "profile" | "rule" | "hook" | "gap" | "custom" | "end";
    readonly turn?: number;
    readonly ts: string;
    readonly text: string;
    readonly tool?: string;
    readonly call?: CallId;
    readonly state?: "running" | "ok" | "error" | "refused" | "cancelled";
    readonly bytes: number;
    readonly parent_call?: CallId;
    readonly children?: number;
    readonly expired?: true;
  }>;
  readonly more: boolean;
  readonly next?: number;
}

export interface GetItemQuery {
  readonly sessionId: SessionId;
  readonly event: number;
}

export interface GetItemResult {
  readonly item: {
    readonly event: number;
    readonly last_event: number;
    readonly kind: "prompt" | "queued" | "text" | "thinking" | "call" | "question" | "notice" | "error" | "cancel" | "compaction" | "checkpoint" | "task" | "todos" | "memory" | "model" | "level" | "profile" | "rule" | "hook" | "gap" | "custom" | "end";
    readonly turn?: number;
    readonly ts: string;
    readonly text: string;
    readonly tool?: string;
    readonly call?: CallId;
    readonly state?: "running" | "ok" | "error" | "refused" | "cancelled";
    readonly bytes: number;
    readonly parent_call?: CallId;
    readonly children?: number;
    readonly expired?: true;
  };
  readonly events: readonly Envelope[];
  readonly cut?: true;
}

export interface CompleteQuery {
  readonly sessionId: SessionId;
  readonly text: string;
  readonly cursor: number;
  readonly limit?: number;
}

export interface CompleteResult {
  readonly from: number;
  readonly to: number;
  readonly items: ReadonlyArray<{
    readonly insert: string;
    readonly label: string;
    readonly detail?: string;
    readonly kind: "file" | "folder" | "command" | "argument" | "session" | "model" | "skill" | "agent";
  }>;
  readonly more: boolean;
}

export interface GetSpendQuery {
  readonly sessionId: SessionId;
}

export interface GetSpendResult {
  readonly total: {
    readonly calls: number;
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_read_tokens: number;
    readonly cache_write_tokens: number;
    readonly cost_usd: number | null;
    readonly known_cost_usd: number;
  };
  readonly turns: ReadonlyArray<{
    readonly turn?: number;
    readonly earlier?: true;
    readonly calls: number;
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_read_tokens: number;
    readonly cache_write_tokens: number;
    readonly cost_usd: number | null;
    readonly known_cost_usd: number;
  }>;
  readonly models: ReadonlyArray<{
    readonly model?: string;
    readonly earlier?: true;
    readonly calls: number;
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_read_tokens: number;
    readonly cache_write_tokens: number;
    readonly cost_usd: number | null;
    readonly known_cost_usd: number;
  }>;
  readonly agents: ReadonlyArray<{
    readonly call?: CallId;
    readonly tool?: string;
    readonly earlier?: true;
    readonly calls: number;
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_read_tokens: number;
    readonly cache_write_tokens: number;
    readonly cost_usd: number | null;
    readonly known_cost_usd: number;
  }>;
  readonly reads: ReadonlyArray<{
    readonly tools: readonly string[];
    readonly prompt?: true;
    readonly summary?: true;
    readonly earlier?: true;
    readonly calls: number;
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_read_tokens: number;
    readonly cache_write_tokens: number;
    readonly cost_usd: number | null;
    readonly known_cost_usd: number;
  }>;
  readonly cache_misses: ReadonlyArray<{
    readonly event: number;
    readonly turn: number;
    readonly model: string;
    readonly cause: "model_changed" | "tools_changed" | "system_changed" | "effort_changed" | "history_changed" | "expired" | "unknown" | "compaction";
    readonly lost_tokens: number;
  }>;
  readonly before?: {
    readonly known_cost_usd: number;
    readonly unpriced_calls: number;
    readonly input_tokens: number;
    readonly output_tokens: number;
  };
}

export interface GetContextQuery {
  readonly sessionId: SessionId;
}

export interface GetContextResult {
  readonly model?: string;
  readonly used_tokens: number;
  readonly window_tokens?: number;
  readonly limit_tokens?: number;
  readonly parts: ReadonlyArray<{
    readonly kind: "system" | "tools" | "messages";
    readonly name: string;
    readonly count?: number;
    readonly tokens: number;
  }>;
}

export interface GetChangesQuery {
  readonly sessionId: SessionId;
  readonly turn?: number;
  readonly callId?: CallId;
  readonly path?: string;
  readonly context?: number;
}

export interface GetChangesResult {
  readonly files: ReadonlyArray<{
    readonly path: string;
    readonly kind: "added" | "changed" | "removed" | "renamed";
    readonly from?: string;
    readonly by: "calls" | "both" | "unknown";
    readonly binary?: true;
    readonly old_mode?: string;
    readonly mode?: string;
    readonly added: number;
    readonly removed: number;
    readonly hunks?: ReadonlyArray<{
      readonly id: string;
      readonly old_start: number;
      readonly old_lines: number;
      readonly new_start: number;
      readonly new_lines: number;
      readonly lines: readonly string[];
    }>;
    readonly unified?: string;
    readonly bytes: number;
    readonly cut?: true;
    readonly missing?: string;
  }>;
  readonly complete: boolean;
  readonly missing?: string;
  readonly left_out?: number;
}

export interface GetWorkspaceQuery {
  readonly sessionId: SessionId;
}

export interface GetWorkspaceResult {
  readonly working_dir: string;
  readonly git?: {
    readonly root: string;
    readonly branch?: string;
    readonly head?: string;
    readonly upstream?: string;
    readonly ahead?: number;
    readonly behind?: number;
    readonly staged?: number;
    readonly changed?: number;
    readonly untracked?: number;
    readonly problem?: string;
  };
}

export interface GetDraftQuery {
  readonly sessionId: SessionId;
  readonly reader: string;
}

export interface GetDraftResult {
  readonly text: string;
  readonly ts?: string;
}

export interface SearchSessionsQuery {
  readonly text: string;
  readonly sessionId?: SessionId;
  readonly workingDir?: string;
  readonly tool?: string;
  readonly file?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
  readonly timeMs?: number;
  readonly cursor?: string;
}

export interface SearchSessionsResult {
  readonly hits: ReadonlyArray<{
    readonly session: SessionId;
    readonly log: LogId;
    readonly title: string;
    readonly event: number;
    readonly kind: "prompt" | "queued" | "text" | "thinking" | "call" | "question" | "notice" | "error" | "cancel" | "compaction" | "checkpoint" | "task" | "todos" | "memory" | "model" | "level" | "profile" | "rule" | "hook" | "gap" | "custom" | "end";
    readonly turn?: number;
    readonly ts: string;
    readonly tool?: string;
    readonly parent_call?: CallId;
    readonly snippet: string;
    readonly at: ReadonlyArray<readonly number[]>;
  }>;
  readonly titles?: ReadonlyArray<{
    readonly session: SessionId;
    readonly log: LogId;
    readonly title: string;
    readonly at: ReadonlyArray<readonly number[]>;
  }>;
  readonly complete: boolean;
  readonly cursor?: string;
  readonly searched: {
    readonly sessions: number;
    readonly events: number;
    readonly expired: number;
    readonly unreadable: number;
  };
}

export interface ListRulesQuery {
  readonly sessionId: SessionId;
}

export interface ListRulesResult {
  readonly rules: ReadonlyArray<{
    readonly rule: string;
    readonly effect: "allow" | "ask" | "deny";
    readonly source: "session" | "flag" | "user" | "plugin" | "promoted" | "profile" | "preset" | "project";
    readonly directory?: string;
    readonly revocable: boolean;
    readonly promotable: boolean;
    readonly ts?: string;
  }>;
  readonly more: boolean;
}

export interface ListHooksQuery {
  readonly sessionId: SessionId;
}

export interface ListHooksResult {
  readonly hooks: ReadonlyArray<{
    readonly event: "SessionStart" | "UserPromptSubmit" | "PreToolUse" | "PostToolUse" | "Compact" | "Stop";
    readonly matcher?: readonly string[];
    readonly command: string;
    readonly source: string;
    readonly timeout_s: number;
    readonly acknowledged?: true;
  }>;
  readonly waiting: readonly string[];
  readonly more: boolean;
}

export interface CreateSessionResult {
  readonly notices?: readonly string[];
}

export interface AttachSessionResult {
  readonly notices?: readonly string[];
}

export interface SwitchProfileResult {
  readonly notices?: readonly string[];
  readonly from?: string;
  readonly to?: string;
  readonly log?: LogId;
}

export interface AnswerPermissionResult {
  readonly counted?: boolean;
}

export interface AnswerResult {
  readonly counted?: boolean;
}

export interface SetModelResult {
  readonly notices?: readonly string[];
  readonly model?: string;
  readonly effort?: "off" | "low" | "medium" | "high" | "xhigh" | "max";
}

export interface SetLevelResult {
  readonly notices?: readonly string[];
  readonly level: "ReadOnly" | "WorkspaceWrite" | "DangerFullAccess";
}

export interface EnterPlanModeResult {
  readonly planMode: boolean;
}

export interface ExitPlanModeResult {
  readonly planMode: boolean;
}

export interface CompactSessionResult {
  readonly compacted?: boolean;
}

export interface BranchSessionResult {
  readonly log: LogId;
  readonly at: number;
}

export interface ExportSessionResult {
  readonly path: string;
}

export interface RenameSessionResult {
  readonly title: string;
}

export interface DismissExpiringResult {
  readonly sessions: number;
}

export interface PromoteRuleResult {
  readonly profile?: string;
  readonly directory?: string;
  readonly path?: string;
}

export interface RewindSessionResult {
  readonly to: number;
  readonly what: "files" | "conversation" | "both";
  readonly place?: string;
  readonly done: boolean;
  readonly conversation?: {
    readonly messages: number;
    readonly removed: number;
    readonly restored?: number;
  };
  readonly files?: {
    readonly create?: readonly string[];
    readonly change?: readonly string[];
    readonly mode?: readonly string[];
    readonly remove?: readonly string[];
    readonly contested?: readonly string[];
    readonly foreign?: readonly string[];
    readonly notRestorable?: ReadonlyArray<{
      readonly path: string;
      readonly why: string;
    }>;
    readonly counts?: {
      readonly restore: number;
      readonly remove: number;
    };
    readonly restored?: number;
    readonly kept?: ReadonlyArray<{
      readonly path: string;
      readonly why: string;
    }>;
  };
  readonly token?: string;
  readonly undo?: number;
}

export interface ReloadSkillsResult {
  readonly skills?: readonly string[];
  readonly waiting?: readonly string[];
  readonly asks?: boolean;
  readonly text?: string;
}

export interface ManageMcpResult {
  readonly servers?: ReadonlyArray<{
    readonly name: string;
    readonly state: "stopped" | "starting" | "running" | "degraded";
    readonly tools: number;
    readonly sessions?: readonly SessionId[];
    readonly problem?: string;
  }>;
  readonly toolNames?: ReadonlyArray<{
    readonly name: string;
    readonly spelled?: string;
  }>;
  readonly approved?: boolean;
  readonly text?: string;
}

export interface RunShellResult {
  readonly callId: CallId;
}

export interface StoreProviderKeyResult {
  readonly provider: string;
  readonly replaced: boolean;
  readonly used: boolean;
  readonly source: string;
}

export interface CustomCommandResult {
  readonly text?: string;
}

export interface SendInputCommand {
  readonly kind: "SendInput";
  readonly sessionId: SessionId;
  readonly content: ReadonlyArray<
    | {
        readonly type: "text";
        readonly text: string;
      }
    | {
        readonly type: "image";
        readonly source: {
          readonly type: "base64";
          readonly media_type: string;
          readonly data: string;
        };
      }
    | {
        readonly type: "audio";
        readonly source: {
          readonly type: "base64";
          readonly media_type: string;
          readonly data: string;
        };
      }
    | {
        readonly type: "document";
        readonly source: {
          readonly type: "base64";
          readonly media_type: string;
          readonly data: string;
        };
      }
    | {
        readonly type: "attachment";
        readonly id: string;
      }
    | {
        readonly type: "unsaved";
        readonly path: string;
        readonly text: string;
        readonly attached?: boolean;
        readonly lines?: {
          readonly first: number;
          readonly last: number;
        };
      }>;
  readonly delivery?: "reject" | "queue" | "steer";
  readonly skill?: string;
  readonly agent?: string;
}

export interface CancelTurnCommand {
  readonly kind: "CancelTurn";
  readonly sessionId: SessionId;
}

export interface AnswerPermissionCommand {
  readonly kind: "AnswerPermission";
  readonly sessionId: SessionId;
  readonly callId: CallId;
  readonly decision: "allow" | "deny";
  readonly scope?: "once" | "argv_glob" | "tool";
  readonly rule?: string;
  readonly hosts?: true;
  readonly hunks?: readonly string[];
  readonly words?: string;
}

export interface CreateSessionCommand {
  readonly kind: "CreateSession";
  readonly profile?: string;
  readonly resume?: LogId;
  readonly model?: string;
  readonly workingDir?: string;
  readonly run?: {
    readonly level?: "ReadOnly" | "WorkspaceWrite" | "DangerFullAccess";
    readonly autoApprove?: boolean;
    readonly strictPermissions?: boolean;
    readonly planMode?: boolean;
    readonly effort?: "off" | "low" | "medium" | "high" | "xhigh" | "max";
    readonly maxTurns?: number;
    readonly maxCostUsd?: number;
    readonly maxTimeMs?: number;
    readonly appendSystemPrompt?: string;
    readonly allow?: readonly string[];
    readonly addDirs?: readonly string[];
    readonly mcpServers?: ReadonlyArray<
      | {
          readonly transport: "stdio";
          readonly name: string;
          readonly cmd: string;
          readonly args: readonly string[];
          readonly env: Readonly<Record<string, string>>;
        }
      | {
          readonly transport: "http" | "sse";
          readonly name: string;
          readonly url: string;
          readonly headers: Readonly<Record<string, string>>;
        }>;
    readonly withoutProject?: boolean;
    readonly allowProjectHooks?: boolean;
    readonly lockfile?: string;
    readonly asksTrust?: boolean;
    readonly environment?: Readonly<Record<string, string>>;
  };
}

export interface AttachSessionCommand {
  readonly kind: "AttachSession";
  readonly sessionId: SessionId;
}

export interface DetachSessionCommand {
  readonly kind: "DetachSession";
  readonly sessionId: SessionId;
  readonly left?: boolean;
}

export interface SetModelCommand {
  readonly kind: "SetModel";
  readonly sessionId: SessionId;
  readonly model: string;
  readonly effort?: "off" | "low" | "medium" | "high" | "xhigh" | "max";
}

export interface EnterPlanModeCommand {
  readonly kind: "EnterPlanMode";
  readonly sessionId: SessionId;
}

export interface ExitPlanModeCommand {
  readonly kind: "ExitPlanMode";
  readonly sessionId: SessionId;
  readonly approve: boolean;
}

export interface CustomCommandCommand {
  readonly kind: "CustomCommand";
  readonly sessionId: SessionId;
  readonly namespace: string;
  readonly verb: string;
  readonly payload: unknown;
}

export interface EndSessionCommand {
  readonly kind: "EndSession";
  readonly sessionId: SessionId;
}

export interface BranchSessionCommand {
  readonly kind: "BranchSession";
  readonly sessionId: SessionId;
  readonly at?: number;
  readonly turn?: number;
}

export interface PinSessionCommand {
  readonly kind: "PinSession";
  readonly sessionId: SessionId;
  readonly pinned: boolean;
}

export interface CompactSessionCommand {
  readonly kind: "CompactSession";
  readonly sessionId: SessionId;
}

export interface RewindSessionCommand {
  readonly kind: "RewindSession";
  readonly sessionId: SessionId;
  readonly to: number;
  readonly what: "files" | "conversation" | "both";
  readonly preview?: boolean;
  readonly token?: string;
  readonly overwrite?: ReadonlyArray<"contested" | "foreign">;
}

export interface WithdrawInputCommand {
  readonly kind: "WithdrawInput";
  readonly sessionId: SessionId;
  readonly inputId: InputId;
}

export interface RevokeRuleCommand {
  readonly kind: "RevokeRule";
  readonly sessionId: SessionId;
  readonly rule: string;
}

export interface PromoteRuleCommand {
  readonly kind: "PromoteRule";
  readonly sessionId: SessionId;
  readonly rule: string;
  readonly everywhere?: boolean;
}

export interface SwitchProfileCommand {
  readonly kind: "SwitchProfile";
  readonly sessionId: SessionId;
  readonly profile: string;
  readonly importTurns?: number;
  readonly inPlace?: boolean;
}

export interface ReloadSkillsCommand {
  readonly kind: "ReloadSkills";
  readonly sessionId: SessionId;
}

export interface ManageMcpCommand {
  readonly kind: "ManageMcp";
  readonly sessionId: SessionId;
  readonly server: string;
  readonly action: "status" | "restart" | "approve" | "stop" | "start";
}

export interface StopTaskCommand {
  readonly kind: "StopTask";
  readonly sessionId: SessionId;
  readonly taskId: TaskId;
}

export interface AnswerCommand {
  readonly kind: "Answer";
  readonly sessionId: SessionId;
  readonly askId: AskId;
  readonly answer: unknown;
}

export interface ExportSessionCommand {
  readonly kind: "ExportSession";
  readonly sessionId: SessionId;
  readonly format?: "jsonl" | "markdown";
  readonly output?: string;
  readonly directoryOf?: SessionId;
}

export interface DismissExpiringCommand {
  readonly kind: "DismissExpiring";
  readonly sessionId: SessionId;
}

export interface MuteSessionCommand {
  readonly kind: "MuteSession";
  readonly sessionId: SessionId;
}

export interface RenameSessionCommand {
  readonly kind: "RenameSession";
  readonly sessionId: SessionId;
  readonly title: string;
}

export interface ArchiveSessionCommand {
  readonly kind: "ArchiveSession";
  readonly sessionId: SessionId;
  readonly archived: boolean;
}

export interface DeleteSessionCommand {
  readonly kind: "DeleteSession";
  readonly sessionId: SessionId;
}

export interface MarkReadCommand {
  readonly kind: "MarkRead";
  readonly sessionId: SessionId;
  readonly event: number;
  readonly reader: string;
}

export interface SetDraftCommand {
  readonly kind: "SetDraft";
  readonly sessionId: SessionId;
  readonly text: string;
  readonly reader: string;
}

export interface SetLevelCommand {
  readonly kind: "SetLevel";
  readonly sessionId: SessionId;
  readonly level: "ReadOnly" | "WorkspaceWrite" | "DangerFullAccess";
}

export interface EditInputCommand {
  readonly kind: "EditInput";
  readonly sessionId: SessionId;
  readonly inputId: InputId;
  readonly content: ReadonlyArray<
    | {
        readonly type: "text";
        readonly text: string;
      }
    | {
        readonly type: "image";
        readonly source: {
          readonly type: "base64";
          readonly media_type: string;
          readonly data: string;
        };
      }
    | {
        readonly type: "audio";
        readonly source: {
          readonly type: "base64";
          readonly media_type: string;
          readonly data: string;
        };
      }
    | {
        readonly type: "document";
        readonly source: {
          readonly type: "base64";
          readonly media_type: string;
          readonly data: string;
        };
      }
    | {
        readonly type: "attachment";
        readonly id: string;
      }
    | {
        readonly type: "unsaved";
        readonly path: string;
        readonly text: string;
        readonly attached?: boolean;
        readonly lines?: {
          readonly first: number;
          readonly last: number;
        };
      }>;
}

export interface MoveInputCommand {
  readonly kind: "MoveInput";
  readonly sessionId: SessionId;
  readonly inputId: InputId;
  readonly before?: InputId;
}

export interface RunShellCommand {
  readonly kind: "RunShell";
  readonly sessionId: SessionId;
  readonly command: string;
  readonly toModel: boolean;
}

export interface StopShellCommand {
  readonly kind: "StopShell";
  readonly sessionId: SessionId;
  readonly callId: CallId;
}

export interface StopAgentCommand {
  readonly kind: "StopAgent";
  readonly sessionId: SessionId;
  readonly callId: CallId;
}

export interface SteerAgentCommand {
  readonly kind: "SteerAgent";
  readonly sessionId: SessionId;
  readonly callId: CallId;
  readonly content: ReadonlyArray<
    | {
        readonly type: "text";
        readonly text: string;
      }
    | {
        readonly type: "image";
        readonly source: {
          readonly type: "base64";
          readonly media_type: string;
          readonly data: string;
        };
      }
    | {
        readonly type: "audio";
        readonly source: {
          readonly type: "base64";
          readonly media_type: string;
          readonly data: string;
        };
      }
    | {
        readonly type: "document";
        readonly source: {
          readonly type: "base64";
          readonly media_type: string;
          readonly data: string;
        };
      }>;
}

export interface StoreProviderKeyCommand {
  readonly kind: "StoreProviderKey";
  readonly provider: string;
  readonly key: string;
}

export interface TextDeltaEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "TextDelta";
  readonly payload: {
    readonly text: string;
    readonly index?: number;
  };
}

export interface ThinkingDeltaEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "ThinkingDelta";
  readonly payload: {
    readonly block: {
      readonly type: "thinking";
      readonly family?: string;
      readonly text: string;
    };
    readonly index?: number;
  };
}

export interface ToolCallStartedEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "ToolCallStarted";
  readonly payload: {
    readonly callId: CallId;
    readonly tool: string;
    readonly args: unknown;
    readonly mutating: boolean;
    readonly toolKind?: "read" | "edit" | "search" | "execute" | "fetch" | "think" | "switch_mode" | "other";
    readonly preview?: {
      readonly path: string;
      readonly new: string;
      readonly old?: string;
      readonly all?: string;
      readonly each?: string;
    };
    readonly by?: "user";
    readonly shell?: true;
    readonly toModel?: boolean;
  };
}

export interface ToolCallProgressEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "ToolCallProgress";
  readonly payload: {
    readonly callId: CallId;
    readonly partial: string;
    readonly tail?: string;
    readonly bytes?: number;
    readonly lines?: number;
    readonly elapsedMs?: number;
  };
}

export interface ToolArgsDeltaEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "ToolArgsDelta";
  readonly payload: {
    readonly callId: CallId;
    readonly tool: string;
    readonly text: string;
    readonly offset: number;
    readonly index?: number;
    readonly cut?: true;
    readonly void?: true;
  };
}

export interface ToolResultEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "ToolResult";
  readonly payload: {
    readonly callId: CallId;
    readonly content: ReadonlyArray<
      | {
          readonly type: "text";
          readonly text: string;
        }
      | {
          readonly type: "image";
          readonly source: {
            readonly type: "base64";
            readonly media_type: string;
            readonly data: string;
          };
        }
      | {
          readonly type: "audio";
          readonly source: {
            readonly type: "base64";
            readonly media_type: string;
            readonly data: string;
          };
        }>;
    readonly isError?: boolean;
    readonly by?: "user";
    readonly shell?: true;
  };
}

export interface TurnStartedEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "TurnStarted";
  readonly payload: {
    readonly turn: number;
    readonly originator: ClientId;
    readonly who?: {
      readonly label: string;
      readonly identityClass: "human" | "agent";
    };
    readonly content?: ReadonlyArray<
      | {
          readonly type: "text";
          readonly text: string;
        }
      | {
          readonly type: "image";
          readonly source: {
            readonly type: "base64";
            readonly media_type: string;
            readonly data: string;
          };
        }
      | {
          readonly type: "audio";
          readonly source: {
            readonly type: "base64";
            readonly media_type: string;
            readonly data: string;
          };
        }
      | {
          readonly type: "document";
          readonly source: {
            readonly type: "base64";
            readonly media_type: string;
            readonly data: string;
          };
        }>;
    readonly inputId?: InputId;
  };
}

export interface TurnEndedEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "TurnEnded";
  readonly payload: {
    readonly turn: number;
    readonly reason: "complete" | "yield" | "cancelled" | "error" | "length" | "empty" | "turn_limit" | "time_limit" | "budget" | "no_progress";
    readonly rounds?: number;
    readonly error?: {
      readonly reason: string;
      readonly message: string;
      readonly details?: Readonly<Record<string, unknown>>;
    };
    readonly usage?: {
      readonly calls: number;
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly cacheReadTokens: number;
      readonly cacheWriteTokens: number;
    };
    readonly usd?: number | null;
    readonly files?: readonly string[];
  };
}

export interface TurnTimingEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "TurnTiming";
  readonly payload: {
    readonly turn: number;
    readonly components: Readonly<Record<string, number>>;
    readonly toolCalls?: ReadonlyArray<{
      readonly callId: CallId;
      readonly tool: string;
      readonly duration: number;
    }>;
  };
}

export interface CompactionTriggeredEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "CompactionTriggered";
  readonly payload: {
    readonly beforeTokens: number;
    readonly afterTokens: number;
    readonly boundary?: number;
    readonly tier?: number;
    readonly trigger?: "threshold" | "overflow" | "command";
  };
}

export interface CompactionProgressEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "CompactionProgress";
  readonly payload: {
    readonly state: "started" | "ended";
    readonly beforeTokens: number;
    readonly trigger: "threshold" | "overflow" | "command";
    readonly timeoutMs: number;
  };
}

export interface CostIncrementedEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "CostIncremented";
  readonly payload: {
    readonly provider: string;
    readonly model: string;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cacheReadTokens?: number;
    readonly cacheWriteTokens?: number;
    readonly usd: number | null;
    readonly turn?: number;
    readonly purpose?: "summary";
    readonly cacheMiss?: {
      readonly cause: "model_changed" | "tools_changed" | "system_changed" | "effort_changed" | "history_changed" | "expired" | "unknown";
      readonly lostTokens: number;
    };
  };
}

export interface PermissionRequestedEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "PermissionRequested";
  readonly payload: {
    readonly callId: CallId;
    readonly tool: string;
    readonly args: unknown;
    readonly originator: ClientId;
    readonly who?: {
      readonly label: string;
      readonly identityClass: "human" | "agent";
    };
    readonly summary: string;
    readonly reason?: string;
    readonly rule?: string;
    readonly agent?: string;
    readonly onceOnly?: boolean;
    readonly hosts?: readonly string[];
    readonly diff?: string;
    readonly toolKind?: "read" | "edit" | "search" | "execute" | "fetch" | "think" | "switch_mode" | "other";
    readonly preview?: {
      readonly path: string;
      readonly new: string;
      readonly old?: string;
      readonly all?: string;
      readonly each?: string;
    };
    readonly timeoutMs?: number;
    readonly onlyUnattended?: true;
    readonly why?: {
      readonly cause: "rule" | "deny-rule" | "level" | "no-rule" | "grammar" | "network" | "setting" | "protected" | "outside-sandbox" | "tool";
      readonly text: string;
      readonly ends?: {
        readonly rule?: string;
        readonly setting?: string;
      };
    };
    readonly parts?: ReadonlyArray<{
      readonly text: string;
      readonly verdict: "allow" | "ask" | "deny";
      readonly why: string;
    }>;
    readonly prefixes?: readonly string[];
    readonly hunks?: ReadonlyArray<{
      readonly id: string;
      readonly old_start: number;
      readonly old_lines: number;
      readonly new_start: number;
      readonly new_lines: number;
      readonly lines: readonly string[];
    }>;
  };
}

export interface PermissionAnsweredEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "PermissionAnswered";
  readonly payload: {
    readonly callId: CallId;
    readonly decision: "allow" | "deny";
    readonly scope?: "once" | "argv_glob" | "tool";
    readonly by?: ClientId;
    readonly who?: {
      readonly label: string;
      readonly identityClass: "human" | "agent";
    };
    readonly rule?: string;
    readonly hosts?: true;
    readonly hunks?: readonly string[];
    readonly words?: string;
    readonly counted: boolean;
  };
}

export interface CancelledEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "Cancelled";
  readonly payload: {
    readonly turn: number;
    readonly by: string;
    readonly who?: {
      readonly label: string;
      readonly identityClass: "human" | "agent";
    };
    readonly reason: string;
  };
}

export interface ErrorEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "Error";
  readonly payload: {
    readonly reason: string;
    readonly message: string;
    readonly details?: Readonly<Record<string, unknown>>;
    readonly severity?: "notice";
  };
}

export interface StreamGapEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "StreamGap";
  readonly payload: {
    readonly from: number;
    readonly to: number;
    readonly reason: "ttl" | "compaction" | "crash";
  };
}

export interface TokenExpiringEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "TokenExpiring";
  readonly payload: {
    readonly jti: TokenId;
    readonly expAt: number;
  };
}

export interface HookTimeoutEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "HookTimeout";
  readonly payload: {
    readonly event: string;
    readonly command: string;
    readonly after: number;
  };
}

export interface HookErrorEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "HookError";
  readonly payload: {
    readonly event: string;
    readonly command: string;
    readonly exit_code: number;
    readonly output?: string;
  };
}

export interface MCPServerDownEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "MCPServerDown";
  readonly payload: {
    readonly name: string;
    readonly reason: string;
    readonly attempts: number;
  };
}

export interface SkillRegistryChangedEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "SkillRegistryChanged";
  readonly payload: {
    readonly skills: readonly string[];
  };
}

export interface SessionEndedEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "SessionEnded";
  readonly payload: {
    readonly reason: "idle" | "user" | "error" | "binary-shutdown";
  };
}

export interface CustomEventEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "CustomEvent";
  readonly payload: {
    readonly namespace: string;
    readonly kind: string;
    readonly payload: unknown;
  };
}

export interface AskedEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "Asked";
  readonly payload: {
    readonly askId: AskId;
    readonly about: "trust" | "orphan" | "plan" | "elicitation" | "token-code" | "outside-sandbox" | "rewind";
    readonly text: string;
    readonly choices?: ReadonlyArray<{
      readonly value: string;
      readonly label: string;
    }>;
    readonly words?: boolean;
    readonly noteFor?: string;
    readonly details?: Readonly<Record<string, unknown>>;
    readonly originator?: ClientId;
    readonly who?: {
      readonly label: string;
      readonly identityClass: "human" | "agent";
    };
    readonly timeoutMs?: number;
    readonly onlyUnattended?: true;
  };
}

export interface AnsweredEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "Answered";
  readonly payload: {
    readonly askId: AskId;
    readonly answer: unknown;
    readonly by?: ClientId;
    readonly who?: {
      readonly label: string;
      readonly identityClass: "human" | "agent";
    };
  };
}

export interface InputQueuedEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "InputQueued";
  readonly payload: {
    readonly inputId: InputId;
    readonly content: ReadonlyArray<
      | {
          readonly type: "text";
          readonly text: string;
        }
      | {
          readonly type: "image";
          readonly source: {
            readonly type: "base64";
            readonly media_type: string;
            readonly data: string;
          };
        }
      | {
          readonly type: "audio";
          readonly source: {
            readonly type: "base64";
            readonly media_type: string;
            readonly data: string;
          };
        }
      | {
          readonly type: "document";
          readonly source: {
            readonly type: "base64";
            readonly media_type: string;
            readonly data: string;
          };
        }>;
    readonly delivery: "queue" | "steer";
    readonly originator: ClientId;
    readonly who?: {
      readonly label: string;
      readonly identityClass: "human" | "agent";
    };
    readonly skill?: string;
    readonly agent?: string;
  };
}

export interface InputWithdrawnEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "InputWithdrawn";
  readonly payload: {
    readonly inputId: InputId;
    readonly by?: ClientId;
    readonly who?: {
      readonly label: string;
      readonly identityClass: "human" | "agent";
    };
  };
}

export interface CheckpointMadeEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "CheckpointMade";
  readonly payload: {
    readonly turn: number;
    readonly files: number;
    readonly notRestorable?: readonly string[];
  };
}

export interface TaskChangedEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "TaskChanged";
  readonly payload: {
    readonly taskId: TaskId;
    readonly what: string;
    readonly state: "running" | "done" | "failed" | "stopped";
    readonly detail?: string;
  };
}

export interface TodoChangedEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "TodoChanged";
  readonly payload: {
    readonly items: ReadonlyArray<{
      readonly content: string;
      readonly status: "pending" | "in_progress" | "completed";
      readonly activeForm?: string;
    }>;
  };
}

export interface MemoryWrittenEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "MemoryWritten";
  readonly payload: {
    readonly name: string;
    readonly type: string;
    readonly description: string;
    readonly removed?: boolean;
  };
}

export interface ProfileSwitchedEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "ProfileSwitched";
  readonly payload: {
    readonly from: string;
    readonly to: string;
    readonly logId?: LogId;
    readonly next?: SessionId;
    readonly previous?: SessionId;
    readonly inPlace?: boolean;
    readonly spentBefore?: {
      readonly usd: number;
      readonly unknownCalls: number;
      readonly inputTokens: number;
      readonly outputTokens: number;
    };
  };
}

export interface ModelChangedEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "ModelChanged";
  readonly payload: {
    readonly model: string;
    readonly previous?: string;
    readonly effort?: "off" | "low" | "medium" | "high" | "xhigh" | "max";
    readonly by?: ClientId;
    readonly who?: {
      readonly label: string;
      readonly identityClass: "human" | "agent";
    };
  };
}

export interface RuleRevokedEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "RuleRevoked";
  readonly payload: {
    readonly rule: string;
    readonly by?: ClientId;
    readonly who?: {
      readonly label: string;
      readonly identityClass: "human" | "agent";
    };
  };
}

export interface RulePromotedEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "RulePromoted";
  readonly payload: {
    readonly rule: string;
    readonly profile: string;
    readonly path: string;
    readonly directory?: string;
    readonly by?: ClientId;
    readonly who?: {
      readonly label: string;
      readonly identityClass: "human" | "agent";
    };
  };
}

export interface SessionRenamedEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "SessionRenamed";
  readonly payload: {
    readonly title: string;
    readonly by?: ClientId;
    readonly who?: {
      readonly label: string;
      readonly identityClass: "human" | "agent";
    };
  };
}

export interface LevelChangedEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "LevelChanged";
  readonly payload: {
    readonly level: "ReadOnly" | "WorkspaceWrite" | "DangerFullAccess";
    readonly by?: ClientId;
    readonly who?: {
      readonly label: string;
      readonly identityClass: "human" | "agent";
    };
  };
}

export interface InputEditedEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "InputEdited";
  readonly payload: {
    readonly inputId: InputId;
    readonly content: ReadonlyArray<
      | {
          readonly type: "text";
          readonly text: string;
        }
      | {
          readonly type: "image";
          readonly source: {
            readonly type: "base64";
            readonly media_type: string;
            readonly data: string;
          };
        }
      | {
          readonly type: "audio";
          readonly source: {
            readonly type: "base64";
            readonly media_type: string;
            readonly data: string;
          };
        }
      | {
          readonly type: "document";
          readonly source: {
            readonly type: "base64";
            readonly media_type: string;
            readonly data: string;
          };
        }>;
    readonly by?: ClientId;
    readonly who?: {
      readonly label: string;
      readonly identityClass: "human" | "agent";
    };
  };
}

export interface InputMovedEvent {
  readonly id: number;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
  readonly kind: "InputMoved";
  readonly payload: {
    readonly inputId: InputId;
    readonly before?: InputId;
    readonly by?: ClientId;
    readonly who?: {
      readonly label: string;
      readonly identityClass: "human" | "agent";
    };
  };
}

export interface SessionChangedNews {
  readonly kind: "SessionChanged";
  readonly session: SessionId;
  readonly info: SessionInfo;
}

export interface SessionGoneNews {
  readonly kind: "SessionGone";
  readonly session: SessionId;
  readonly log: LogId;
}

export interface NewsReadyNews {
  readonly kind: "NewsReady";
}

export type EventKind = Envelope["kind"];

export type EnvelopeOf<Kind extends EventKind> = Extract<Envelope, { readonly kind: Kind }>;

export type CommandKind = Command["kind"];

/** `result` of the answer to each command that has one. */
export interface CommandResults {
  readonly CreateSession: CreateSessionResult;
  readonly AttachSession: AttachSessionResult;
  readonly SwitchProfile: SwitchProfileResult;
  readonly AnswerPermission: AnswerPermissionResult;
  readonly Answer: AnswerResult;
  readonly SetModel: SetModelResult;
  readonly SetLevel: SetLevelResult;
  readonly EnterPlanMode: EnterPlanModeResult;
  readonly ExitPlanMode: ExitPlanModeResult;
  readonly CompactSession: CompactSessionResult;
  readonly BranchSession: BranchSessionResult;
  readonly ExportSession: ExportSessionResult;
  readonly RenameSession: RenameSessionResult;
  readonly DismissExpiring: DismissExpiringResult;
  readonly PromoteRule: PromoteRuleResult;
  readonly RewindSession: RewindSessionResult;
  readonly ReloadSkills: ReloadSkillsResult;
  readonly ManageMcp: ManageMcpResult;
  readonly RunShell: RunShellResult;
  readonly StoreProviderKey: StoreProviderKeyResult;
  readonly CustomCommand: CustomCommandResult;
}

/** Fields and answer of each query. */
export interface Queries {
  readonly ListSessions: { readonly params: ListSessionsQuery; readonly result: ListSessionsResult };
  readonly GetSession: { readonly params: GetSessionQuery; readonly result: SessionDetail };
  readonly ListTasks: { readonly params: ListTasksQuery; readonly result: ListTasksResult };
  readonly GetHealth: { readonly params: GetHealthQuery; readonly result: Health };
  readonly GetRuntime: { readonly params: GetRuntimeQuery; readonly result: RuntimeInfo };
  readonly ListProfiles: { readonly params: ListProfilesQuery; readonly result: ListProfilesResult };
  readonly GetProfile: { readonly params: GetProfileQuery; readonly result: ProfileInfo };
  readonly ListProviders: { readonly params: ListProvidersQuery; readonly result: ListProvidersResult };
  readonly ListModels: { readonly params: ListModelsQuery; readonly result: ListModelsResult };
  readonly ListTools: { readonly params: ListToolsQuery; readonly result: ListToolsResult };
  readonly ListSkills: { readonly params: ListSkillsQuery; readonly result: ListSkillsResult };
  readonly GetSkill: { readonly params: GetSkillQuery; readonly result: SkillText };
  readonly ListSlashCommands: { readonly params: ListSlashCommandsQuery; readonly result: ListSlashCommandsResult };
  readonly ListMcpServers: { readonly params: ListMcpServersQuery; readonly result: ListMcpServersResult };
  readonly FindSession: { readonly params: FindSessionQuery; readonly result: SessionInfo };
  readonly GetSessionProfile: { readonly params: GetSessionProfileQuery; readonly result: SessionProfile };
  readonly CheckProfile: { readonly params: CheckProfileQuery; readonly result: CheckProfileResult };
  readonly ListAgents: { readonly params: ListAgentsQuery; readonly result: ListAgentsResult };
  readonly ExpandPrompt: { readonly params: ExpandPromptQuery; readonly result: ExpandPromptResult };
  readonly ExpandMcpPrompt: { readonly params: ExpandMcpPromptQuery; readonly result: ExpandMcpPromptResult };
  readonly ListPrices: { readonly params: ListPricesQuery; readonly result: ListPricesResult };
  readonly GetEngineHealth: { readonly params: GetEngineHealthQuery; readonly result: EngineHealth };
  readonly GetWebClient: { readonly params: GetWebClientQuery; readonly result: GetWebClientResult };
  readonly ListTurns: { readonly params: ListTurnsQuery; readonly result: ListTurnsResult };
  readonly ListItems: { readonly params: ListItemsQuery; readonly result: ListItemsResult };
  readonly GetItem: { readonly params: GetItemQuery; readonly result: GetItemResult };
  readonly Complete: { readonly params: CompleteQuery; readonly result: CompleteResult };
  readonly GetSpend: { readonly params: GetSpendQuery; readonly result: GetSpendResult };
  readonly GetContext: { readonly params: GetContextQuery; readonly result: GetContextResult };
  readonly GetChanges: { readonly params: GetChangesQuery; readonly result: GetChangesResult };
  readonly GetWorkspace: { readonly params: GetWorkspaceQuery; readonly result: GetWorkspaceResult };
  readonly GetDraft: { readonly params: GetDraftQuery; readonly result: GetDraftResult };
  readonly SearchSessions: { readonly params: SearchSessionsQuery; readonly result: SearchSessionsResult };
  readonly ListRules: { readonly params: ListRulesQuery; readonly result: ListRulesResult };
  readonly ListHooks: { readonly params: ListHooksQuery; readonly result: ListHooksResult };
}

/** Address of each query. */
export const QUERY_ROUTES: Readonly<Record<keyof Queries, QueryRoute>> = {
  "ListSessions": {
    "path": "/v1/sessions"
  },
  "GetSession": {
    "path": "/v1/sessions/{id}"
  },
  "ListTasks": {
    "path": "/v1/sessions/{id}/tasks"
  },
  "GetHealth": {
    "path": "/v1/health"
  },
  "GetRuntime": {
    "path": "/v1/runtime"
  },
  "ListProfiles": {
    "path": "/v1/profiles"
  },
  "GetProfile": {
    "path": "/v1/profiles/{name}"
  },
  "ListProviders": {
    "path": "/v1/providers"
  },
  "ListModels": {
    "path": "/v1/providers/{name}/models",
    "name": "provider"
  },
  "ListTools": {
    "path": "/v1/tools",
    "ofSession": "/v1/sessions/{id}/tools"
  },
  "ListSkills": {
    "path": "/v1/skills"
  },
  "GetSkill": {
    "path": "/v1/skills/{name}"
  },
  "ListSlashCommands": {
    "path": "/v1/slash-commands"
  },
  "ListMcpServers": {
    "path": "/v1/mcp/servers"
  },
  "FindSession": {
    "path": "/v1/find-session"
  },
  "GetSessionProfile": {
    "path": "/v1/sessions/{id}/profile"
  },
  "CheckProfile": {
    "path": "/v1/sessions/{id}/profile-check"
  },
  "ListAgents": {
    "path": "/v1/sessions/{id}/agents"
  },
  "ExpandPrompt": {
    "method": "POST",
    "path": "/v1/sessions/{id}/prompts"
  },
  "ExpandMcpPrompt": {
    "method": "POST",
    "path": "/v1/sessions/{id}/mcp-prompts"
  },
  "ListPrices": {
    "path": "/v1/prices"
  },
  "GetEngineHealth": {
    "path": "/v1/engine-health"
  },
  "GetWebClient": {
    "path": "/v1/web-client"
  },
  "ListTurns": {
    "path": "/v1/sessions/{id}/turns"
  },
  "ListItems": {
    "path": "/v1/sessions/{id}/items"
  },
  "GetItem": {
    "path": "/v1/sessions/{id}/items/{event}"
  },
  "Complete": {
    "method": "POST",
    "path": "/v1/sessions/{id}/complete"
  },
  "GetSpend": {
    "path": "/v1/sessions/{id}/spend"
  },
  "GetContext": {
    "path": "/v1/sessions/{id}/context"
  },
  "GetChanges": {
    "path": "/v1/sessions/{id}/changes"
  },
  "GetWorkspace": {
    "path": "/v1/sessions/{id}/workspace"
  },
  "GetDraft": {
    "path": "/v1/sessions/{id}/draft"
  },
  "SearchSessions": {
    "path": "/v1/search"
  },
  "ListRules": {
    "path": "/v1/sessions/{id}/rules"
  },
  "ListHooks": {
    "path": "/v1/sessions/{id}/hooks"
  }
};

/** `{id}` in a path is `sessionId`; `{name}` the field that `name` says, else `name`. */
export interface QueryRoute {
  readonly method?: string;
  readonly path: string;
  readonly ofSession?: string;
  readonly name?: string;
}

/** Reasons of an engine's refusals. */
export type EngineReason =
  | "AgentInvalid"
  | "AttachmentMissing"
  | "AttachmentRefused"
  | "AttachmentsFull"
  | "BashCancelledMidCommand"
  | "BodyTooLarge"
  | "BodyTooSlow"
  | "CanonicalFormMismatch"
  | "CassetteExhausted"
  | "CassetteInvalid"
  | "CassetteMismatch"
  | "CassetteUnwritable"
  | "CheckpointMissing"
  | "CheckpointRequired"
  | "CheckpointUnwritable"
  | "CheckpointsDamaged"
  | "ClaimsInvalid"
  | "CompactionStuck"
  | "ConfigInvalid"
  | "ConnectionLost"
  | "ContentLeftOut"
  | "ContextFileUnused"
  | "ContextOverflow"
  | "CopilotLoginFailed"
  | "CostBudgetExceeded"
  | "CostUncapped"
  | "CostUnknown"
  | "CredentialHelperFailed"
  | "CredentialsDamaged"
  | "CredentialsLocked"
  | "CredentialsUnwritable"
  | "DiskUnwritable"
  | "DraftsFull"
  | "EmptyResponse"
  | "EngineCertificate"
  | "EngineKilled"
  | "EngineLost"
  | "EngineNotStarted"
  | "EngineRefused"
  | "EngineRunning"
  | "EngineSilent"
  | "EngineStopping"
  | "EngineUnreachable"
  | "ExportInvalid"
  | "FileChanged"
  | "FileNotAttached"
  | "Forbidden"
  | "GoogleCredentialsUnusable"
  | "HandshakeRequired"
  | "HandshakeVersionMismatch"
  | "HookHashChanged"
  | "HookTimeout"
  | "InputQueueFull"
  | "InternalError"
  | "InvalidBody"
  | "InvalidCommand"
  | "InvalidEvent"
  | "InvalidFrame"
  | "InvalidHeader"
  | "InvalidHost"
  | "InvalidOrigin"
  | "InvalidPath"
  | "InvalidQuery"
  | "InvalidSessionID"
  | "KeyStoreMissing"
  | "LeaseLost"
  | "LogHeld"
  | "MCPServerSHA256Mismatch"
  | "MCPServerUnavailable"
  | "MachineKeyUnusable"
  | "McpLoginFailed"
  | "McpLoginNeeded"
  | "McpProgramMissing"
  | "McpPromptUnusable"
  | "McpRecordUnusable"
  | "McpRuleIdle"
  | "McpScopeMissing"
  | "McpServerStopped"
  | "McpServerUnknown"
  | "McpServersConflict"
  | "McpStartFailed"
  | "McpStartLate"
  | "McpStartSlow"
  | "McpToolsChanged"
  | "MemoryFull"
  | "MemoryInvalid"
  | "MemoryMissing"
  | "MemoryUnreadable"
  | "MemoryUnwritable"
  | "MethodNotAllowed"
  | "MintBusy"
  | "MintCodeWrong"
  | "MintExpired"
  | "MintRefused"
  | "MintTooOften"
  | "MintTooWide"
  | "ModelTakenOver"
  | "ModelUnavailable"
  | "NoModel"
  | "NoProgress"
  | "NoSuchSession"
  | "NonInteractiveAckRefused"
  | "NotABoundary"
  | "NotOnThisMachine"
  | "NothingToContinue"
  | "NotifyFailed"
  | "OrphanUnsettled"
  | "OutputTruncated"
  | "OutputUnwritable"
  | "OwnerRefused"
  | "OwnerTokenStale"
  | "ParentRefused"
  | "ParentsUnusable"
  | "PathMissing"
  | "PermissionDenied"
  | "PermissionTimeout"
  | "PluginConflict"
  | "PluginCrashed"
  | "PluginFailed"
  | "PluginInvalid"
  | "PluginOff"
  | "ProfileInUse"
  | "ProfileMissing"
  | "PromptRefused"
  | "PromptTemplateInvalid"
  | "PromptTooLarge"
  | "ProviderFailed"
  | "ProviderKeyInvalid"
  | "ProviderKeyMissing"
  | "ProviderKeyRefused"
  | "ProviderQuotaExceeded"
  | "ProviderRefused"
  | "ProviderSilent"
  | "ProviderTimeout"
  | "ProviderUnreachable"
  | "RateLimited"
  | "ResponseRefused"
  | "RevocationsUnusable"
  | "RewindChanged"
  | "RuntimeUnsupported"
  | "SandboxSettingUnmet"
  | "SandboxUnavailable"
  | "ScheduleBusy"
  | "ScheduleMissing"
  | "ScheduleTaken"
  | "ScheduleUnusable"
  | "SessionAmbiguous"
  | "SessionEnding"
  | "SessionMissing"
  | "SessionPinned"
  | "SessionsLocked"
  | "ShellQueueFull"
  | "SkillMissing"
  | "SkillProblem"
  | "StateUnwritable"
  | "StoreBusy"
  | "StoreCorrupt"
  | "StoreFailed"
  | "StoreInUse"
  | "StoreNewer"
  | "StoreUnwritable"
  | "StreamInterrupted"
  | "StreamMalformed"
  | "SubAgentFailed"
  | "TargetUnusable"
  | "TemporaryUnusable"
  | "TimeLimitReached"
  | "TokenExpired"
  | "TokenFileUnsafe"
  | "TokenInvalid"
  | "TokenKeyUnusable"
  | "TokenMissing"
  | "TokenNotHere"
  | "TokenRevoked"
  | "TooManyClients"
  | "TooManyFollowed"
  | "TooManyFrames"
  | "ToolInvalid"
  | "ToolNameTaken"
  | "TrustDrift"
  | "TrustLedgerInvalid"
  | "TrustLedgerUnwritable"
  | "TrustRefused"
  | "TurnInProgress"
  | "TurnInterrupted"
  | "TurnLimitReached"
  | "UnknownAgent"
  | "UnknownClient"
  | "UnknownCommandNamespace"
  | "UnknownModel"
  | "UnknownPromptTemplate"
  | "UnknownProvider"
  | "UnknownResource"
  | "UnknownRoute"
  | "UnknownSession"
  | "UnknownSkillPack"
  | "UnknownToolPack"
  | "UnsupportedContent"
  | "UnsupportedMediaType"
  | "UploadsBusy"
  | "UsageInvalid"
  | "VertexUnplaced"
  | "WorktreeFailed"
  | "WorktreeStays";
