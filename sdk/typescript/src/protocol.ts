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

/** One command of a client. */
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
  | StoreProviderKeyCommand
  | AskAutoAttachCommand
  | AnswerAutoAttachCommand;

/** Result of an accepted command. Refusals are `HarnessError`s. */
export interface Accepted {
  /** The session that was created or branched, or the run that took over a paused one. */
  readonly sessionId?: SessionId;
  /** The input, if it waits. */
  readonly inputId?: InputId;
  /** Result of a command that returns data (a preview, a status). */
  readonly result?: unknown;
}

/** A file that a session keeps for its inputs. Since protocol 0.3.0. */
export interface AttachmentInfo {
  /** Id of an uploaded file. */
  readonly attachment: string;
  /** The name alone, without folders. */
  readonly name: string;
  /** From the bytes of the file, whatever the upload said. */
  readonly media_type: string;
  /** Size of the file. */
  readonly bytes: number;
}

/** One event of a session. A client ignores a kind that it does not know. */
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

/**
 * One item of the stream of news about sessions. It begins with a `SessionChanged` of each session, then
 * `NewsReady`; later ones are changes. Since protocol 0.3.0.
 */
export type NewsItem = SessionChangedNews | SessionGoneNews | NewsReadyNews;

/**
 * Statement of each side before any command. `command_kinds`, `event_kinds` and `features` list only what
 * is served.
 */
export interface Handshake {
  /** Version of the protocol that the engine speaks. */
  readonly protocol_version: string;
  /** Version of the form in which messages are kept. */
  readonly canonical_form_version: number;
  /** Version of the claims in tokens. */
  readonly schema_version_token_claim: number;
  /** Version of the format of profiles. */
  readonly schema_version_profile: number;
  /** Version of the format of session logs. */
  readonly schema_version_session_log: number;
  /** The commands that the engine accepts. */
  readonly command_kinds: readonly string[];
  /** The events that the engine writes. */
  readonly event_kinds: readonly string[];
  /** The queries that the engine answers. Since protocol 0.3.0. */
  readonly query_kinds?: readonly string[];
  /** Features that the engine serves, by name. */
  readonly features: readonly string[];
  /** Scheme of the addresses of MCP resources. */
  readonly resource_uri_scheme: string;
}

/** A kind of sub-agent. */
export interface AgentInfo {
  /** Name of the kind. */
  readonly name: string;
  /** Purpose, for the model. */
  readonly description: string;
}

/** Statistics of the caches of one name. Hits, misses and evictions count from the start of the engine. */
export interface CacheInfo {
  /** Name of the cache. */
  readonly name: string;
  /** Number of entries. */
  readonly entries: number;
  /** Size of the entries. */
  readonly bytes: number;
  /** Lookups that found an entry. */
  readonly hits: number;
  /** Lookups that found none. */
  readonly misses: number;
  /** Entries removed for lack of space. */
  readonly evictions: number;
}

/** The parts of an engine and their state, for its operator. */
export interface EngineHealth {
  /** Version of cinch. */
  readonly version: string;
  /** Process id of the engine. */
  readonly pid: number;
  /** Number of sessions that run. */
  readonly sessions: number;
  /** `none`: there are no keys, or the engine holds them itself. */
  readonly key_helper: {
    /** State of the process that holds keys. */
    readonly state: "none" | "starting" | "working" | "restarting" | "failed";
    /** Number of its failures. */
    readonly failures?: number;
  };
  /** Source of the machine key. Absent: it was not used yet. */
  readonly machine_key?: string;
  /** The file that holds the sessions. */
  readonly database: {
    /** Path of the file. */
    readonly path: string;
    /** Size of the file. Absent if there is none. */
    readonly bytes?: number;
  };
  /** The MCP servers that it uses. */
  readonly mcp_servers: readonly McpServerInfo[];
  /** Addresses. Empty: it serves its own process only. */
  readonly listening: readonly string[];
  /** Origins whose pages it answers. Absent: none. Since protocol 0.3.0. */
  readonly allowed_origins?: readonly string[];
  /**
   * Notifications to the user's address. `problem` is that of the last one; `dropped` are those that had no room.
   * Absent: none are sent. Since protocol 0.3.0.
   */
  readonly notify?: {
    /** "failing": the last one was not delivered. */
    readonly state: "working" | "failing";
    /** Reason why the last one was not delivered. */
    readonly problem?: string;
    /** Number of delivered notifications. */
    readonly sent: number;
    /** Number of failed notifications. */
    readonly failed: number;
    /** Number of notifications that had no room. */
    readonly dropped: number;
  };
}

/** Body of every refusal. */
export interface ErrorBody {
  /** Name of the refusal, for programs. */
  readonly reason: string;
  /** Text for people. */
  readonly message: string;
  /** Values in the text, by name. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A client that follows a session. Since protocol 0.3.0. */
export interface FollowingClient {
  /** Id of a client. */
  readonly id: ClientId;
  /** Name that it gives itself, without control characters. Never trust it: clients may share one. */
  readonly label: string;
  /** Class of its token. */
  readonly identity_class: "human" | "agent";
}

/** State of the engine. */
export interface Health {
  /** `starting`: it listens, and its owner gets no token yet. Since protocol 0.3.0. */
  readonly status: "ok" | "starting" | "stopping";
  /** Version of the protocol that it speaks. */
  readonly protocol_version: string;
}

/** An MCP server of the engine. */
export interface McpServerInfo {
  /** Name of the server. */
  readonly name: string;
  /** "degraded": it could not be started again. */
  readonly state: "stopped" | "starting" | "running" | "degraded";
  /** Number of its tools. */
  readonly tools: number;
  /**
   * The sessions that use it, of those that the token names. It distinguishes two servers of one name that
   * different sessions declare. Since protocol 0.3.0.
   */
  readonly sessions?: readonly SessionId[];
}

/** A model of a provider. */
export interface ModelInfo {
  /** Name of the model, without its provider. */
  readonly id: string;
  /** Name for people. */
  readonly name?: string;
  /** Tokens that it accepts. Absent: unknown. */
  readonly context_tokens?: number;
  /** Longest answer. Absent: unknown. */
  readonly output_tokens_max?: number;
  /** Content that it is known to accept. Absent: unknown. Since protocol 0.3.0. */
  readonly accepts?: ReadonlyArray<"text" | "image" | "audio" | "pdf">;
  /** True if it can think before it answers. Absent: unknown. Since protocol 0.3.0. */
  readonly thinking?: boolean;
  /** Efforts that it accepts; others become the nearest below. Absent: unknown. Since protocol 0.3.0. */
  readonly efforts?: ReadonlyArray<"off" | "low" | "medium" | "high" | "xhigh" | "max">;
  /** Absent: unknown. */
  readonly price?: PriceInfo;
}

/** Prices of one model. `long`: for a request whose input has more tokens than `above_tokens`. */
export interface ModelPriceInfo {
  /** Price of the input. */
  readonly input: number;
  /** Price of the answer. */
  readonly output: number;
  /** Price of input that is read from the prompt cache. */
  readonly cache_read?: number;
  /** Price of input that is written to the prompt cache. */
  readonly cache_write?: number;
  /** Prices of a long request. */
  readonly long?: {
    /** Price of the input. */
    readonly input: number;
    /** Price of the answer. */
    readonly output: number;
    /** Price of input that is read from the prompt cache. */
    readonly cache_read?: number;
    /** Price of input that is written to the prompt cache. */
    readonly cache_write?: number;
    /** A request with more input tokens is long. */
    readonly above_tokens: number;
  };
}

/** US dollars for one million tokens. An absent price is unknown, never free. */
export interface PriceInfo {
  /** Price of the input. */
  readonly input: number;
  /** Price of the answer. */
  readonly output: number;
  /** Price of input that is read from the prompt cache. */
  readonly cache_read?: number;
  /** Price of input that is written to the prompt cache. */
  readonly cache_write?: number;
}

/** A profile, with what it declares. */
export interface ProfileInfo {
  /** Name of the profile. */
  readonly name: string;
  /** "embedded": part of cinch; "user": in the user's configuration. */
  readonly source: "embedded" | "user";
  /** `provider:name`. */
  readonly default_model?: string;
  /** Files whose text stands in the system text. */
  readonly context_sources?: readonly string[];
  /** Groups of tools that it has. */
  readonly tool_packs?: readonly string[];
  /** Folders of skills that it has. */
  readonly skill_packs?: readonly string[];
  /** Servers that the profile itself declares, without their arguments and environment. */
  readonly mcp_servers?: ReadonlyArray<{
    /** Name of the server. */
    readonly name: string;
    /** Transport to the server. */
    readonly transport: "stdio" | "http" | "sse";
    /** When its tools are read: at the start, or when one is needed. */
    readonly discovery?: "eager" | "lazy";
    /** True if its program is pinned to its content. */
    readonly pinned: boolean;
  }>;
  /** Names of its plugins. */
  readonly plugins?: readonly string[];
  /** Permissions that it declares. */
  readonly permissions?: {
    /** Levels of a session, the tightest first. */
    readonly level?: "ReadOnly" | "WorkspaceWrite" | "DangerFullAccess";
    /** True if calls above the level are denied without a question. */
    readonly strict?: boolean;
    /** Permission rules. */
    readonly rules: ReadonlyArray<{
      /** Effect of the rule. */
      readonly effect: "allow" | "ask" | "deny";
      /** The rule. */
      readonly rule: string;
    }>;
  };
  /** True if hooks of repositories may run. */
  readonly allow_project_hooks?: boolean;
}

/** A model provider. */
export interface ProviderInfo {
  /** Name of the provider. */
  readonly name: string;
  /** True if it is set up: a key exists, or the configuration names it. Keys themselves are never returned. */
  readonly configured: boolean;
  /** Its catalogue. Absent: not requested, or not available. */
  readonly models?: readonly ModelInfo[];
  /** Reason why the catalogue is not available. */
  readonly error?: string;
  /**
   * Usual address of a model server on the machine of the engine; ListModels shows if it answers. Absent: it is
   * another provider. Since protocol 0.3.0.
   */
  readonly address?: string;
  /** Variable for its key, which StoreProviderKey stores. Absent: it takes no such key. Since protocol 0.3.0. */
  readonly key_variable?: string;
}

/** The process behind an engine. Optional fields are absent for a token of named sessions. */
export interface RuntimeInfo {
  /** Version of cinch. */
  readonly version: string;
  /** Version of the protocol that it speaks. */
  readonly protocol_version: string;
  /** Random id of each start of the engine. Since protocol 0.3.0. */
  readonly engine: string;
  /** Process id of the engine. */
  readonly pid?: number;
  /** Time at which it started. */
  readonly started_at?: string;
  /** Number of sessions that run. */
  readonly sessions?: number;
  /** Data in memory that can be fetched again: the caches share one budget, in bytes. */
  readonly caches?: {
    /** Size of all caches. */
    readonly bytes: number;
    /** Limit of that size. */
    readonly bytes_max: number;
    /** The caches. */
    readonly each: readonly CacheInfo[];
  };
}

/** One session at its own address: `last_events` are the newest of its log, in order. */
export interface SessionDetail {
  /** The newest run on its log. */
  readonly session: SessionId;
  /** Id of a log: it stays the same when a session is resumed. */
  readonly log: LogId;
  /**
   * "running": a process holds it; "interrupted": it stopped in the middle of a turn; "paused": it can
   * be resumed.
   */
  readonly status: "running" | "interrupted" | "paused";
  /** True if this engine runs it: it takes input now. */
  readonly live: boolean;
  /**
   * "running": a turn runs; "waiting": a question waits for an answer; "idle": neither. Of a session of another
   * process it is only known if a turn runs. Since protocol 0.3.0.
   */
  readonly state?: "running" | "waiting" | "idle";
  /** The beginning of the first prompt, unless `renamed`. */
  readonly title: string;
  /** True if a person gave it its title. Since protocol 0.3.0. */
  readonly renamed?: boolean;
  /** True if lists leave it out. Since protocol 0.3.0. */
  readonly archived?: boolean;
  /** Name of the profile. */
  readonly profile: string;
  /** `provider:name`. */
  readonly model: string;
  /** The effort that a client chose for the session. Absent: the configuration decides. Since protocol 0.3.0. */
  readonly effort?: "off" | "low" | "medium" | "high" | "xhigh" | "max";
  /** Permission level; of a session that runs here. Since protocol 0.3.0. */
  readonly level?: "ReadOnly" | "WorkspaceWrite" | "DangerFullAccess";
  /** True in plan mode. Since protocol 0.3.0. */
  readonly plan_mode?: boolean;
  /** Number of turns. */
  readonly turns: number;
  /**
   * True if it was never used: it has no turn, waiting input, command of a person, title of a person, draft or
   * pin. Since protocol 0.3.0.
   */
  readonly unused?: boolean;
  /** Turns that have ended since the mark of `reader`; without a mark, all. Since protocol 0.3.0. */
  readonly unread?: number;
  /** US dollars of all of its calls; null if the price of one is unknown. Since protocol 0.3.0. */
  readonly cost_usd?: number | null;
  /** Tokens of the input of all of its calls, without those of the cache. Since protocol 0.3.0. */
  readonly input_tokens?: number;
  /** Tokens of the answers. */
  readonly output_tokens?: number;
  /** Tokens read from the prompt cache. */
  readonly cache_read_tokens?: number;
  /** Tokens written to the prompt cache. */
  readonly cache_write_tokens?: number;
  /** Tokens of the newest request and its answer. Absent: unknown. Since protocol 0.3.0. */
  readonly context_tokens?: number;
  /** Tokens that the model accepts. Absent: unknown. Since protocol 0.3.0. */
  readonly context_window?: number;
  /** Questions that wait for an answer; 0 for a session that does not run here. Since protocol 0.3.0. */
  readonly questions?: number;
  /** Inputs that wait for their turn; 0 for a session that does not run here. Since protocol 0.3.0. */
  readonly queued?: number;
  /** The id of its last event. */
  readonly events: number;
  /**
   * Set if it broke off: clients may have seen events up to this id. The next run begins behind it, with a
   * StreamGap for those that are lost. Since protocol 0.3.0.
   */
  readonly reserved?: number;
  /** Set if a question in it is not answered: every open question has an id above this. */
  readonly asked_since?: number;
  /** Set if an input in it waits for its turn: every one that waits has an id above this. Since protocol 0.3.0. */
  readonly queued_since?: number;
  /** Time at which its log began. */
  readonly created_at: string;
  /** Time of its last event. */
  readonly updated_at: string;
  /** Absolute path of its working directory. */
  readonly working_dir: string;
  /** True if it does not end by itself when nobody uses it. */
  readonly pinned: boolean;
  /** `session`: the newest run of that log; absent if it was deleted. */
  readonly branch_of?: {
    /** Id of a log: it stays the same when a session is resumed. */
    readonly log: LogId;
    /** The event at which it branched off. */
    readonly event: number;
    /** Id of a session: one run on a log. */
    readonly session?: SessionId;
  };
  /** Names of the clients that follow it; for tokens of every session. Since protocol 0.3.0. */
  readonly attached_by?: readonly string[];
  /**
   * The clients that follow it, in the order in which they came, each once; at most `CLIENTS_LISTED_MAX`. For
   * tokens of every session. News of the session come when one attaches or leaves. Since protocol 0.3.0.
   */
  readonly clients?: readonly FollowingClient[];
  /** Days until content of it expires. Absent: none will. Since protocol 0.3.0. */
  readonly expires_in_days?: number;
  /** The end of the model's last text on one line, with `previews`. Since protocol 0.3.0. */
  readonly last_text?: string;
  /** The newest events of its log, in order. */
  readonly last_events: readonly Envelope[];
}

/** A session, running or stored. */
export interface SessionInfo {
  /** The newest run on its log. */
  readonly session: SessionId;
  /** Id of a log: it stays the same when a session is resumed. */
  readonly log: LogId;
  /**
   * "running": a process holds it; "interrupted": it stopped in the middle of a turn; "paused": it can
   * be resumed.
   */
  readonly status: "running" | "interrupted" | "paused";
  /** True if this engine runs it: it takes input now. */
  readonly live: boolean;
  /**
   * "running": a turn runs; "waiting": a question waits for an answer; "idle": neither. Of a session of another
   * process it is only known if a turn runs. Since protocol 0.3.0.
   */
  readonly state?: "running" | "waiting" | "idle";
  /** The beginning of the first prompt, unless `renamed`. */
  readonly title: string;
  /** True if a person gave it its title. Since protocol 0.3.0. */
  readonly renamed?: boolean;
  /** True if lists leave it out. Since protocol 0.3.0. */
  readonly archived?: boolean;
  /** Name of the profile. */
  readonly profile: string;
  /** `provider:name`. */
  readonly model: string;
  /** The effort that a client chose for the session. Absent: the configuration decides. Since protocol 0.3.0. */
  readonly effort?: "off" | "low" | "medium" | "high" | "xhigh" | "max";
  /** Permission level; of a session that runs here. Since protocol 0.3.0. */
  readonly level?: "ReadOnly" | "WorkspaceWrite" | "DangerFullAccess";
  /** True in plan mode. Since protocol 0.3.0. */
  readonly plan_mode?: boolean;
  /** Number of turns. */
  readonly turns: number;
  /**
   * True if it was never used: it has no turn, waiting input, command of a person, title of a person, draft or
   * pin. Since protocol 0.3.0.
   */
  readonly unused?: boolean;
  /** Turns that have ended since the mark of `reader`; without a mark, all. Since protocol 0.3.0. */
  readonly unread?: number;
  /** US dollars of all of its calls; null if the price of one is unknown. Since protocol 0.3.0. */
  readonly cost_usd?: number | null;
  /** Tokens of the input of all of its calls, without those of the cache. Since protocol 0.3.0. */
  readonly input_tokens?: number;
  /** Tokens of the answers. */
  readonly output_tokens?: number;
  /** Tokens read from the prompt cache. */
  readonly cache_read_tokens?: number;
  /** Tokens written to the prompt cache. */
  readonly cache_write_tokens?: number;
  /** Tokens of the newest request and its answer. Absent: unknown. Since protocol 0.3.0. */
  readonly context_tokens?: number;
  /** Tokens that the model accepts. Absent: unknown. Since protocol 0.3.0. */
  readonly context_window?: number;
  /** Questions that wait for an answer; 0 for a session that does not run here. Since protocol 0.3.0. */
  readonly questions?: number;
  /** Inputs that wait for their turn; 0 for a session that does not run here. Since protocol 0.3.0. */
  readonly queued?: number;
  /** The id of its last event. */
  readonly events: number;
  /**
   * Set if it broke off: clients may have seen events up to this id. The next run begins behind it, with a
   * StreamGap for those that are lost. Since protocol 0.3.0.
   */
  readonly reserved?: number;
  /** Set if a question in it is not answered: every open question has an id above this. */
  readonly asked_since?: number;
  /** Set if an input in it waits for its turn: every one that waits has an id above this. Since protocol 0.3.0. */
  readonly queued_since?: number;
  /** Time at which its log began. */
  readonly created_at: string;
  /** Time of its last event. */
  readonly updated_at: string;
  /** Absolute path of its working directory. */
  readonly working_dir: string;
  /** True if it does not end by itself when nobody uses it. */
  readonly pinned: boolean;
  /** `session`: the newest run of that log; absent if it was deleted. */
  readonly branch_of?: {
    /** Id of a log: it stays the same when a session is resumed. */
    readonly log: LogId;
    /** The event at which it branched off. */
    readonly event: number;
    /** Id of a session: one run on a log. */
    readonly session?: SessionId;
  };
  /** Names of the clients that follow it; for tokens of every session. Since protocol 0.3.0. */
  readonly attached_by?: readonly string[];
  /**
   * The clients that follow it, in the order in which they came, each once; at most `CLIENTS_LISTED_MAX`. For
   * tokens of every session. News of the session come when one attaches or leaves. Since protocol 0.3.0.
   */
  readonly clients?: readonly FollowingClient[];
  /** Days until content of it expires. Absent: none will. Since protocol 0.3.0. */
  readonly expires_in_days?: number;
  /** The end of the model's last text on one line, with `previews`. Since protocol 0.3.0. */
  readonly last_text?: string;
}

/** The profile of a session, with what is loaded under it. */
export interface SessionProfile {
  /** Name of the profile. */
  readonly profile: string;
  /** The name or path that it was requested by. */
  readonly reference: string;
  /** Path of its file. */
  readonly path: string;
  /** Source. */
  readonly source: "embedded" | "user";
  /** `provider:name`. */
  readonly model: string;
  /** Names of its skills. */
  readonly skills: readonly string[];
  /** The MCP servers that run for it. */
  readonly mcp_servers: readonly McpServerInfo[];
  /** Its tools. */
  readonly tools: ReadonlyArray<{
    /** Name of the tool. */
    readonly name: string;
    /** Source of the tool. */
    readonly source: string;
  }>;
}

/** A skill. */
export interface SkillInfo {
  /** Name of the skill. */
  readonly name: string;
  /** In a list one line of at most 250 characters; with the text the whole of it. */
  readonly description: string;
  /** Source. */
  readonly source: string;
  /** Its folder, if a session is given. */
  readonly path?: string;
}

/** A skill with its text. */
export interface SkillText {
  /** Name of the skill. */
  readonly name: string;
  /** In a list one line of at most 250 characters; with the text the whole of it. */
  readonly description: string;
  /** Source. */
  readonly source: string;
  /** Its folder, if a session is given. */
  readonly path?: string;
  /** The text of SKILL.md below its head. */
  readonly text: string;
  /** Other fields of its SKILL.md head, unchanged: license, compatibility, metadata, allowed-tools and others. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** A command that a person can type behind a slash. */
export interface SlashCommandInfo {
  /** Without the slash; with its namespace if it has one: "compact", "sessions:list". */
  readonly name: string;
  /** The command with its words. */
  readonly usage: string;
  /** Effect in a sentence. */
  readonly help: string;
  /** The command that runs it; "client" if the client runs it itself. */
  readonly command: string;
  /** For an alias: what a client replaces it with, before the words that follow. */
  readonly alias_of?: string;
  /** Part of the name before the colon; absent: it has none. */
  readonly namespace?: string;
  /** The same as `help`. */
  readonly description?: string;
  /** Words after the name, as `usage` writes them; absent: there are none, or they are free. */
  readonly args_help?: string;
  /** JSON Schema of the words after the name, as one text. */
  readonly args_schema?: Readonly<Record<string, unknown>>;
  /** Further names. Since protocol 0.3.0. */
  readonly aliases?: readonly string[];
  /** True if the words are one text: quotes need not be closed. Since protocol 0.3.0. */
  readonly takes_text?: boolean;
  /** The query or command that a client sends for it, and the layout of the answer. Since protocol 0.3.0. */
  readonly stands_for?: {
    /** Kind of the query. */
    readonly query?: string;
    /** Kind of the command. */
    readonly command?: string;
    /** Source of each field. */
    readonly fields?: Readonly<Record<string, 
      | {
          readonly from: "session";
          /** Not sent if one of these flags is present. */
          readonly unless?: readonly string[];
        }
      | {
          readonly from: "word";
          /** Number of the word, from 0. */
          readonly at: number;
          /** True: the word may be missing. */
          readonly optional?: boolean;
        }
      | {
          readonly from: "find";
          /** Number of the word, from 0. */
          readonly at: number;
        }
      | {
          readonly from: "rest";
        }
      | {
          readonly from: "flag";
          /** The flags. */
          readonly words: readonly string[];
        }
      | {
          readonly from: "option";
          /** The flags. */
          readonly words: readonly string[];
          /** Other spellings of a value. */
          readonly same?: Readonly<Record<string, string>>;
        }
      | {
          readonly from: "value";
          /** The constant. */
          readonly value: unknown;
        }>>;
    /** Layout of the answer. Absent: nothing is drawn. */
    readonly shows?:
      | {
          readonly as: "text";
          /** The template. */
          readonly text: string;
          /** Text if every field of `text` is absent. */
          readonly none?: string;
        }
      | {
          readonly as: "list";
          /** The list in the answer. */
          readonly field: string;
          /** The template of one line. */
          readonly line: string;
          /** The text for an empty list. */
          readonly none: string;
          /** Texts that replace values. */
          readonly words?: Readonly<Record<string, string>>;
          /** A list of further lines in the answer. */
          readonly notes?: string;
          /** A line below the list. */
          readonly after?: string;
          /** Marks with a star the line whose `key` equals the answer's `field`; other lines begin with a space. */
          readonly mark?: {
            /** The field of the answer. */
            readonly field: string;
            /** The field of the line. */
            readonly key: string;
          };
        }
      | {
          readonly as: "table";
          /** The list in the answer. */
          readonly field: string;
          /** Head and template of each column. */
          readonly columns: ReadonlyArray<{
            /** Head of the column. */
            readonly head: string;
            /** Template of the column. */
            readonly cell: string;
          }>;
          /** The text for an empty list. */
          readonly none: string;
        }
      | {
          readonly as: "sessions";
          /** The text for an empty list. */
          readonly none: string;
        }
      | {
          readonly as: "profile";
        }
      | {
          readonly as: "health";
        };
  };
  /** True if it belongs to cinch, and is the same in each session. */
  readonly is_builtin?: boolean;
}

/** A background task of a session. */
export interface TaskInfo {
  /** Id of a background task. */
  readonly task: TaskId;
  /** Description of the task. */
  readonly what: string;
  /** State of the task. */
  readonly state: "running" | "done" | "failed" | "stopped";
  /** Result or reason, in words. */
  readonly detail?: string;
  /** Time of its last update. */
  readonly updated_at: string;
}

/** A tool. */
export interface ToolInfo {
  /** Name, as the model calls it. */
  readonly name: string;
  /** Description for the model. */
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly input_schema: Readonly<Record<string, unknown>>;
  /** Permission level under which it runs without a question. */
  readonly level: "ReadOnly" | "WorkspaceWrite" | "DangerFullAccess";
  /** True if it may change something. */
  readonly mutating: boolean;
  /** True if requests leave it out until the model searches for it. */
  readonly lazy: boolean;
  /** Source: cinch, an MCP server, a plugin or a skill. */
  readonly source: string;
  /** Its name with the spelling of its MCP server, if that is another. Since protocol 0.3.0. */
  readonly spelled?: string;
  /** The reason why each call needs the yes of a person, whatever rules say. Since protocol 0.3.0. */
  readonly person_only?: string;
}

/** Answer to `?wait=turn`, when the turn has ended. */
export interface TurnAnswer {
  /** Text of the last message of the model that had any; empty if none had. */
  readonly text: string;
  /** Reason why the turn ended, as TurnEnded has it; `withdrawn` if the input was withdrawn. */
  readonly reason: string;
  /** Calls of the provider in this turn. */
  readonly turns: number;
  /** US dollars; null if the price of a call is unknown, or a call was cut off before it reported usage. */
  readonly cost_usd: number | null;
  /** Names of the tools that were called, each once, in the order of their first call. */
  readonly tools_used: readonly string[];
  /** Tokens of the turn and its sub-agents. Since protocol 0.3.0. */
  readonly usage?: UsageInfo;
  /** Calls that did not run because nobody had allowed them. Since protocol 0.3.0. */
  readonly refused?: number;
  /** Reason why the turn did not end well. Absent after complete, yield, cancelled and withdrawn. */
  readonly error?: {
    /** Name of the failure, for programs. */
    readonly reason: string;
    /** Text for people. */
    readonly message: string;
  };
  /** With `?events=true`: every event of the turn. */
  readonly events?: readonly unknown[];
}

/** Tokens of provider calls. Counts that a provider does not report are zero. */
export interface UsageInfo {
  /** Provider calls. */
  readonly calls: number;
  /** Without the tokens of the cache. */
  readonly input_tokens: number;
  /** Tokens of the answers. */
  readonly output_tokens: number;
  /** Tokens read from the prompt cache. */
  readonly cache_read_tokens: number;
  /** Tokens written to the prompt cache. */
  readonly cache_write_tokens: number;
}

/** The sessions that run here, with `past` the stored ones too, as far as the token names them; the newest first. */
export interface ListSessionsQuery {
  /** `true`: those that are stored too. Default: those that run. */
  readonly past?: boolean;
  /** Only sessions whose working directory is that of this one. */
  readonly sessionId?: SessionId;
  /** At most so many. Default: 1000. */
  readonly limit?: number;
  /** Words that the title, an id or the working directory contain, in any case: all of them in one field. */
  readonly text?: string;
  /** Only sessions in this state: `running`, `waiting` or `idle`. */
  readonly state?: "running" | "waiting" | "idle";
  /** Archived sessions: `without` them (the default), `with` them, or them `only`. */
  readonly archived?: "without" | "with" | "only";
  /** `cursor` of an answer: the list continues after it. */
  readonly before?: string;
  /**
   * Name under which a client marks what it has read: `unread` is counted from its mark. Default: `unread` is
   * left out.
   */
  readonly reader?: string;
  /** `true`: with the end of the model's last text. */
  readonly previews?: boolean;
}

export interface ListSessionsResult {
  /** The sessions, the newest first. */
  readonly sessions: readonly SessionInfo[];
  /** True if there are more: ask again with `before`. Since protocol 0.3.0. */
  readonly more?: boolean;
  /** Absent if there are no more. Since protocol 0.3.0. */
  readonly cursor?: string;
}

/** One session, with its last events. */
export interface GetSessionQuery {
  /** Id of a session: one run on a log. */
  readonly sessionId: SessionId;
  /** Number of events, at most 1000. Default: 50. Above 4 MiB the oldest are left out. */
  readonly last?: number;
  /**
   * Name under which a client marks what it has read: `unread` is counted from its mark. Default: `unread` is
   * left out.
   */
  readonly reader?: string;
  /** `true`: with the end of the model's last text. */
  readonly previews?: boolean;
}

/** The background tasks of a session. */
export interface ListTasksQuery {
  /** Id of a session: one run on a log. */
  readonly sessionId: SessionId;
}

export interface ListTasksResult {
  /** The tasks, in the order in which they started. */
  readonly tasks: readonly TaskInfo[];
}

/** The state of the engine. 503 while it starts: ask again. */
export interface GetHealthQuery {

}

/** The engine that answers; facts of its process for tokens of every session only. */
export interface GetRuntimeQuery {

}

/** The profiles. */
export interface ListProfilesQuery {
  /** Adds the name of the profile of this session. */
  readonly sessionId?: SessionId;
}

export interface ListProfilesResult {
  /** The profiles. */
  readonly profiles: readonly ProfileInfo[];
  /** The profile of the requested session. */
  readonly current?: string;
}

/** One profile. */
export interface GetProfileQuery {
  /** Name of the profile. */
  readonly name: string;
}

/**
 * The model providers. With models, each provider that is set up is asked for them and has 5 s to answer; prices
 * stand beside them. Keys are never shown.
 */
export interface ListProvidersQuery {
  /**
   * Adds the models, for which cinch asks the providers over the network. Default: `true` for a person's token,
   * `false` for an agent's.
   */
  readonly models?: boolean;
  /** Adds the model that a new session would get. Default: `false`. */
  readonly choice?: boolean;
}

export interface ListProvidersResult {
  /** The providers. */
  readonly providers: readonly ProviderInfo[];
  /**
   * Model of a new session without flags and profile: `provider:name`. Absent: not requested, or there is none.
   * Since protocol 0.3.0.
   */
  readonly default_model?: string;
}

/** The models that a provider offers now. */
export interface ListModelsQuery {
  /** Name of the provider. */
  readonly provider: string;
}

export interface ListModelsResult {
  /** The models. */
  readonly models: readonly ModelInfo[];
}

/**
 * The tools of cinch, and those that the running sessions add. Of one session: all that it has, with those of its
 * servers, plugins and skills.
 */
export interface ListToolsQuery {
  /** One session. Default: everything that all sessions have, and what the running ones add. */
  readonly sessionId?: SessionId;
}

export interface ListToolsResult {
  /** The tools. */
  readonly tools: readonly ToolInfo[];
}

/** The skills, each with its name and a short description. */
export interface ListSkillsQuery {
  /** One session. Default: everything that all sessions have, and what the running ones add. */
  readonly sessionId?: SessionId;
}

export interface ListSkillsResult {
  /** The skills. */
  readonly skills: readonly SkillInfo[];
  /** Problems with skill files, if a session is given. */
  readonly notices?: readonly string[];
}

/** One skill with its whole description, its text, and what else its head says. */
export interface GetSkillQuery {
  /** Name of the skill. */
  readonly name: string;
}

/** The commands that a person can type behind a slash, each with the query or command that carries it out. */
export interface ListSlashCommandsQuery {
  /** One session. Default: everything that all sessions have, and what the running ones add. */
  readonly sessionId?: SessionId;
}

export interface ListSlashCommandsResult {
  /** The commands. */
  readonly slash_commands: readonly SlashCommandInfo[];
  /** Reasons why alias files of the session define no alias. */
  readonly alias_problems?: readonly string[];
}

/** The MCP servers that this engine uses. */
export interface ListMcpServersQuery {
  /** One session. Default: everything that all sessions have, and what the running ones add. */
  readonly sessionId?: SessionId;
}

export interface ListMcpServersResult {
  /** The servers. */
  readonly servers: readonly McpServerInfo[];
}

/**
 * The session that a person means: by an id, by the beginning of one, or `last`, the newest in which something
 * was said.
 */
export interface FindSessionQuery {
  /** An id, the beginning of one, or `last`. */
  readonly text: string;
  /** `last` is searched in the working directory of this session. Default: in any. */
  readonly sessionId?: SessionId;
}

/** The profile of a session that runs, with the skills, MCP servers and tools that are loaded in it. */
export interface GetSessionProfileQuery {
  /** Id of a session: one run on a log. */
  readonly sessionId: SessionId;
}

/** Checks if a session can continue under a profile. */
export interface CheckProfileQuery {
  /** Id of a session: one run on a log. */
  readonly sessionId: SessionId;
  /** The name of a profile, or a path. */
  readonly profile: string;
}

export interface CheckProfileResult {
  /** Name of the profile. */
  readonly profile: string;
  /** Path of its file. */
  readonly path: string;
}

/** The kinds of sub-agents that a session has. */
export interface ListAgentsQuery {
  /** Id of a session: one run on a log. */
  readonly sessionId: SessionId;
}

export interface ListAgentsResult {
  /** The kinds of sub-agents. */
  readonly agents: readonly AgentInfo[];
}

/** The text that a prompt template of the user or the project becomes with the words given. */
export interface ExpandPromptQuery {
  /** Id of a session: one run on a log. */
  readonly sessionId: SessionId;
  /** Name of the template. */
  readonly name: string;
  /** Split as a shell does. */
  readonly args?: readonly string[];
  /** The quote in them that nothing closes. */
  readonly unclosed?: string;
  /** The words as typed. Default: `args` with spaces between them. */
  readonly text?: string;
}

export interface ExpandPromptResult {
  /** The text of the prompt. */
  readonly prompt: string;
}

/** The text of a prompt of an MCP server. The server is asked for it. */
export interface ExpandMcpPromptQuery {
  /** Id of a session: one run on a log. */
  readonly sessionId: SessionId;
  /** `server.prompt`. */
  readonly name: string;
  /** Split as a shell does. */
  readonly args?: readonly string[];
  /** The quote in them that nothing closes. */
  readonly unclosed?: string;
}

export interface ExpandMcpPromptResult {
  /** The text of the prompt. */
  readonly prompt: string;
}

/** Prices of models, in US dollars for a million tokens; null if they are unknown. */
export interface ListPricesQuery {
  /** `provider:name`, once for each model. */
  readonly models: readonly string[];
}

export interface ListPricesResult {
  /** Prices by model; null if they are unknown. */
  readonly prices: Readonly<Record<string, ModelPriceInfo | null>>;
}

/** The parts of the engine and how they are. No secrets. */
export interface GetEngineHealthQuery {

}

/** The address of the web client of this engine; absent where none is served. */
export interface GetWebClientQuery {

}

export interface GetWebClientResult {
  /** The address. */
  readonly url?: string;
}

/**
 * The turns of a session in order: the newest, those before a turn, or those after one. Reads the log: what a
 * running turn shows and has not written comes by subscription.
 */
export interface ListTurnsQuery {
  /** Id of a session: one run on a log. */
  readonly sessionId: SessionId;
  /** Turns before this one, the nearest. With `after` too: the last turn is below it. */
  readonly before?: number;
  /** Turns after this one, the nearest; 0: from the first. */
  readonly after?: number;
  /** At most so many. Default: 50. A page is shorter if its turns have over 20000 events. */
  readonly limit?: number;
}

export interface ListTurnsResult {
  /** The turns, in order. */
  readonly turns: ReadonlyArray<{
    /** Number of the turn in its session, from 1. */
    readonly turn: number;
    /** Time at which it started. */
    readonly started_at: string;
    /** Absent while it runs, if its run broke off, and if `cut`. */
    readonly ended_at?: string;
    /** Id of its first event. */
    readonly first_event: number;
    /** Id of its last event. */
    readonly last_event: number;
    /** The beginning of its input. */
    readonly prompt: string;
    /** The beginning of the last message of the session's own agent. */
    readonly answer: string;
    /** Reason why it ended. Absent while it runs. */
    readonly reason?: "complete" | "yield" | "cancelled" | "error" | "length" | "empty" | "turn_limit" | "time_limit" | "budget" | "no_progress";
    /** Name of the failure that ended it. */
    readonly error_reason?: string;
    /** Provider calls of the session's own agent. */
    readonly rounds: number;
    /** Tool calls of the session's own agent. */
    readonly calls: number;
    /** Tools that the session's own agent called, each once; at most 100. */
    readonly tools: readonly string[];
    /**
     * Files that the turn changed, each once; at most 100. From checkpoints, as `GetChanges` names them. While it
     * runs, and without checkpoints: those that calls wrote, as the calls named them.
     */
    readonly files: readonly string[];
    /** Cost with that of sub-agents; null if a price is unknown. */
    readonly cost_usd: number | null;
    /** Number of tokens. */
    readonly input_tokens: number;
    /** Number of tokens. */
    readonly output_tokens: number;
    /** Number of tokens. */
    readonly cache_read_tokens: number;
    /** Set if content of it has expired. */
    readonly expired?: true;
    /** Set while it runs. */
    readonly running?: true;
    /** Set on a turn of more events than an answer reads: its counts, cost and answer are those of a part. */
    readonly cut?: true;
  }>;
  /** True if there are more in the direction of the page. */
  readonly more: boolean;
}

/**
 * The items of a session in order, each in summary: the newest, those before an event, or those after one. Reads
 * the log: what is shown and not written yet comes by subscription.
 */
export interface ListItemsQuery {
  /** Id of a session: one run on a log. */
  readonly sessionId: SessionId;
  /** Items of this turn only. */
  readonly turn?: number;
  /** Items that begin before this event, the nearest. */
  readonly before?: number;
  /** Items that begin after this event, the nearest; 0: from the first. */
  readonly after?: number;
  /** At most so many. Default: 100. A page is shorter if 20000 events have no more. */
  readonly limit?: number;
  /**
   * Items of the sub-agent that this call runs; with the `event` of the call as `after` they are found at once.
   * Default: those of the session's own agent.
   */
  readonly parentCall?: CallId;
}

export interface ListItemsResult {
  /** The items, in order. */
  readonly items: ReadonlyArray<{
    /** The id of its first event, by which `GetItem` finds it. */
    readonly event: number;
    /** The id of its last event that was read. Events of other items may stand between the two. */
    readonly last_event: number;
    /** Kind of an item. */
    readonly kind: "prompt" | "queued" | "text" | "thinking" | "call" | "question" | "notice" | "error" | "cancel" | "compaction" | "checkpoint" | "task" | "todos" | "memory" | "model" | "level" | "profile" | "rule" | "hook" | "gap" | "custom" | "end";
    /** Absent between turns, and where no event that was read says it. */
    readonly turn?: number;
    /** Time of its first event. */
    readonly ts: string;
    /** The beginning of its text. For a call: the tool and what it is called with. */
    readonly text: string;
    /** Name of the tool of a call. */
    readonly tool?: string;
    /** The call, for a call and a question about one. */
    readonly call?: CallId;
    /** State of a call or question. Absent if its end was not read. */
    readonly state?: "running" | "ok" | "error" | "refused" | "cancelled";
    /** Bytes of the JSON of its events. */
    readonly bytes: number;
    /** The call that runs the sub-agent of this item. */
    readonly parent_call?: CallId;
    /** Number of items of the sub-agent that this call runs; absent for none. */
    readonly children?: number;
    /** Set if content of it has expired. */
    readonly expired?: true;
  }>;
  /** True if there are more in the direction of the page. */
  readonly more: boolean;
  /** Set if `more`: the `before` or `after` of the next page, also where this one has no items. */
  readonly next?: number;
}

/** One item with its events. Those of a sub-agent are items of their own. */
export interface GetItemQuery {
  /** Id of a session: one run on a log. */
  readonly sessionId: SessionId;
  /** The first event of the item. */
  readonly event: number;
}

export interface GetItemResult {
  /** The item. */
  readonly item: {
    /** The id of its first event, by which `GetItem` finds it. */
    readonly event: number;
    /** The id of its last event that was read. Events of other items may stand between the two. */
    readonly last_event: number;
    /** Kind of an item. */
    readonly kind: "prompt" | "queued" | "text" | "thinking" | "call" | "question" | "notice" | "error" | "cancel" | "compaction" | "checkpoint" | "task" | "todos" | "memory" | "model" | "level" | "profile" | "rule" | "hook" | "gap" | "custom" | "end";
    /** Absent between turns, and where no event that was read says it. */
    readonly turn?: number;
    /** Time of its first event. */
    readonly ts: string;
    /** The beginning of its text. For a call: the tool and what it is called with. */
    readonly text: string;
    /** Name of the tool of a call. */
    readonly tool?: string;
    /** The call, for a call and a question about one. */
    readonly call?: CallId;
    /** State of a call or question. Absent if its end was not read. */
    readonly state?: "running" | "ok" | "error" | "refused" | "cancelled";
    /** Bytes of the JSON of its events. */
    readonly bytes: number;
    /** The call that runs the sub-agent of this item. */
    readonly parent_call?: CallId;
    /** Number of items of the sub-agent that this call runs; absent for none. */
    readonly children?: number;
    /** Set if content of it has expired. */
    readonly expired?: true;
  };
  /** Its events, in order. */
  readonly events: readonly Envelope[];
  /** Set if events were left out: they are above 4 MiB, or too far from the first one. */
  readonly cut?: true;
}

/**
 * Completes a text at the cursor: files behind an at sign, slash commands at the beginning, and the words behind
 * one. The best match first. Since protocol 0.3.0.
 */
export interface CompleteQuery {
  /** Id of a session: one run on a log. */
  readonly sessionId: SessionId;
  /** The whole text that is being typed. */
  readonly text: string;
  /** Units of UTF-16 before the cursor. */
  readonly cursor: number;
  /** At most so many items. Default: 20. */
  readonly limit?: number;
}

export interface CompleteResult {
  /** Range that an item replaces, in units of UTF-16. */
  readonly from: number;
  /** End of the range, in units of UTF-16. */
  readonly to: number;
  /** The items, the best match first. */
  readonly items: ReadonlyArray<{
    /** Text that replaces the range. */
    readonly insert: string;
    /** Text for a list. */
    readonly label: string;
    /** Further text for a list. */
    readonly detail?: string;
    /** Kind of the item. */
    readonly kind: "file" | "folder" | "command" | "argument" | "session" | "model" | "skill" | "agent";
  }>;
  /** True if some candidates are missing: more match, or not all files are known. */
  readonly more: boolean;
}

/**
 * Money and tokens of a session: in all, by turn, model, agent and what was read, with the misses of the prompt
 * cache. The rows of each kind add up to the total.
 */
export interface GetSpendQuery {
  /** Id of a session: one run on a log. */
  readonly sessionId: SessionId;
}

export interface GetSpendResult {
  /** The sum of the session. */
  readonly total: {
    /** Provider calls. */
    readonly calls: number;
    /** Without the tokens of the cache. */
    readonly input_tokens: number;
    /** Tokens of the answers. */
    readonly output_tokens: number;
    /** Tokens read from the prompt cache. */
    readonly cache_read_tokens: number;
    /** Tokens written to the prompt cache. */
    readonly cache_write_tokens: number;
    /** US dollars; null if the price of a call is unknown. */
    readonly cost_usd: number | null;
    /** US dollars of the calls whose price is known. */
    readonly known_cost_usd: number;
  };
  /** One row for each turn. */
  readonly turns: ReadonlyArray<{
    /** Number of the turn; 0: outside of any. Absent on the row of the earlier ones. */
    readonly turn?: number;
    /** Set on the row that adds up the oldest rows, if there are over 10,000 of a kind. */
    readonly earlier?: true;
    /** Provider calls. */
    readonly calls: number;
    /** Without the tokens of the cache. */
    readonly input_tokens: number;
    /** Tokens of the answers. */
    readonly output_tokens: number;
    /** Tokens read from the prompt cache. */
    readonly cache_read_tokens: number;
    /** Tokens written to the prompt cache. */
    readonly cache_write_tokens: number;
    /** US dollars; null if the price of a call is unknown. */
    readonly cost_usd: number | null;
    /** US dollars of the calls whose price is known. */
    readonly known_cost_usd: number;
  }>;
  /** `provider:name`; absent for calls that ended before they named one. */
  readonly models: ReadonlyArray<{
    /** `provider:name`. Absent if the call ended before one was named. */
    readonly model?: string;
    /** Set on the row that adds up the oldest rows, if there are over 10,000 of a kind. */
    readonly earlier?: true;
    /** Provider calls. */
    readonly calls: number;
    /** Without the tokens of the cache. */
    readonly input_tokens: number;
    /** Tokens of the answers. */
    readonly output_tokens: number;
    /** Tokens read from the prompt cache. */
    readonly cache_read_tokens: number;
    /** Tokens written to the prompt cache. */
    readonly cache_write_tokens: number;
    /** US dollars; null if the price of a call is unknown. */
    readonly cost_usd: number | null;
    /** US dollars of the calls whose price is known. */
    readonly known_cost_usd: number;
  }>;
  /** One row for the session's own agent, without `call`, and one for each sub-agent. */
  readonly agents: ReadonlyArray<{
    /** The call that runs the sub-agent. Absent: the session's own agent. */
    readonly call?: CallId;
    /** Name of the tool that started it. */
    readonly tool?: string;
    /** Set on the row that adds up the oldest rows, if there are over 10,000 of a kind. */
    readonly earlier?: true;
    /** Provider calls. */
    readonly calls: number;
    /** Without the tokens of the cache. */
    readonly input_tokens: number;
    /** Tokens of the answers. */
    readonly output_tokens: number;
    /** Tokens read from the prompt cache. */
    readonly cache_read_tokens: number;
    /** Tokens written to the prompt cache. */
    readonly cache_write_tokens: number;
    /** US dollars; null if the price of a call is unknown. */
    readonly cost_usd: number | null;
    /** US dollars of the calls whose price is known. */
    readonly known_cost_usd: number;
  }>;
  /** By what a call was sent to read: a prompt, the results of these tools, all of them together, or both. */
  readonly reads: ReadonlyArray<{
    /** Tools whose results the call was sent to read. */
    readonly tools: readonly string[];
    /** Set if the call was sent to read a prompt. */
    readonly prompt?: true;
    /** Set if the call made a summary of the history. */
    readonly summary?: true;
    /** Set on the row that adds up the oldest rows, if there are over 10,000 of a kind. */
    readonly earlier?: true;
    /** Provider calls. */
    readonly calls: number;
    /** Without the tokens of the cache. */
    readonly input_tokens: number;
    /** Tokens of the answers. */
    readonly output_tokens: number;
    /** Tokens read from the prompt cache. */
    readonly cache_read_tokens: number;
    /** Tokens written to the prompt cache. */
    readonly cache_write_tokens: number;
    /** US dollars; null if the price of a call is unknown. */
    readonly cost_usd: number | null;
    /** US dollars of the calls whose price is known. */
    readonly known_cost_usd: number;
  }>;
  /** The newest 1,000, in order. */
  readonly cache_misses: ReadonlyArray<{
    /** The id of its CostIncremented event. */
    readonly event: number;
    /** Number of the turn; 0: outside of any. */
    readonly turn: number;
    /** `provider:name`. */
    readonly model: string;
    /** `compaction`: the history was shortened before the call. */
    readonly cause: "model_changed" | "tools_changed" | "system_changed" | "effort_changed" | "history_changed" | "expired" | "unknown" | "compaction";
    /** Tokens that were read again. */
    readonly lost_tokens: number;
  }>;
  /** Money and tokens of the sessions that this one continues under another profile. */
  readonly before?: {
    /** US dollars of the calls whose price is known. */
    readonly known_cost_usd: number;
    /** Number of calls whose price is unknown. */
    readonly unpriced_calls: number;
    /** Including those of the cache. */
    readonly input_tokens: number;
    /** Tokens of the answers. */
    readonly output_tokens: number;
  };
}

/**
 * The parts of the model's context window that the last request of a running session filled. Counts are
 * estimates, corrected by what the provider counts.
 */
export interface GetContextQuery {
  /** Id of a session: one run on a log. */
  readonly sessionId: SessionId;
}

export interface GetContextResult {
  /** `provider:name` of the last request; absent if this run has sent none. */
  readonly model?: string;
  /** Tokens of the last request. */
  readonly used_tokens: number;
  /** The model's window; absent if it is unknown. */
  readonly window_tokens?: number;
  /** The history is shortened before a request above this; absent if this run has sent none. */
  readonly limit_tokens?: number;
  /** The parts of the request. */
  readonly parts: ReadonlyArray<{
    readonly kind: "system" | "tools" | "messages";
    /** The section of the system text, or what the messages are: `prompts`, `answers`, `calls`, `results`. */
    readonly name: string;
    /** Number of tools or messages. */
    readonly count?: number;
    /** Tokens of the part. */
    readonly tokens: number;
  }>;
}

/**
 * The files that a call, a turn or a whole session changed, with their lines, from cinch's checkpoints and not
 * from git. Secrets in them are redacted.
 */
export interface GetChangesQuery {
  /** Id of a session: one run on a log. */
  readonly sessionId: SessionId;
  /** Only the changes of this turn. */
  readonly turn?: number;
  /** Only the changes of this call: the files right before and right after it. */
  readonly callId?: CallId;
  /** Only this file, or the files below this folder. */
  readonly path?: string;
  /** Unchanged lines around each change, at most 20. Default: 3. */
  readonly context?: number;
}

export interface GetChangesResult {
  /** By path. */
  readonly files: ReadonlyArray<{
    /** Below the working directory, with `/`; absolute for a file outside of it. */
    readonly path: string;
    /** Kind of the change. */
    readonly kind: "added" | "changed" | "removed" | "renamed";
    /** The earlier path of a renamed file. */
    readonly from?: string;
    /** "calls": changed by calls alone; "both": by somebody else too; "unknown": in a turn that was cut off. */
    readonly by: "calls" | "both" | "unknown";
    /** Set if a side is not UTF-8 text: it has no lines. */
    readonly binary?: true;
    /**
     * Type and permissions before the change, as git numbers them: 100644; 120000 is a link. Absent without
     * a file.
     */
    readonly old_mode?: string;
    /** The same after the change. Absent if the file was removed. */
    readonly mode?: string;
    /** Lines added; 0 if they were not compared. */
    readonly added: number;
    /** Lines removed; 0 if they were not compared. */
    readonly removed: number;
    /** The changed places. Absent if they are not shown. */
    readonly hunks?: ReadonlyArray<{
      /** The same for the same two texts. */
      readonly id: string;
      /** First line in the old text. */
      readonly old_start: number;
      /** Number of lines in the old text. */
      readonly old_lines: number;
      /** First line in the new text. */
      readonly new_start: number;
      /** Number of lines in the new text. */
      readonly new_lines: number;
      /** Each begins with " ", "+" or "-". `\ No newline at end of file` can follow the last line of a side. */
      readonly lines: readonly string[];
    }>;
    /** The same as a patch for `git apply`. Absent if `cut`, `binary` or `missing`. */
    readonly unified?: string;
    /** Size of the file: after the change, or before it if it was removed. */
    readonly bytes: number;
    /** Set if hunks were left out because of a limit. */
    readonly cut?: true;
    /** Set if its content is not shown: the reason. */
    readonly missing?: string;
  }>;
  /** True if every change is listed, with all of its lines. */
  readonly complete: boolean;
  /** Set if changes are not known: the reason. */
  readonly missing?: string;
  /** Number of changed files beyond the limit. */
  readonly left_out?: number;
}

/**
 * The working directory of a session, with branch and status of the git repository around it. Nothing that the
 * repository names is run.
 */
export interface GetWorkspaceQuery {
  /** Id of a session: one run on a log. */
  readonly sessionId: SessionId;
}

export interface GetWorkspaceResult {
  /** Absolute path of the working directory. */
  readonly working_dir: string;
  /** Absent outside of a repository. */
  readonly git?: {
    /** Top of the working tree. */
    readonly root: string;
    /** Absent if HEAD names a commit. */
    readonly branch?: string;
    /** Name of the commit. Absent before the first one. */
    readonly head?: string;
    /** Name of the upstream branch. */
    readonly upstream?: string;
    /** Commits that the upstream lacks. Absent without an upstream. */
    readonly ahead?: number;
    /** Commits of the upstream that are missing here. Absent without an upstream. */
    readonly behind?: number;
    /** Number of files with a change in the index. */
    readonly staged?: number;
    /** Number of tracked files that differ from the index; conflicts count too. */
    readonly changed?: number;
    /** Number of untracked files; an untracked folder counts once. Ignored ones do not count. */
    readonly untracked?: number;
    /** Set if the status is not known: the reason. */
    readonly problem?: string;
  };
}

/** The unsent text that a reader keeps in a session; empty if there is none. */
export interface GetDraftQuery {
  /** Id of a session: one run on a log. */
  readonly sessionId: SessionId;
  /** The name under which it was kept. */
  readonly reader: string;
}

export interface GetDraftResult {
  /** The text. */
  readonly text: string;
  /** Time at which it was kept; absent if there is none. */
  readonly ts?: string;
}

/**
 * Items whose text holds some words, in one session or in all that the token names: prompts, the model's text and
 * thinking, input and output of calls, questions, errors, tasks and memories. Sessions in the order in which they
 * began, the newest first; in each the newest item first. Beside them the sessions whose titles, as people gave
 * them, hold the words. Since protocol 0.3.0.
 */
export interface SearchSessionsQuery {
  /** Words that must all be in one item, each anywhere in it, in any case. */
  readonly text: string;
  /** Only this session. */
  readonly sessionId?: SessionId;
  /** Only sessions of this directory. */
  readonly workingDir?: string;
  /** Only calls of this tool. */
  readonly tool?: string;
  /** Only calls whose arguments name a path with this part. */
  readonly file?: string;
  /** Only items that began then or later: `2026-03-01`, or a time. */
  readonly from?: string;
  /** Only items that began then or before; a day counts whole. */
  readonly to?: string;
  /** At most so many. Default: 20. */
  readonly limit?: number;
  /** Milliseconds after which the search stops. Default: 2000. */
  readonly timeMs?: number;
  /** The `cursor` of the answer that this one continues. Send the other fields as they were. */
  readonly cursor?: string;
}

export interface SearchSessionsResult {
  /** The matches. */
  readonly hits: ReadonlyArray<{
    /** The newest run on its log. */
    readonly session: SessionId;
    /** The log that holds it. */
    readonly log: LogId;
    /** The title of its session. */
    readonly title: string;
    /** The first event of the item, by which `GetItem` finds it. */
    readonly event: number;
    /** Kind of the item. */
    readonly kind: "prompt" | "queued" | "text" | "thinking" | "call" | "question" | "notice" | "error" | "cancel" | "compaction" | "checkpoint" | "task" | "todos" | "memory" | "model" | "level" | "profile" | "rule" | "hook" | "gap" | "custom" | "end";
    /** Absent between turns, and where no event that was read says it. */
    readonly turn?: number;
    /** Time of its first event. */
    readonly ts: string;
    /** Name of the tool of a call. */
    readonly tool?: string;
    /** The call that runs the sub-agent of this item. */
    readonly parent_call?: CallId;
    /** The text around the first match, at most 240 units of UTF-16, in NFC. */
    readonly snippet: string;
    /** Start and end of each match in the snippet, in units of UTF-16; at most 50. */
    readonly at: ReadonlyArray<readonly number[]>;
  }>;
  /**
   * Sessions whose titles match, those that a person gave; a title that is made from the first prompt is found as
   * a prompt. At most 20, those that began last. Only in an answer to words without tool, file, times and cursor;
   * absent if there are none.
   */
  readonly titles?: ReadonlyArray<{
    /** The newest run on its log. */
    readonly session: SessionId;
    /** Its log. */
    readonly log: LogId;
    /** The title. */
    readonly title: string;
    /** Start and end of each match in the title, in units of UTF-16; at most 50. */
    readonly at: ReadonlyArray<readonly number[]>;
  }>;
  /** True if everything was searched, from the cursor on. */
  readonly complete: boolean;
  /** Set if there is more to search: `limit`, `timeMs` or the events that are read for an answer were reached. */
  readonly cursor?: string;
  /** Counts of this answer. */
  readonly searched: {
    /** Sessions that were searched. */
    readonly sessions: number;
    /** Events that were searched. */
    readonly events: number;
    /** Events among them whose content has expired: nothing is found there. */
    readonly expired: number;
    /** Events among them that cannot be read. If there are any, the answer is not complete. */
    readonly unreadable: number;
  };
}

/**
 * The permission rules that calls of a running session are judged by: those that people allowed in it, then the
 * standing ones. Since protocol 0.3.0.
 */
export interface ListRulesQuery {
  /** Id of a session: one run on a log. */
  readonly sessionId: SessionId;
}

export interface ListRulesResult {
  /** The rules, in the order in which they are looked up. */
  readonly rules: ReadonlyArray<{
    /** `Tool`, `Tool:glob` or `Tool:=literal`. */
    readonly rule: string;
    /** Effect of the rule. */
    readonly effect: "allow" | "ask" | "deny";
    /**
     * Place of the rule. `session`: a person has allowed it in this run. `flag`: the session was opened with it.
     * `user`: config.toml. `promoted`: a person has kept it from a session. `preset`: a file of the program.
     * `project`: the repository, whose rules can only restrict.
     */
    readonly source: "session" | "flag" | "user" | "plugin" | "promoted" | "profile" | "preset" | "project";
    /** The only directory that it holds in, with what is below. */
    readonly directory?: string;
    /** True if RevokeRule takes it back. */
    readonly revocable: boolean;
    /** True if PromoteRule can write it to the profile. */
    readonly promotable: boolean;
    /** Time at which it was allowed, for a rule of the session. */
    readonly ts?: string;
  }>;
  /** True if the list was cut. */
  readonly more: boolean;
}

/**
 * The hooks of a running session, in the order in which they run: those of the user, then those of the repository
 * that a person has acknowledged. Since protocol 0.3.0.
 */
export interface ListHooksQuery {
  /** Id of a session: one run on a log. */
  readonly sessionId: SessionId;
}

export interface ListHooksResult {
  /** The hooks, in the order in which they run. */
  readonly hooks: ReadonlyArray<{
    /** Event that runs it. */
    readonly event: "SessionStart" | "UserPromptSubmit" | "PreToolUse" | "PostToolUse" | "Compact" | "Stop";
    /** Names of tools; `*` stands for any characters. Absent: every tool, or an event that is about none. */
    readonly matcher?: readonly string[];
    /** The command for `/bin/sh`, with secrets redacted. */
    readonly command: string;
    /** File that declares it. */
    readonly source: string;
    /** Seconds after which it is stopped. */
    readonly timeout_s: number;
    /** True for one of the repository, which a person has acknowledged; absent for one of the user's own. */
    readonly acknowledged?: true;
  }>;
  /** Files of the repository with hooks that wait for an acknowledgement: none of them runs. */
  readonly waiting: readonly string[];
  /** True if the list was cut. */
  readonly more: boolean;
}

/**
 * The stored sessions of which content expires within a week, and whether that notice is hidden. Since
 * protocol 0.3.0.
 */
export interface ListExpiringQuery {

}

export interface ListExpiringResult {
  /** The sessions, those that lose content first at the beginning; at most 100. */
  readonly sessions: readonly SessionId[];
  /** Number of all of them. */
  readonly total: number;
  /** True if a person has hidden the notice about each of them: `DismissExpiring`. */
  readonly dismissed: boolean;
}

export interface CreateSessionResult {
  /** Sentences for the person. */
  readonly notices?: readonly string[];
  /**
   * The one of `notices` about sessions that lose content within a week: `DismissExpiring` hides it. Absent: none
   * is. Since protocol 0.3.0.
   */
  readonly expiring?: string;
}

/** Sentences for the person. */
export interface AttachSessionResult {
  /** Sentences for the person. */
  readonly notices?: readonly string[];
}

export interface SwitchProfileResult {
  /** Sentences for the person. */
  readonly notices?: readonly string[];
  /** Name of the profile before. */
  readonly from?: string;
  /** Name of the profile now. */
  readonly to?: string;
  /** Log of the session that continues. */
  readonly log?: LogId;
}

/** False for an answer that came after another one: it changes nothing. */
export interface AnswerPermissionResult {
  /** False for an answer that came after another one: it changed nothing. */
  readonly counted?: boolean;
}

/** False for an answer that came after another one: it changes nothing. */
export interface AnswerResult {
  /** False for an answer that came after another one: it changed nothing. */
  readonly counted?: boolean;
}

/** Values that hold now, also if the command has changed nothing. The fields are there since protocol 0.3.0. */
export interface SetModelResult {
  /** Sentences for the person. */
  readonly notices?: readonly string[];
  /** `provider:name`. */
  readonly model?: string;
  /** The effort that a client chose for the session. Absent: the configuration decides. */
  readonly effort?: "off" | "low" | "medium" | "high" | "xhigh" | "max";
}

export interface SetLevelResult {
  /** Sentences for the person. */
  readonly notices?: readonly string[];
  /** Levels of a session, the tightest first. */
  readonly level: "ReadOnly" | "WorkspaceWrite" | "DangerFullAccess";
}

/** Since protocol 0.3.0. */
export interface EnterPlanModeResult {
  /** True if the session is in plan mode now. */
  readonly planMode: boolean;
}

/** The mode is left once the model has read the answer to its plan. Since protocol 0.3.0. */
export interface ExitPlanModeResult {
  /** True if the session is in plan mode now. */
  readonly planMode: boolean;
}

export interface CompactSessionResult {
  /** True if the history was shortened. */
  readonly compacted?: boolean;
}

export interface BranchSessionResult {
  /** Log of the new session. */
  readonly log: LogId;
  /** The event at which it branches off. */
  readonly at: number;
}

export interface ExportSessionResult {
  /** The file that was written. */
  readonly path: string;
}

export interface RenameSessionResult {
  /** The title as it is kept: on one line, without known secrets. Empty: the made one. */
  readonly title: string;
}

export interface DismissExpiringResult {
  /** Number of sessions that the hidden notice was about. */
  readonly sessions: number;
}

export interface AskAutoAttachResult {
  /** False: a person has decided already, which holds for the session. */
  readonly asked: boolean;
}

export interface PromoteRuleResult {
  /** The profile that has the rule from now on. */
  readonly profile?: string;
  /** Absent: the rule holds in every directory. */
  readonly directory?: string;
  /** The file that it was written to. */
  readonly path?: string;
}

/** Effect of a rewind, planned or done. */
export interface RewindSessionResult {
  /** The event to restore the state before. */
  readonly to: number;
  /** Parts that are restored. */
  readonly what: "files" | "conversation" | "both";
  /** The point in words: "before turn 3". */
  readonly place?: string;
  /** False for a preview, and if a person refused. */
  readonly done: boolean;
  /** Effect on the conversation. */
  readonly conversation?: {
    /** Messages that the model has afterwards. */
    readonly messages: number;
    /** Messages that are removed. */
    readonly removed: number;
    /** Messages that come back, if an earlier rewind is undone. */
    readonly restored?: number;
  };
  /** Effect on the files. */
  readonly files?: {
    /** Files that come back. */
    readonly create?: readonly string[];
    /** Files that become as they were. */
    readonly change?: readonly string[];
    /** Files that get their mode back. */
    readonly mode?: readonly string[];
    /** Files that are removed. */
    readonly remove?: readonly string[];
    /** Files that the session and somebody else changed. They stay, unless the command names this set. */
    readonly contested?: readonly string[];
    /** Files that somebody else alone changed. They stay, unless the command names this set. */
    readonly foreign?: readonly string[];
    /** Files that cannot be set back. */
    readonly notRestorable?: ReadonlyArray<{
      /** The path. */
      readonly path: string;
      /** Reason why it is not set back. */
      readonly why: string;
    }>;
    /** Number of files and folders that would be set back, in full. */
    readonly counts?: {
      /** Files and folders that would be set back. */
      readonly restore: number;
      /** Files and folders that would be removed. */
      readonly remove: number;
    };
    /** Number of files and folders that were set back. */
    readonly restored?: number;
    /** Files that were left as they are. */
    readonly kept?: ReadonlyArray<{
      /** The path. */
      readonly path: string;
      /** Reason why it is not set back. */
      readonly why: string;
    }>;
  };
  /** Sent back with the command, it is refused if it would do something else by now. */
  readonly token?: string;
  /** Event to go back to in order to undo this. */
  readonly undo?: number;
}

export interface ReloadSkillsResult {
  /** Names of the skills that count now. */
  readonly skills?: readonly string[];
  /** Paths of skills that are left out until somebody acknowledges them. */
  readonly waiting?: readonly string[];
  /** True if the person is asked about each of them. */
  readonly asks?: boolean;
  /** The same in words. Draw the other fields instead. */
  readonly text?: string;
}

/** The server that a ManageMcp named, or all servers of the session. */
export interface ManageMcpResult {
  /** The servers. */
  readonly servers?: ReadonlyArray<{
    /** Name of the server. */
    readonly name: string;
    /** "degraded": it could not be started again. */
    readonly state: "stopped" | "starting" | "running" | "degraded";
    /** Number of its tools. */
    readonly tools: number;
    /**
     * The sessions that use it, of those that the token names. It distinguishes two servers of one name that
     * different sessions declare. Since protocol 0.3.0.
     */
    readonly sessions?: readonly SessionId[];
    /** Reason why it does not run. */
    readonly problem?: string;
  }>;
  /** Tools of the one server that was named, at most 100: `spelled` is the server's spelling, if that is another. */
  readonly toolNames?: ReadonlyArray<{
    /** Name of the tool, as the model calls it. */
    readonly name: string;
    /** Name of the tool as the server spells it. */
    readonly spelled?: string;
  }>;
  /** False if a person was asked to approve the server and did not. */
  readonly approved?: boolean;
  /** The same in words. Draw the other fields instead. */
  readonly text?: string;
}

export interface RunShellResult {
  /** The call of the command, in the events. */
  readonly callId: CallId;
}

export interface StoreProviderKeyResult {
  /** Name of the provider. */
  readonly provider: string;
  /** True if it replaced a stored key. */
  readonly replaced: boolean;
  /** True if the stored key is used: no variable of the engine's environment goes before it. */
  readonly used: boolean;
  /** Source of the key that is used: `creds.enc`, or the name of that variable. */
  readonly source: string;
}

export interface CustomCommandResult {
  /** The answer of the extension that handled it. */
  readonly text?: string;
}

/**
 * Sends a prompt. It starts a turn; while one runs, `delivery` says what happens. The answer has the `inputId` of
 * an input that waits.
 */
export interface SendInputCommand {
  readonly kind: "SendInput";
  /** The session. */
  readonly sessionId: SessionId;
  /** The prompt, in blocks. */
  readonly content: ReadonlyArray<
    | {
        readonly type: "text";
        /** The text. */
        readonly text: string;
      }
    | {
        readonly type: "image";
        /** The bytes of an image, audio or document. */
        readonly source: {
          readonly type: "base64";
          /** Media type, such as `image/png`. */
          readonly media_type: string;
          /** The bytes in base64. */
          readonly data: string;
        };
      }
    | {
        readonly type: "audio";
        /** The bytes of an image, audio or document. */
        readonly source: {
          readonly type: "base64";
          /** Media type, such as `image/png`. */
          readonly media_type: string;
          /** The bytes in base64. */
          readonly data: string;
        };
      }
    | {
        readonly type: "document";
        /** The bytes of an image, audio or document. */
        readonly source: {
          readonly type: "base64";
          /** Media type, such as `image/png`. */
          readonly media_type: string;
          /** The bytes in base64. */
          readonly data: string;
        };
      }
    | {
        readonly type: "attachment";
        /** Id of an uploaded file. */
        readonly id: string;
      }
    | {
        readonly type: "unsaved";
        /** Path of the file, as the editor knows it. */
        readonly path: string;
        /** The text in the editor. */
        readonly text: string;
        /** True if the person attached it: it may be the saved text. Default: the disk has another text. */
        readonly attached?: boolean;
        /** Lines of the file that it is, from 1. Default: all. */
        readonly lines?: {
          /** First line. */
          readonly first: number;
          /** Last line; it is included. */
          readonly last: number;
        };
      }>;
  /** Handling of input that arrives while a turn runs. Default: reject. */
  readonly delivery?: "reject" | "queue" | "steer";
  /** Name of a skill to use for this turn. */
  readonly skill?: string;
  /** Kind of sub-agent that gets the input instead of the session's own agent. */
  readonly agent?: string;
}

/** Stops the running turn, with its calls and sub-agents. Inputs that wait stay. */
export interface CancelTurnCommand {
  readonly kind: "CancelTurn";
  /** The session. */
  readonly sessionId: SessionId;
}

/** Answers a PermissionRequested. The first answer counts. */
export interface AnswerPermissionCommand {
  readonly kind: "AnswerPermission";
  /** The session. */
  readonly sessionId: SessionId;
  /** The call that is asked about. */
  readonly callId: CallId;
  /** Runs the call, or refuses it. */
  readonly decision: "allow" | "deny";
  /**
   * Reach: this call ("once"), this and later calls under `rule` ("argv_glob"), or every later call of the tool
   * ("tool"). The last two make a rule of the session. Default: once.
   */
  readonly scope?: "once" | "argv_glob" | "tool";
  /** With argv_glob: the rule that the user was shown and picked, if it is a shorter prefix of words. */
  readonly rule?: string;
  /**
   * With allow, if the question offers hosts: the call stays in the sandbox, which may reach them for
   * this session.
   */
  readonly hosts?: true;
  /**
   * With allow, if the question shows hunks: ids of those that are applied; the others are refused, and the model
   * reads that. Nothing is written if the file has changed since the question. Since protocol 0.3.0.
   */
  readonly hunks?: readonly string[];
  /**
   * Words of the person for the model: what to do instead of a denied call, or why hunks were refused. Since
   * protocol 0.3.0.
   */
  readonly words?: string;
}

/** Creates a session, or resumes one. The answer has its `sessionId`. */
export interface CreateSessionCommand {
  readonly kind: "CreateSession";
  /** Default: that of the resumed log, else the one that the engine's user has configured. */
  readonly profile?: string;
  /** A log that already runs in this engine is attached to as it is. */
  readonly resume?: LogId;
  /** `provider:name`. Default: that of the resumed log, the profile or the configuration. */
  readonly model?: string;
  /** An absolute path on the engine's machine. Default: that of the resumed log, else of the engine. */
  readonly workingDir?: string;
  /** Settings that differ from those of the engine. */
  readonly run?: {
    /** Permission level. Default: that of the profile. */
    readonly level?: "ReadOnly" | "WorkspaceWrite" | "DangerFullAccess";
    /** True: calls that would be asked about run without a question. */
    readonly autoApprove?: boolean;
    /** True: calls above the level are denied without a question. */
    readonly strictPermissions?: boolean;
    /** Begins in plan mode. */
    readonly planMode?: boolean;
    /** Thinking effort. Default: that of the configuration. */
    readonly effort?: "off" | "low" | "medium" | "high" | "xhigh" | "max";
    /** Limit of provider calls in one turn. */
    readonly maxTurns?: number;
    /** Limit of the session's cost, in US dollars. */
    readonly maxCostUsd?: number;
    /** Wall-clock limit of a turn, in milliseconds. Since protocol 0.3.0. */
    readonly maxTimeMs?: number;
    /** Text at the end of the system text. */
    readonly appendSystemPrompt?: string;
    /** Allow rules, as in a profile. They lift no deny rule. */
    readonly allow?: readonly string[];
    /**
     * Existing folders, by their absolute paths, in which this run works as in its working directory. Nothing of
     * theirs is loaded. Since protocol 0.3.0.
     */
    readonly addDirs?: readonly string[];
    /** MCP servers besides the configured ones. Since protocol 0.3.0. */
    readonly mcpServers?: ReadonlyArray<
      | {
          readonly transport: "stdio";
          /** Name of the server, unique in the session. */
          readonly name: string;
          /** An absolute path, or a name that is searched in `PATH`. */
          readonly cmd: string;
          /** Arguments of the program. */
          readonly args: readonly string[];
          /** Environment variables of the program. */
          readonly env: Readonly<Record<string, string>>;
        }
      | {
          readonly transport: "http" | "sse";
          /** Name of the server, unique in the session. */
          readonly name: string;
          /** Address of the server. */
          readonly url: string;
          /** Headers of every request to it. */
          readonly headers: Readonly<Record<string, string>>;
        }>;
    /** True: nothing of the repository is loaded, such as AGENTS.md, skills and settings. */
    readonly withoutProject?: boolean;
    /** True: hooks of the repository may run. */
    readonly allowProjectHooks?: boolean;
    /** A path on the engine's machine. */
    readonly lockfile?: string;
    /**
     * False if the client's user cannot read a project's files first: files that were not acknowledged are
     * then refused.
     */
    readonly asksTrust?: boolean;
    /** Environment of the processes that its tools start. Default: that of the engine. */
    readonly environment?: Readonly<Record<string, string>>;
  };
  /**
   * True: the session is for a person who may never use it. While it is `unused`, it ends a minute after its last
   * client has left, and once it ends without clients it is removed. It stays if an agent has sent it a command,
   * if it has a file, and if a setting was changed and no client has ended or left it. Without effect on a
   * session that is resumed. Since protocol 0.3.0.
   */
  readonly provisional?: boolean;
}

/** Attaches the client to a session: it then counts as one that follows it. */
export interface AttachSessionCommand {
  readonly kind: "AttachSession";
  /** The session. */
  readonly sessionId: SessionId;
}

/** Detaches the client from a session. Nothing that runs is stopped. */
export interface DetachSessionCommand {
  readonly kind: "DetachSession";
  /** The session. */
  readonly sessionId: SessionId;
  /**
   * The user has left for good: the session ends at once if no other client uses it, and it has no turn, task or
   * waiting input. Since 0.3.0.
   */
  readonly left?: boolean;
}

/**
 * Sets the model, the effort or both, from the next request on. To change the effort alone, send the current
 * model. The answer and ModelChanged say what holds then.
 */
export interface SetModelCommand {
  readonly kind: "SetModel";
  /** The session. */
  readonly sessionId: SessionId;
  /** `provider:name`. */
  readonly model: string;
  /** Absent: unchanged. */
  readonly effort?: "off" | "low" | "medium" | "high" | "xhigh" | "max";
}

/** Begins plan mode: until it is left, the model may read and plan, and change nothing. */
export interface EnterPlanModeCommand {
  readonly kind: "EnterPlanMode";
  /** The session. */
  readonly sessionId: SessionId;
}

/** Leaves plan mode, or refuses the plan. */
export interface ExitPlanModeCommand {
  readonly kind: "ExitPlanMode";
  /** The session. */
  readonly sessionId: SessionId;
  /** True: approves the plan and leaves the mode. False: the model plans on. */
  readonly approve: boolean;
}

/** Sends a command of an extension. */
export interface CustomCommandCommand {
  readonly kind: "CustomCommand";
  /** The session. */
  readonly sessionId: SessionId;
  /** Name of the extension. */
  readonly namespace: string;
  /** Name of its command. */
  readonly verb: string;
  /** Fields of its command. */
  readonly payload: unknown;
}

/** Ends a session. It can be resumed later. */
export interface EndSessionCommand {
  readonly kind: "EndSession";
  /** The session. */
  readonly sessionId: SessionId;
}

/**
 * Branches a session: a new log begins with its history up to a point. The answer has `log` and the new
 * `sessionId`, if it runs.
 */
export interface BranchSessionCommand {
  readonly kind: "BranchSession";
  /** The session. */
  readonly sessionId: SessionId;
  /** The last event of a turn. Default: the end of `turn`. */
  readonly at?: number;
  /** A turn that has ended. Default: the last one. Since 0.3.0. */
  readonly turn?: number;
}

/** Pins a session, so that it does not end by itself when nobody uses it, or takes the pin off. */
export interface PinSessionCommand {
  readonly kind: "PinSession";
  /** The session. */
  readonly sessionId: SessionId;
  /** True: pins it. */
  readonly pinned: boolean;
}

/** Shortens the history that the model gets, as happens by itself when the context window is nearly full. */
export interface CompactSessionCommand {
  readonly kind: "CompactSession";
  /** The session. */
  readonly sessionId: SessionId;
}

/** Restores files, conversation or both to the state before an event. */
export interface RewindSessionCommand {
  readonly kind: "RewindSession";
  /** The session. */
  readonly sessionId: SessionId;
  /** The event to restore the state before; 0: before the first one. */
  readonly to: number;
  /** Parts to restore. */
  readonly what: "files" | "conversation" | "both";
  /** True to only report what it would do. */
  readonly preview?: boolean;
  /**
   * Token of a preview. The rewind is refused if it would now do something else, and needs no further
   * confirmation otherwise.
   */
  readonly token?: string;
  /**
   * Files to restore although another program changed them: those that the session changed too, and those that it
   * did not. Absent: the user is asked; without a user they stay unchanged.
   */
  readonly overwrite?: ReadonlyArray<"contested" | "foreign">;
}

/** Withdraws an input that waits. An agent withdraws only its own. */
export interface WithdrawInputCommand {
  readonly kind: "WithdrawInput";
  /** The session. */
  readonly sessionId: SessionId;
  /** Id of an input that waits. */
  readonly inputId: InputId;
}

/** Revokes an allow rule that a person gave in this session. */
export interface RevokeRuleCommand {
  readonly kind: "RevokeRule";
  /** The session. */
  readonly sessionId: SessionId;
  /** The rule, as ListRules names it. */
  readonly rule: string;
}

/** Writes an allow rule of this session to a configuration file, so that later sessions have it. */
export interface PromoteRuleCommand {
  readonly kind: "PromoteRule";
  /** The session. */
  readonly sessionId: SessionId;
  /** The rule, as ListRules names it. */
  readonly rule: string;
  /**
   * True: in every directory, under the current profile; else in the session's working directory and below.
   * Since 0.3.0.
   */
  readonly everywhere?: boolean;
}

/** Continues the work under another profile. Only people may. The answer has the new `sessionId`. */
export interface SwitchProfileCommand {
  readonly kind: "SwitchProfile";
  /** The session. */
  readonly sessionId: SessionId;
  /** Name or path of the profile. */
  readonly profile: string;
  /** Number of the last turns whose summary goes along into the new log. Default: 5. */
  readonly importTurns?: number;
  /** True: the same log continues, as a new run. Default: a new log begins. */
  readonly inPlace?: boolean;
}

/** Reads the skills from their folders again. */
export interface ReloadSkillsCommand {
  readonly kind: "ReloadSkills";
  /** The session. */
  readonly sessionId: SessionId;
}

/** Reports on an MCP server of the session, or controls it. */
export interface ManageMcpCommand {
  readonly kind: "ManageMcp";
  /** The session. */
  readonly sessionId: SessionId;
  /** Name of the server. */
  readonly server: string;
  /** `stop` holds until `start`, or the end of the engine, for all its sessions. Since 0.3.0: stop, start. */
  readonly action: "status" | "restart" | "approve" | "stop" | "start";
}

/** Stops a background task. */
export interface StopTaskCommand {
  readonly kind: "StopTask";
  /** The session. */
  readonly sessionId: SessionId;
  /** Id of a background task. */
  readonly taskId: TaskId;
}

/** The answer to an `Asked` event: one of its choices, or the requested text or form. */
export interface AnswerCommand {
  readonly kind: "Answer";
  /** The session. */
  readonly sessionId: SessionId;
  /** Id of a question. */
  readonly askId: AskId;
  /** Value of a choice, a text, or the fields of the form. */
  readonly answer: unknown;
}

/** Writes a session to a new file on the engine's machine. Since 0.3.0. */
export interface ExportSessionCommand {
  readonly kind: "ExportSession";
  /** The session. */
  readonly sessionId: SessionId;
  /** Default: jsonl. */
  readonly format?: "jsonl" | "markdown";
  /**
   * A path, relative to the working directory. Default: a name made from the session's id. Never overwrites
   * a file.
   */
  readonly output?: string;
  /** The session whose working directory is used. Default: the session itself. */
  readonly directoryOf?: SessionId;
}

/** Hides the notice about sessions that expire within a week. Since 0.3.0. */
export interface DismissExpiringCommand {
  readonly kind: "DismissExpiring";
  /** The session. */
  readonly sessionId: SessionId;
}

/** Stops notifying other clients about questions of an agent's session. Since 0.3.0. */
export interface MuteSessionCommand {
  readonly kind: "MuteSession";
  /** The session. */
  readonly sessionId: SessionId;
}

/** Gives a session a title. Since protocol 0.3.0. */
export interface RenameSessionCommand {
  readonly kind: "RenameSession";
  /** The session. */
  readonly sessionId: SessionId;
  /** Empty: the title that is made from the first prompt again. */
  readonly title: string;
}

/** Leaves a session out of lists, or shows it there again. Since protocol 0.3.0. */
export interface ArchiveSessionCommand {
  readonly kind: "ArchiveSession";
  /** The session. */
  readonly sessionId: SessionId;
  /** True: leaves it out of lists. False: shows it there again. */
  readonly archived: boolean;
}

/** Deletes a session that does not run, with everything that is kept of it. Since protocol 0.3.0. */
export interface DeleteSessionCommand {
  readonly kind: "DeleteSession";
  /** The session. */
  readonly sessionId: SessionId;
}

/** Marks what a reader has read: turns that end later are unread. Since protocol 0.3.0. */
export interface MarkReadCommand {
  readonly kind: "MarkRead";
  /** The session. */
  readonly sessionId: SessionId;
  /** The last event that was read; 0: none. */
  readonly event: number;
  /**
   * Name under which a client keeps its marks and drafts: the same for all that should share them. Letters,
   * digits and `. _ : @ -`. Since protocol 0.3.0.
   */
  readonly reader: string;
}

/** Keeps the unsent text of a reader. Since protocol 0.3.0. */
export interface SetDraftCommand {
  readonly kind: "SetDraft";
  /** The session. */
  readonly sessionId: SessionId;
  /** Empty: the draft is removed. */
  readonly text: string;
  /**
   * Name under which a client keeps its marks and drafts: the same for all that should share them. Letters,
   * digits and `. _ : @ -`. Since protocol 0.3.0.
   */
  readonly reader: string;
}

/**
 * Sets the ceiling of what runs without a question, from the next call on until the session ends. Only people
 * may. Since 0.3.0.
 */
export interface SetLevelCommand {
  readonly kind: "SetLevel";
  /** The session. */
  readonly sessionId: SessionId;
  /** Levels of a session, the tightest first. */
  readonly level: "ReadOnly" | "WorkspaceWrite" | "DangerFullAccess";
}

/**
 * Replaces the content of an input that waits, with the rules and limits of SendInput: the new content keeps,
 * drops or adds references to attached files. Its place stays. An agent edits only its own. Since 0.3.0.
 */
export interface EditInputCommand {
  readonly kind: "EditInput";
  /** The session. */
  readonly sessionId: SessionId;
  /** Id of an input that waits. */
  readonly inputId: InputId;
  /** The new content, in blocks. */
  readonly content: ReadonlyArray<
    | {
        readonly type: "text";
        /** The text. */
        readonly text: string;
      }
    | {
        readonly type: "image";
        /** The bytes of an image, audio or document. */
        readonly source: {
          readonly type: "base64";
          /** Media type, such as `image/png`. */
          readonly media_type: string;
          /** The bytes in base64. */
          readonly data: string;
        };
      }
    | {
        readonly type: "audio";
        /** The bytes of an image, audio or document. */
        readonly source: {
          readonly type: "base64";
          /** Media type, such as `image/png`. */
          readonly media_type: string;
          /** The bytes in base64. */
          readonly data: string;
        };
      }
    | {
        readonly type: "document";
        /** The bytes of an image, audio or document. */
        readonly source: {
          readonly type: "base64";
          /** Media type, such as `image/png`. */
          readonly media_type: string;
          /** The bytes in base64. */
          readonly data: string;
        };
      }
    | {
        readonly type: "attachment";
        /** Id of an uploaded file. */
        readonly id: string;
      }
    | {
        readonly type: "unsaved";
        /** Path of the file, as the editor knows it. */
        readonly path: string;
        /** The text in the editor. */
        readonly text: string;
        /** True if the person attached it: it may be the saved text. Default: the disk has another text. */
        readonly attached?: boolean;
        /** Lines of the file that it is, from 1. Default: all. */
        readonly lines?: {
          /** First line. */
          readonly first: number;
          /** Last line; it is included. */
          readonly last: number;
        };
      }>;
}

/** Moves an input that waits. An agent moves only its own, and not before those of others. Since 0.3.0. */
export interface MoveInputCommand {
  readonly kind: "MoveInput";
  /** The session. */
  readonly sessionId: SessionId;
  /** Id of an input that waits. */
  readonly inputId: InputId;
  /** The waiting input that it then stands before. Default: it becomes the last. */
  readonly before?: InputId;
}

/**
 * Runs a command of a person in the session, beside its turns: under the permission gate, in the sandbox, and in
 * the log. Its result has the id of the call. Since protocol 0.3.0.
 */
export interface RunShellCommand {
  readonly kind: "RunShell";
  /** Id of a session: one run on a log. */
  readonly sessionId: SessionId;
  /** The command line for the shell. */
  readonly command: string;
  /** True: the next request to the model holds the command and its output. */
  readonly toModel: boolean;
}

/** Stops a command of a person, or takes back one that waits. Since protocol 0.3.0. */
export interface StopShellCommand {
  readonly kind: "StopShell";
  /** Id of a session: one run on a log. */
  readonly sessionId: SessionId;
  /** Id of a tool call. */
  readonly callId: CallId;
}

/**
 * Ends one sub-agent, or delegated task. Its call gets a result that says so, and the turn continues.
 * Since 0.3.0.
 */
export interface StopAgentCommand {
  readonly kind: "StopAgent";
  /** The session. */
  readonly sessionId: SessionId;
  /** The call that runs it: `parentCall` of its events. */
  readonly callId: CallId;
}

/** Sends input to one sub-agent that runs; it enters before its next request. Since 0.3.0. */
export interface SteerAgentCommand {
  readonly kind: "SteerAgent";
  /** The session. */
  readonly sessionId: SessionId;
  /** The call that runs it: `parentCall` of its events. */
  readonly callId: CallId;
  /** The input, in blocks. */
  readonly content: ReadonlyArray<
    | {
        readonly type: "text";
        /** The text. */
        readonly text: string;
      }
    | {
        readonly type: "image";
        /** The bytes of an image, audio or document. */
        readonly source: {
          readonly type: "base64";
          /** Media type, such as `image/png`. */
          readonly media_type: string;
          /** The bytes in base64. */
          readonly data: string;
        };
      }
    | {
        readonly type: "audio";
        /** The bytes of an image, audio or document. */
        readonly source: {
          readonly type: "base64";
          /** Media type, such as `image/png`. */
          readonly media_type: string;
          /** The bytes in base64. */
          readonly data: string;
        };
      }
    | {
        readonly type: "document";
        /** The bytes of an image, audio or document. */
        readonly source: {
          readonly type: "base64";
          /** Media type, such as `image/png`. */
          readonly media_type: string;
          /** The bytes in base64. */
          readonly data: string;
        };
      }>;
}

/**
 * Stores the key of a provider, encrypted, on the engine's machine; the engine uses it at once. Only people may,
 * in the engine's own process or over its Unix socket: no network listener takes a key. Since protocol 0.3.0.
 */
export interface StoreProviderKeyCommand {
  readonly kind: "StoreProviderKey";
  /** Name of the provider. */
  readonly provider: string;
  /** White space around it is ignored. */
  readonly key: string;
}

/**
 * Asks people whether the sessions of a program that started `cinch mcp` are auto-attached, unless they have
 * decided. `cinch mcp` sends it about the session that this program has begun. Only people may. Since 0.3.0.
 */
export interface AskAutoAttachCommand {
  readonly kind: "AskAutoAttach";
  /** The session. */
  readonly sessionId: SessionId;
  /** The program, as `mcp-parents.lock` names it. */
  readonly parent: {
    /** Name by which it was called. */
    readonly argv0: string;
    /** Path of its binary. */
    readonly binary: string;
    /** SHA-256 of the binary, in hexadecimal digits. */
    readonly binarySha256: string;
    /** Script of an interpreter. */
    readonly script?: string;
    /** SHA-256 of the script, in hexadecimal digits. */
    readonly scriptSha256?: string;
  };
}

/**
 * Answers whether the sessions of the program that began a session are always auto-attached. The first answer
 * counts; `mcp-parents.lock` stores it. Only people may. Since 0.3.0.
 */
export interface AnswerAutoAttachCommand {
  readonly kind: "AnswerAutoAttach";
  /** The session. */
  readonly sessionId: SessionId;
  /** False: what the sessions of the program ask for is shown to their subscribers alone. */
  readonly always: boolean;
}

/** The next piece of the model's text. */
export interface TextDeltaEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "TextDelta";
  readonly payload: {
    /** The piece. */
    readonly text: string;
    /** Index of the piece's block in one answer of the model. Default: 0. Since protocol 0.3.0. */
    readonly index?: number;
  };
}

/** The next piece of the model's thinking. */
export interface ThinkingDeltaEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "ThinkingDelta";
  readonly payload: {
    /**
     * One piece of a model's thinking, for people to read. Pieces of a block are in order, and each text is sent
     * once. `family` is absent if the content has expired. Provider data (signatures, encrypted reasoning) stays
     * in the engine.
     */
    readonly block: {
      readonly type: "thinking";
      /** Family of models that made it. Absent if the content has expired. */
      readonly family?: string;
      /** The piece of text. */
      readonly text: string;
    };
    /** Index of the piece's block in one answer of the model. Default: 0. Since protocol 0.3.0. */
    readonly index?: number;
  };
}

/** A tool call starts. ToolResult of the same `callId` ends it. */
export interface ToolCallStartedEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "ToolCallStarted";
  readonly payload: {
    /** Id of a tool call. */
    readonly callId: CallId;
    /** Name of the tool. */
    readonly tool: string;
    /** Arguments of the call, redacted. */
    readonly args: unknown;
    /** True if the tool may change something. */
    readonly mutating: boolean;
    /** Type of work that a tool does, for a client's icon. Since protocol 0.3.0. */
    readonly toolKind?: "read" | "edit" | "search" | "execute" | "fetch" | "think" | "switch_mode" | "other";
    /**
     * Names of the arguments that hold the change of one file. Since protocol 0.3.0.
     * `path` names the file and `new` its new text. Without `old` that is the whole file, else it replaces the
     * text under `old`: once, or everywhere if the argument under `all` is true. With `each`, the argument of
     * that name is a list, and `old`, `new` and `all` are read from each item.
     */
    readonly preview?: {
      /** Argument that names the file. */
      readonly path: string;
      /** Argument that holds the new text. */
      readonly new: string;
      /** Argument that holds the text which is replaced. Absent: `new` is the whole file. */
      readonly old?: string;
      /** Argument that is true if the text is replaced everywhere. */
      readonly all?: string;
      /** Argument that is a list of such changes. */
      readonly each?: string;
    };
    /** Set for a command that a person runs themselves (RunShell). Since protocol 0.3.0. */
    readonly by?: "user";
    /** Set together with `by`. Since protocol 0.3.0. */
    readonly shell?: true;
    /** With `shell`: true if the model gets the command and its output. */
    readonly toModel?: boolean;
  };
}

/**
 * Output of a call that runs. Show either `partial`, which the log keeps, or `tail`, which is newer: a command
 * sends both kinds of event.
 */
export interface ToolCallProgressEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "ToolCallProgress";
  readonly payload: {
    /** Id of a tool call. */
    readonly callId: CallId;
    /** Output since the event before; a long or fast one is cut. May be empty. */
    readonly partial: string;
    /**
     * The last lines of the output of a command that runs, redacted. Only an event with `aside` has it: it is not
     * in the log, which keeps `partial`. Since protocol 0.3.0.
     */
    readonly tail?: string;
    /** Bytes that the command has written so far. Since protocol 0.3.0. */
    readonly bytes?: number;
    /** Lines that the command has written so far. Since protocol 0.3.0. */
    readonly lines?: number;
    /** Milliseconds that the command has run, without the wait for a permission. Since protocol 0.3.0. */
    readonly elapsedMs?: number;
  };
}

/**
 * The next piece of the arguments of a call while the model writes it, redacted. Only a subscriber that asks gets
 * it, with `aside`. ToolCallStarted of the same `callId` has the whole and replaces it. Since protocol 0.3.0.
 */
export interface ToolArgsDeltaEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "ToolArgsDelta";
  readonly payload: {
    /** Id of a tool call. */
    readonly callId: CallId;
    /** The tool as the model names it: a call of a lazy tool starts under the name of that tool. */
    readonly tool: string;
    /** JSON text. May be empty. */
    readonly text: string;
    /** UTF-16 units of the arguments before this piece. Another number than expected: this reader missed pieces. */
    readonly offset: number;
    /** Index of the piece's block in one answer of the model. Default: 0. Since protocol 0.3.0. */
    readonly index?: number;
    /** The rest of the arguments is above the limit and not shown. */
    readonly cut?: true;
    /** No call comes of it: the answer broke off, was tried again, or ended before the call began. */
    readonly void?: true;
  };
}

/** The result of a call, as the model reads it. */
export interface ToolResultEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "ToolResult";
  readonly payload: {
    /** Id of a tool call. */
    readonly callId: CallId;
    /** The result, in blocks. */
    readonly content: ReadonlyArray<
      | {
          readonly type: "text";
          /** The text. */
          readonly text: string;
        }
      | {
          readonly type: "image";
          /** The bytes of an image, audio or document. */
          readonly source: {
            readonly type: "base64";
            /** Media type, such as `image/png`. */
            readonly media_type: string;
            /** The bytes in base64. */
            readonly data: string;
          };
        }
      | {
          readonly type: "audio";
          /** The bytes of an image, audio or document. */
          readonly source: {
            readonly type: "base64";
            /** Media type, such as `image/png`. */
            readonly media_type: string;
            /** The bytes in base64. */
            readonly data: string;
          };
        }>;
    /** True if the call failed. */
    readonly isError?: boolean;
    /** Set for a command that a person runs themselves (RunShell). Since protocol 0.3.0. */
    readonly by?: "user";
    /** Set together with `by`. Since protocol 0.3.0. */
    readonly shell?: true;
  };
}

/** A turn starts. TurnEnded of the same number ends it. */
export interface TurnStartedEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "TurnStarted";
  readonly payload: {
    /** Number of the turn in its session, from 1. */
    readonly turn: number;
    /** The client that sent the input. */
    readonly originator: ClientId;
    /**
     * The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client
     * that it does not know any more, an older log, or expired content. Since protocol 0.3.0.
     */
    readonly who?: {
      /** Name that the client gives itself, without control characters. Never trust it: clients may share one. */
      readonly label: string;
      /** Class of its token, which the engine has checked. */
      readonly identityClass: "human" | "agent";
    };
    /** The input, in blocks. */
    readonly content?: ReadonlyArray<
      | {
          readonly type: "text";
          /** The text. */
          readonly text: string;
        }
      | {
          readonly type: "image";
          /** The bytes of an image, audio or document. */
          readonly source: {
            readonly type: "base64";
            /** Media type, such as `image/png`. */
            readonly media_type: string;
            /** The bytes in base64. */
            readonly data: string;
          };
        }
      | {
          readonly type: "audio";
          /** The bytes of an image, audio or document. */
          readonly source: {
            readonly type: "base64";
            /** Media type, such as `image/png`. */
            readonly media_type: string;
            /** The bytes in base64. */
            readonly data: string;
          };
        }
      | {
          readonly type: "document";
          /** The bytes of an image, audio or document. */
          readonly source: {
            readonly type: "base64";
            /** Media type, such as `image/png`. */
            readonly media_type: string;
            /** The bytes in base64. */
            readonly data: string;
          };
        }>;
    /** The input that had waited, if any: it has begun and is never begun again. */
    readonly inputId?: InputId;
  };
}

/** A turn has ended. */
export interface TurnEndedEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "TurnEnded";
  readonly payload: {
    /** Number of the turn in its session, from 1. */
    readonly turn: number;
    /**
     * Reason why a turn ended. "complete" and "yield": the model was done. "length": its answer reached the
     * limit. "empty": it had none. "turn_limit", "time_limit" and "budget": a limit of the session.
     * "no_progress": it repeated itself.
     */
    readonly reason: "complete" | "yield" | "cancelled" | "error" | "length" | "empty" | "turn_limit" | "time_limit" | "budget" | "no_progress";
    /** Provider calls of the session's own agent. */
    readonly rounds?: number;
    /**
     * Failure that ended the turn, as its Error event has it. Absent after `complete`, `yield` and `cancelled`.
     * An older engine leaves it out: there the last Error event of the turn says it.
     */
    readonly error?: {
      /** Name of the failure, for programs. */
      readonly reason: string;
      /** Text for people. */
      readonly message: string;
      /** Values in the text, by name. */
      readonly details?: Readonly<Record<string, unknown>>;
    };
    /** Tokens of the turn and its sub-agents. Absent for a sub-agent, and without a provider call. Since 0.3.0. */
    readonly usage?: {
      /** Provider calls. */
      readonly calls: number;
      /** Without the tokens of the cache. */
      readonly inputTokens: number;
      /** Number of tokens. */
      readonly outputTokens: number;
      /** Number of tokens. */
      readonly cacheReadTokens: number;
      /** Number of tokens. */
      readonly cacheWriteTokens: number;
    };
    /** Cost of the same calls; null if the price of one is unknown, or one was cut off. Since 0.3.0. */
    readonly usd?: number | null;
    /**
     * Files that the turn changed, sorted, as `GetChanges` names them; of a renamed one both names; at most 100.
     * Those that commands changed are among them. Absent for a sub-agent, and if no checkpoint knows them.
     * Since 0.3.0.
     */
    readonly files?: readonly string[];
  };
}

/** Time that the parts of a turn took. */
export interface TurnTimingEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "TurnTiming";
  readonly payload: {
    /** Number of the turn in its session, from 1. */
    readonly turn: number;
    /** Nanoseconds of each part, by name. */
    readonly components: Readonly<Record<string, number>>;
    /** The calls of the turn. */
    readonly toolCalls?: ReadonlyArray<{
      /** Id of a tool call. */
      readonly callId: CallId;
      /** Name of the tool. */
      readonly tool: string;
      /** Duration in nanoseconds. */
      readonly duration: number;
    }>;
  };
}

/** The history that the model gets was shortened. */
export interface CompactionTriggeredEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "CompactionTriggered";
  readonly payload: {
    /** Tokens before. */
    readonly beforeTokens: number;
    /** Tokens afterwards. */
    readonly afterTokens: number;
    /** Events up to this one are no longer in the history as they are. */
    readonly boundary?: number;
    /**
     * Method. 1: references replace long results. 2: a model wrote a summary. 3: the summary is made from
     * the log.
     */
    readonly tier?: number;
    /**
     * Cause. "threshold": the history came near the limit. "overflow": the provider refused its length.
     * "command": a client.
     */
    readonly trigger?: "threshold" | "overflow" | "command";
  };
}

/**
 * A model is writing a summary, so that the history can be shortened. "ended": it has, has failed, or ran out of
 * time; CompactionTriggered follows if the history was shortened. Since protocol 0.3.0.
 */
export interface CompactionProgressEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "CompactionProgress";
  readonly payload: {
    readonly state: "started" | "ended";
    /** Tokens of the history before. */
    readonly beforeTokens: number;
    /**
     * Cause. "threshold": the history came near the limit. "overflow": the provider refused its length.
     * "command": a client.
     */
    readonly trigger: "threshold" | "overflow" | "command";
    /** Longest time that the summary may take, in milliseconds. */
    readonly timeoutMs: number;
  };
}

/** One provider call has ended, with its tokens and cost. */
export interface CostIncrementedEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "CostIncremented";
  readonly payload: {
    /** Name of the provider. */
    readonly provider: string;
    /** Name of the model. */
    readonly model: string;
    /** Without the tokens of the cache. */
    readonly inputTokens: number;
    /** Tokens of the answer. */
    readonly outputTokens: number;
    /** Tokens read from the prompt cache. */
    readonly cacheReadTokens?: number;
    /** Tokens written to the prompt cache. */
    readonly cacheWriteTokens?: number;
    /** US dollars; null if the price is unknown. */
    readonly usd: number | null;
    /** Number of the turn in its session, from 1. */
    readonly turn?: number;
    /** Set if the call made a summary and is not part of the conversation. */
    readonly purpose?: "summary";
    /**
     * Set if the provider read again what the last request of this conversation had cached: how much, and the
     * first difference. "expired": over five minutes later; "unknown": the same prompt, soon after. Since 0.3.0.
     */
    readonly cacheMiss?: {
      /** The first difference. */
      readonly cause: "model_changed" | "tools_changed" | "system_changed" | "effort_changed" | "history_changed" | "expired" | "unknown";
      /** Tokens that were read again. */
      readonly lostTokens: number;
    };
  };
}

/** A call waits for an answer. Answer with AnswerPermission. */
export interface PermissionRequestedEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "PermissionRequested";
  readonly payload: {
    /** Id of a tool call. */
    readonly callId: CallId;
    /** Name of the tool. */
    readonly tool: string;
    /** Arguments of the call, redacted. */
    readonly args: unknown;
    /** The client whose turn it is. */
    readonly originator: ClientId;
    /**
     * The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client
     * that it does not know any more, an older log, or expired content. Since protocol 0.3.0.
     */
    readonly who?: {
      /** Name that the client gives itself, without control characters. Never trust it: clients may share one. */
      readonly label: string;
      /** Class of its token, which the engine has checked. */
      readonly identityClass: "human" | "agent";
    };
    /** Everything that will run, one line per command or path, control characters made visible. */
    readonly summary: string;
    /** Reason for the question, in words. */
    readonly reason?: string;
    /** The rule that would have allowed the call. */
    readonly rule?: string;
    /** The kind of the sub-agent whose call it is; absent: the session's own agent. */
    readonly agent?: string;
    /** True if an answer applies to this call only and cannot make a rule for the session. Absent: it may. */
    readonly onceOnly?: boolean;
    /**
     * Hosts that an answer can open for the session's commands in the sandbox, instead of a call outside of it.
     * Empty: not known yet; the call runs in the sandbox, and another question names the hosts that its
     * proxy refused.
     */
    readonly hosts?: readonly string[];
    /** The change of a file: the hunks of a unified diff, unescaped. */
    readonly diff?: string;
    /** Type of work that a tool does, for a client's icon. Since protocol 0.3.0. */
    readonly toolKind?: "read" | "edit" | "search" | "execute" | "fetch" | "think" | "switch_mode" | "other";
    /**
     * Names of the arguments that hold the change of one file. Since protocol 0.3.0.
     * `path` names the file and `new` its new text. Without `old` that is the whole file, else it replaces the
     * text under `old`: once, or everywhere if the argument under `all` is true. With `each`, the argument of
     * that name is a list, and `old`, `new` and `all` are read from each item.
     */
    readonly preview?: {
      /** Argument that names the file. */
      readonly path: string;
      /** Argument that holds the new text. */
      readonly new: string;
      /** Argument that holds the text which is replaced. Absent: `new` is the whole file. */
      readonly old?: string;
      /** Argument that is true if the text is replaced everywhere. */
      readonly all?: string;
      /** Argument that is a list of such changes. */
      readonly each?: string;
    };
    /** Time limit for an answer, in milliseconds from `ts` on; then the call is denied. */
    readonly timeoutMs?: number;
    /**
     * True if the time counts only while no person is subscribed to the session, and begins again when the last
     * one leaves. Absent: it always counts. Since protocol 0.3.0.
     */
    readonly onlyUnattended?: true;
    /**
     * Reason why a call is asked about, and what would end that. Since protocol 0.3.0.
     * `text` is what `cinch permissions explain` says. `cause` is for programs:
     * - `rule`: an ask rule names the call.
     * - `deny-rule`: a deny rule may name it.
     * - `level`: it is above the level.
     * - `no-rule`: nothing allows it.
     * - `grammar`: the command cannot be read for certain before it runs.
     * - `network`: its sandbox lacks the network that it needs.
     * - `setting`: a setting has every such call asked about.
     * - `protected`: it touches a protected place, or may.
     * - `outside-sandbox`: it is to run outside the sandbox.
     * - `tool`: the tool itself takes a person's word only.
     */
    readonly why?: {
      /** The cause, for programs. */
      readonly cause: "rule" | "deny-rule" | "level" | "no-rule" | "grammar" | "network" | "setting" | "protected" | "outside-sandbox" | "tool";
      /** The reason in words. */
      readonly text: string;
      /** Absent if nothing ends it: a person answers each such call. */
      readonly ends?: {
        /** An allow rule of the user under which this call would run unasked. */
        readonly rule?: string;
        /** A change of the configuration with that effect, as a phrase for people. */
        readonly setting?: string;
      };
    };
    /** The parts of a compound command, in their order. Absent for any other call. Since protocol 0.3.0. */
    readonly parts?: ReadonlyArray<{
      /** The part as it stands in the line, control characters made visible. */
      readonly text: string;
      /** Verdict on the part alone. */
      readonly verdict: "allow" | "ask" | "deny";
      /** Reason of the verdict. */
      readonly why: string;
    }>;
    /**
     * Rules that an answer of the scope argv_glob can name instead of `rule`, each a prefix of whole words, from
     * the widest to the narrowest. Under each of them this call runs unasked. Since protocol 0.3.0.
     */
    readonly prefixes?: readonly string[];
    /** The change of a file, in hunks that an answer can accept one by one. Since protocol 0.3.0. */
    readonly hunks?: ReadonlyArray<{
      /** The same for the same two texts. */
      readonly id: string;
      /** First line in the old text. */
      readonly old_start: number;
      /** Number of lines in the old text. */
      readonly old_lines: number;
      /** First line in the new text. */
      readonly new_start: number;
      /** Number of lines in the new text. */
      readonly new_lines: number;
      /** Each begins with " ", "+" or "-". `\ No newline at end of file` can follow the last line of a side. */
      readonly lines: readonly string[];
    }>;
  };
}

/** A client has answered a question about a call. No event: its time ran out, or the turn was cancelled. */
export interface PermissionAnsweredEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "PermissionAnswered";
  readonly payload: {
    /** Id of a tool call. */
    readonly callId: CallId;
    /** The decision. */
    readonly decision: "allow" | "deny";
    /**
     * Reach of an answer. "once": this call. "argv_glob": this and later calls under `rule`. "tool": every later
     * call of the tool. The last two make a rule of the session.
     */
    readonly scope?: "once" | "argv_glob" | "tool";
    /** The client whose command it was. Absent: the engine itself. */
    readonly by?: ClientId;
    /**
     * The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client
     * that it does not know any more, an older log, or expired content. Since protocol 0.3.0.
     */
    readonly who?: {
      /** Name that the client gives itself, without control characters. Never trust it: clients may share one. */
      readonly label: string;
      /** Class of its token, which the engine has checked. */
      readonly identityClass: "human" | "agent";
    };
    /** The rule that the answer made. */
    readonly rule?: string;
    /** The call stays in the sandbox, with the hosts that the question offered. */
    readonly hosts?: true;
    /** Ids of the accepted hunks; the others were refused. Absent: the whole call. Since protocol 0.3.0. */
    readonly hunks?: readonly string[];
    /** Words of the person, which the model reads. Since protocol 0.3.0. */
    readonly words?: string;
    /** False for an answer that came after the first one. */
    readonly counted: boolean;
  };
}

/** A client, or the engine, has cancelled the turn. TurnEnded follows. */
export interface CancelledEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "Cancelled";
  readonly payload: {
    /** Number of the turn in its session, from 1. */
    readonly turn: number;
    /** The client, or the part of the engine that cancelled it. */
    readonly by: string;
    /**
     * The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client
     * that it does not know any more, an older log, or expired content. Since protocol 0.3.0.
     */
    readonly who?: {
      /** Name that the client gives itself, without control characters. Never trust it: clients may share one. */
      readonly label: string;
      /** Class of its token, which the engine has checked. */
      readonly identityClass: "human" | "agent";
    };
    /** Reason in words. */
    readonly reason: string;
  };
}

/** Something failed, or a notice for people. It ends no turn by itself: TurnEnded says if one ended. */
export interface ErrorEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "Error";
  readonly payload: {
    /** Name of the failure, for programs. */
    readonly reason: string;
    /** Text for people. */
    readonly message: string;
    /** Values in the text, by name. */
    readonly details?: Readonly<Record<string, unknown>>;
    /** A notice is for information: nothing has failed, or the engine continues by itself. Absent: an error. */
    readonly severity?: "notice";
  };
}

/** Events are missing from here: their content has expired, was replaced, or was lost in a crash. */
export interface StreamGapEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "StreamGap";
  readonly payload: {
    /** First missing event. */
    readonly from: number;
    /** Last missing event. */
    readonly to: number;
    /** Cause of the gap. */
    readonly reason: "ttl" | "compaction" | "crash";
  };
}

/** The client's token expires soon. Renew it. */
export interface TokenExpiringEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "TokenExpiring";
  readonly payload: {
    /** The token. */
    readonly jti: TokenId;
    /** Time at which it expires, in seconds since 1970. */
    readonly expAt: number;
  };
}

/** A hook ran too long and was stopped. */
export interface HookTimeoutEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "HookTimeout";
  readonly payload: {
    /** Event that ran the hook. */
    readonly event: string;
    /** The command of the hook. */
    readonly command: string;
    /** Time after which it was stopped, in nanoseconds. */
    readonly after: number;
  };
}

/** A hook failed. */
export interface HookErrorEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "HookError";
  readonly payload: {
    /** Event that ran the hook. */
    readonly event: string;
    /** The command of the hook. */
    readonly command: string;
    /** Exit code of the command. */
    readonly exit_code: number;
    /** Output of the command, cut. */
    readonly output?: string;
  };
}

/** An MCP server stopped and could not be started again. */
export interface MCPServerDownEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "MCPServerDown";
  readonly payload: {
    /** Name of the server. */
    readonly name: string;
    /** Reason in words. */
    readonly reason: string;
    /** Attempts to start it. */
    readonly attempts: number;
  };
}

/** The skills of the session have changed. */
export interface SkillRegistryChangedEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "SkillRegistryChanged";
  readonly payload: {
    /** Names of all skills. */
    readonly skills: readonly string[];
  };
}

/** The session has ended. No event follows. */
export interface SessionEndedEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "SessionEnded";
  readonly payload: {
    /** Reason why it ended. */
    readonly reason: "idle" | "user" | "error" | "binary-shutdown";
  };
}

/** An event of an extension, or of cinch itself under the namespace `cinch`. */
export interface CustomEventEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "CustomEvent";
  readonly payload: {
    /** Name of the extension. */
    readonly namespace: string;
    /** Name of the event. */
    readonly kind: string;
    /** Its content. */
    readonly payload: unknown;
  };
}

/** A question to the person. Answer with Answer. */
export interface AskedEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "Asked";
  readonly payload: {
    /** Id of a question. */
    readonly askId: AskId;
    /** Subject of the question: a trust acknowledgement, an orphaned call, a plan, a re-run … */
    readonly about: "trust" | "orphan" | "plan" | "elicitation" | "token-code" | "outside-sandbox" | "rewind";
    /** The question in words. */
    readonly text: string;
    /** Answers to choose from. Absent: a text is asked for. */
    readonly choices?: ReadonlyArray<{
      /** Value to answer with. */
      readonly value: string;
      /** Text for the person. */
      readonly label: string;
    }>;
    /** True if free text is an answer too, beside the choices. */
    readonly words?: boolean;
    /** The choice that may carry a note: the answer is then its value, a colon and the note. */
    readonly noteFor?: string;
    /** Facts behind the question, by name. */
    readonly details?: Readonly<Record<string, unknown>>;
    /** The client whose work asks. */
    readonly originator?: ClientId;
    /**
     * The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client
     * that it does not know any more, an older log, or expired content. Since protocol 0.3.0.
     */
    readonly who?: {
      /** Name that the client gives itself, without control characters. Never trust it: clients may share one. */
      readonly label: string;
      /** Class of its token, which the engine has checked. */
      readonly identityClass: "human" | "agent";
    };
    /**
     * Time limit for an answer, in milliseconds from `ts` on; then the question is closed without one. The same
     * `askId` again changes the limit of an open question.
     */
    readonly timeoutMs?: number;
    /** See PermissionRequested. Since protocol 0.3.0. */
    readonly onlyUnattended?: true;
  };
}

/** A question was answered, or closed without an answer. */
export interface AnsweredEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "Answered";
  readonly payload: {
    /** Id of a question. */
    readonly askId: AskId;
    /** The answer, null if there was none. */
    readonly answer: unknown;
    /** The client whose command it was. Absent: the engine itself. */
    readonly by?: ClientId;
    /**
     * The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client
     * that it does not know any more, an older log, or expired content. Since protocol 0.3.0.
     */
    readonly who?: {
      /** Name that the client gives itself, without control characters. Never trust it: clients may share one. */
      readonly label: string;
      /** Class of its token, which the engine has checked. */
      readonly identityClass: "human" | "agent";
    };
  };
}

/** An input waits. TurnStarted with its `inputId` begins it; a steering input enters the running turn. */
export interface InputQueuedEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "InputQueued";
  readonly payload: {
    /** Id of an input that waits. */
    readonly inputId: InputId;
    /** The input, in blocks. */
    readonly content: ReadonlyArray<
      | {
          readonly type: "text";
          /** The text. */
          readonly text: string;
        }
      | {
          readonly type: "image";
          /** The bytes of an image, audio or document. */
          readonly source: {
            readonly type: "base64";
            /** Media type, such as `image/png`. */
            readonly media_type: string;
            /** The bytes in base64. */
            readonly data: string;
          };
        }
      | {
          readonly type: "audio";
          /** The bytes of an image, audio or document. */
          readonly source: {
            readonly type: "base64";
            /** Media type, such as `image/png`. */
            readonly media_type: string;
            /** The bytes in base64. */
            readonly data: string;
          };
        }
      | {
          readonly type: "document";
          /** The bytes of an image, audio or document. */
          readonly source: {
            readonly type: "base64";
            /** Media type, such as `image/png`. */
            readonly media_type: string;
            /** The bytes in base64. */
            readonly data: string;
          };
        }>;
    /** "queue": it waits for its turn. "steer": it enters before the next request of the running turn. */
    readonly delivery: "queue" | "steer";
    /** The client that sent it. */
    readonly originator: ClientId;
    /**
     * The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client
     * that it does not know any more, an older log, or expired content. Since protocol 0.3.0.
     */
    readonly who?: {
      /** Name that the client gives itself, without control characters. Never trust it: clients may share one. */
      readonly label: string;
      /** Class of its token, which the engine has checked. */
      readonly identityClass: "human" | "agent";
    };
    /** Name of a skill to use. */
    readonly skill?: string;
    /** Kind of sub-agent that gets it. */
    readonly agent?: string;
  };
}

/** An input that waited was withdrawn. */
export interface InputWithdrawnEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "InputWithdrawn";
  readonly payload: {
    /** Id of an input that waits. */
    readonly inputId: InputId;
    /** The client whose command it was. Absent: the engine itself. */
    readonly by?: ClientId;
    /**
     * The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client
     * that it does not know any more, an older log, or expired content. Since protocol 0.3.0.
     */
    readonly who?: {
      /** Name that the client gives itself, without control characters. Never trust it: clients may share one. */
      readonly label: string;
      /** Class of its token, which the engine has checked. */
      readonly identityClass: "human" | "agent";
    };
  };
}

/** The files that a turn changed can be restored. */
export interface CheckpointMadeEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "CheckpointMade";
  readonly payload: {
    /** Number of the turn in its session, from 1. */
    readonly turn: number;
    /** Number of files in the checkpoint. */
    readonly files: number;
    /** Paths that cannot be restored; `.`: none can. */
    readonly notRestorable?: readonly string[];
  };
}

/** A background task started, or changed its state. */
export interface TaskChangedEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "TaskChanged";
  readonly payload: {
    /** Id of a background task. */
    readonly taskId: TaskId;
    /** Description of the task. */
    readonly what: string;
    /** State of the task. */
    readonly state: "running" | "done" | "failed" | "stopped";
    /** Result or reason, in words. */
    readonly detail?: string;
  };
}

/** The model's list of things to do. It replaces the last one. */
export interface TodoChangedEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "TodoChanged";
  readonly payload: {
    /** All items, in order. */
    readonly items: ReadonlyArray<{
      /** The item in words. */
      readonly content: string;
      /** State of the item. */
      readonly status: "pending" | "in_progress" | "completed";
      /** The item while it is in progress, in words. */
      readonly activeForm?: string;
    }>;
  };
}

/** The model has written a memory, or removed one. */
export interface MemoryWrittenEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "MemoryWritten";
  readonly payload: {
    /** Name of the memory. */
    readonly name: string;
    /** Sort of the memory. */
    readonly type: string;
    /** Description in a line. */
    readonly description: string;
    /** True if it was removed. */
    readonly removed?: boolean;
  };
}

/** Sent in the session that was left, with `next`, and in the one that continues, with `previous`. */
export interface ProfileSwitchedEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "ProfileSwitched";
  readonly payload: {
    /** Name of the profile before. */
    readonly from: string;
    /** Name of the profile now. */
    readonly to: string;
    /** The log that is continued. */
    readonly logId?: LogId;
    /** The session that continues. */
    readonly next?: SessionId;
    /** The session that was left. */
    readonly previous?: SessionId;
    /** True if the same log continues, as a new run under the other profile. */
    readonly inPlace?: boolean;
    /** In the session that continues: the total cost of the sessions before it. */
    readonly spentBefore?: {
      /** Sum over the calls with a known price. */
      readonly usd: number;
      /** Number of calls with an unknown price. */
      readonly unknownCalls: number;
      /** Including those of the cache. */
      readonly inputTokens: number;
      /** Tokens of the answers. */
      readonly outputTokens: number;
    };
  };
}

/** The session has another model or effort from its next request on. Since protocol 0.3.0. */
export interface ModelChangedEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "ModelChanged";
  readonly payload: {
    /** `provider:name`. */
    readonly model: string;
    /** Set if the model has changed. */
    readonly previous?: string;
    /** The effort that a client chose for the session, changed or not. Absent: the configuration decides. */
    readonly effort?: "off" | "low" | "medium" | "high" | "xhigh" | "max";
    /** The client whose command it was. Absent: the engine itself. */
    readonly by?: ClientId;
    /**
     * The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client
     * that it does not know any more, an older log, or expired content. Since protocol 0.3.0.
     */
    readonly who?: {
      /** Name that the client gives itself, without control characters. Never trust it: clients may share one. */
      readonly label: string;
      /** Class of its token, which the engine has checked. */
      readonly identityClass: "human" | "agent";
    };
  };
}

/** A rule of this session that no longer holds. Since protocol 0.3.0. */
export interface RuleRevokedEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "RuleRevoked";
  readonly payload: {
    /** The rule. */
    readonly rule: string;
    /** The client whose command it was. Absent: the engine itself. */
    readonly by?: ClientId;
    /**
     * The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client
     * that it does not know any more, an older log, or expired content. Since protocol 0.3.0.
     */
    readonly who?: {
      /** Name that the client gives itself, without control characters. Never trust it: clients may share one. */
      readonly label: string;
      /** Class of its token, which the engine has checked. */
      readonly identityClass: "human" | "agent";
    };
  };
}

/** A rule of this session that was written to a configuration file. Since protocol 0.3.0. */
export interface RulePromotedEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "RulePromoted";
  readonly payload: {
    /** The rule. */
    readonly rule: string;
    /** The profile that has the rule from now on. */
    readonly profile: string;
    /** The file that it was written to. */
    readonly path: string;
    /** The directory that it holds in, subfolders included; absent: everywhere under that profile. */
    readonly directory?: string;
    /** The client whose command it was. Absent: the engine itself. */
    readonly by?: ClientId;
    /**
     * The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client
     * that it does not know any more, an older log, or expired content. Since protocol 0.3.0.
     */
    readonly who?: {
      /** Name that the client gives itself, without control characters. Never trust it: clients may share one. */
      readonly label: string;
      /** Class of its token, which the engine has checked. */
      readonly identityClass: "human" | "agent";
    };
  };
}

/** A person has given the session a title; empty: the one made from its first prompt again. Since protocol 0.3.0. */
export interface SessionRenamedEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "SessionRenamed";
  readonly payload: {
    /** The title, empty for the made one. */
    readonly title: string;
    /** The client whose command it was. Absent: the engine itself. */
    readonly by?: ClientId;
    /**
     * The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client
     * that it does not know any more, an older log, or expired content. Since protocol 0.3.0.
     */
    readonly who?: {
      /** Name that the client gives itself, without control characters. Never trust it: clients may share one. */
      readonly label: string;
      /** Class of its token, which the engine has checked. */
      readonly identityClass: "human" | "agent";
    };
  };
}

/** The level of the session's next call. Without `by`: settings of the repository have lowered it. Since 0.3.0. */
export interface LevelChangedEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "LevelChanged";
  readonly payload: {
    /** Levels of a session, the tightest first. */
    readonly level: "ReadOnly" | "WorkspaceWrite" | "DangerFullAccess";
    /** The client whose command it was. Absent: the engine itself. */
    readonly by?: ClientId;
    /**
     * The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client
     * that it does not know any more, an older log, or expired content. Since protocol 0.3.0.
     */
    readonly who?: {
      /** Name that the client gives itself, without control characters. Never trust it: clients may share one. */
      readonly label: string;
      /** Class of its token, which the engine has checked. */
      readonly identityClass: "human" | "agent";
    };
  };
}

/** The new content of an input that waits. Since 0.3.0. */
export interface InputEditedEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "InputEdited";
  readonly payload: {
    /** Id of an input that waits. */
    readonly inputId: InputId;
    /** The new content, in blocks. */
    readonly content: ReadonlyArray<
      | {
          readonly type: "text";
          /** The text. */
          readonly text: string;
        }
      | {
          readonly type: "image";
          /** The bytes of an image, audio or document. */
          readonly source: {
            readonly type: "base64";
            /** Media type, such as `image/png`. */
            readonly media_type: string;
            /** The bytes in base64. */
            readonly data: string;
          };
        }
      | {
          readonly type: "audio";
          /** The bytes of an image, audio or document. */
          readonly source: {
            readonly type: "base64";
            /** Media type, such as `image/png`. */
            readonly media_type: string;
            /** The bytes in base64. */
            readonly data: string;
          };
        }
      | {
          readonly type: "document";
          /** The bytes of an image, audio or document. */
          readonly source: {
            readonly type: "base64";
            /** Media type, such as `image/png`. */
            readonly media_type: string;
            /** The bytes in base64. */
            readonly data: string;
          };
        }>;
    /** The client whose command it was. Absent: the engine itself. */
    readonly by?: ClientId;
    /**
     * The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client
     * that it does not know any more, an older log, or expired content. Since protocol 0.3.0.
     */
    readonly who?: {
      /** Name that the client gives itself, without control characters. Never trust it: clients may share one. */
      readonly label: string;
      /** Class of its token, which the engine has checked. */
      readonly identityClass: "human" | "agent";
    };
  };
}

/** The new place of an input that waits: before another one, or the last. Since 0.3.0. */
export interface InputMovedEvent {
  /** A position in a log: JSON numbers up to 2^53 − 1. */
  readonly id: number;
  /** The session. */
  readonly session: SessionId;
  /** The client whose command caused it. Absent: the engine itself. */
  readonly originator?: ClientId;
  /** The call of the parent session that this event of a sub-agent belongs to. */
  readonly parentCall?: CallId;
  /** Time at which it was made, in UTC. */
  readonly ts: string;
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event
   * before it.
   */
  readonly aside?: true;
  readonly kind: "InputMoved";
  readonly payload: {
    /** Id of an input that waits. */
    readonly inputId: InputId;
    /** The waiting input that it stands before now. Absent: it is the last. */
    readonly before?: InputId;
    /** The client whose command it was. Absent: the engine itself. */
    readonly by?: ClientId;
    /**
     * The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client
     * that it does not know any more, an older log, or expired content. Since protocol 0.3.0.
     */
    readonly who?: {
      /** Name that the client gives itself, without control characters. Never trust it: clients may share one. */
      readonly label: string;
      /** Class of its token, which the engine has checked. */
      readonly identityClass: "human" | "agent";
    };
  };
}

/** A session that began or has changed. */
export interface SessionChangedNews {
  readonly kind: "SessionChanged";
  /** Id of a session: one run on a log. */
  readonly session: SessionId;
  /** The session as ListSessions describes it. It replaces earlier items about it. */
  readonly info: SessionInfo;
}

/** A session that is gone. */
export interface SessionGoneNews {
  readonly kind: "SessionGone";
  /** It ended, was deleted, or a newer run on its log took its place, which follows. */
  readonly session: SessionId;
  /** Log of the session. */
  readonly log: LogId;
}

/** The end of the first list. */
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
  readonly AskAutoAttach: AskAutoAttachResult;
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
  readonly ListExpiring: { readonly params: ListExpiringQuery; readonly result: ListExpiringResult };
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
  },
  "ListExpiring": {
    "path": "/v1/expiring"
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
