import * as z from "zod";
import { StandsFor } from "./commands/command-spec.ts";
import { EffortSchema } from "./commands/commands.ts";
import { LevelSchema } from "./commands/control-commands.ts";
import type { DeepReadonly } from "./deep-readonly.ts";
import { EFFORT_WORDS } from "./effort.ts";
import { CLIENT_LABEL_CHARACTERS_MAX, CLIENTS_LISTED_MAX } from "./events/acting-client.ts";
import type { Envelope } from "./events/envelope.ts";
import { EnvelopeSchema } from "./events/envelope.ts";
import { ClientIdSchema, EventSeqSchema, LogIdSchema, SessionIdSchema, TaskIdSchema } from "./ids.ts";

/** Data of an engine beside its events: the answers of the reading routes (CTL-15). Keys are snake_case. */

/** A client that follows a session. Since protocol 0.3.0. */
export const FollowingClient = z.object({
  id: ClientIdSchema,
  /** Name that it gives itself, without control characters. Never trust it: clients may share one. */
  label: z.string().max(CLIENT_LABEL_CHARACTERS_MAX),
  /** Class of its token. */
  identity_class: z.enum(["human", "agent"]),
});

/** A session, running or stored. */
export const SessionInfo = z.object({
  /** The newest run on its log. */
  session: SessionIdSchema,
  log: LogIdSchema,
  /**
   * "running": a process holds it; "interrupted": it stopped in the middle of a turn; "paused": it can be resumed.
   */
  status: z.enum(["running", "interrupted", "paused"]),
  /** True if this engine runs it: it takes input now. */
  live: z.boolean(),
  /**
   * "running": a turn runs; "waiting": a question waits for an answer; "idle": neither. Of a session of another process
   * it is only known if a turn runs. Since protocol 0.3.0.
   */
  state: z.enum(["running", "waiting", "idle"]).optional(),
  /** The beginning of the first prompt, unless `renamed`. */
  title: z.string(),
  /** True if a person gave it its title. Since protocol 0.3.0. */
  renamed: z.boolean().optional(),
  /** True if lists leave it out. Since protocol 0.3.0. */
  archived: z.boolean().optional(),
  /** Name of the profile. */
  profile: z.string(),
  /** `provider:name`. */
  model: z.string(),
  /** The effort that a client chose for the session. Absent: the configuration decides. Since protocol 0.3.0. */
  effort: EffortSchema.optional(),
  /** Permission level; of a session that runs here. Since protocol 0.3.0. */
  level: LevelSchema.optional(),
  /** True in plan mode. Since protocol 0.3.0. */
  plan_mode: z.boolean().optional(),
  /** Number of turns. */
  turns: z.int().min(0),
  /**
   * True if it was never used: it has no turn, waiting input, command of a person, title of a person, draft or pin.
   * Since protocol 0.3.0.
   */
  unused: z.boolean().optional(),
  /** Turns that have ended since the mark of `reader`; without a mark, all. Since protocol 0.3.0. */
  unread: z.int().min(0).optional(),
  /** US dollars of all of its calls; null if the price of one is unknown. Since protocol 0.3.0. */
  cost_usd: z.number().min(0).nullable().optional(),
  /** Tokens of the input of all of its calls, without those of the cache. Since protocol 0.3.0. */
  input_tokens: z.int().min(0).optional(),
  /** Tokens of the answers. */
  output_tokens: z.int().min(0).optional(),
  /** Tokens read from the prompt cache. */
  cache_read_tokens: z.int().min(0).optional(),
  /** Tokens written to the prompt cache. */
  cache_write_tokens: z.int().min(0).optional(),
  /** Tokens of the newest request and its answer. Absent: unknown. Since protocol 0.3.0. */
  context_tokens: z.int().min(0).optional(),
  /** Tokens that the model accepts. Absent: unknown. Since protocol 0.3.0. */
  context_window: z.int().min(0).optional(),
  /** Questions that wait for an answer; 0 for a session that does not run here. Since protocol 0.3.0. */
  questions: z.int().min(0).optional(),
  /** Inputs that wait for their turn; 0 for a session that does not run here. Since protocol 0.3.0. */
  queued: z.int().min(0).optional(),
  /** The id of its last event. */
  events: z.int().min(0),
  /**
   * Set if it broke off: clients may have seen events up to this id. The next run begins behind it, with a StreamGap
   * for those that are lost. Since protocol 0.3.0.
   */
  reserved: z.int().min(0).optional(),
  /** Set if a question in it is not answered: every open question has an id above this. */
  asked_since: z.int().min(0).optional(),
  /** Set if an input in it waits for its turn: every one that waits has an id above this. Since protocol 0.3.0. */
  queued_since: z.int().min(0).optional(),
  /** Time at which its log began. */
  created_at: z.string(),
  /** Time of its last event. */
  updated_at: z.string(),
  /** Absolute path of its working directory. */
  working_dir: z.string(),
  /** True if it does not end by itself when nobody uses it. */
  pinned: z.boolean(),
  /** `session`: the newest run of that log; absent if it was deleted. */
  branch_of: z
    .object({
      log: LogIdSchema,
      /** The event at which it branched off. */
      event: EventSeqSchema,
      session: SessionIdSchema.optional(),
    })
    .optional(),
  /** Names of the clients that follow it; for tokens of every session. Since protocol 0.3.0. */
  attached_by: z.array(z.string()).optional(),
  /**
   * The clients that follow it, in the order in which they came, each once; at most `CLIENTS_LISTED_MAX`. For tokens of
   * every session. News of the session come when one attaches or leaves. Since protocol 0.3.0.
   */
  clients: z.array(FollowingClient).max(CLIENTS_LISTED_MAX).optional(),
  /** Days until content of it expires. Absent: none will. Since protocol 0.3.0. */
  expires_in_days: z.int().min(0).optional(),
  /** The end of the model's last text on one line, with `previews`. Since protocol 0.3.0. */
  last_text: z.string().optional(),
});

/** One session at its own address: `last_events` are the newest of its log, in order. */
export const SessionDetail = SessionInfo.extend({
  // The schema is built from a table, so its type is given here.
  /** The newest events of its log, in order. */
  last_events: z.array(EnvelopeSchema as unknown as z.ZodType<Envelope>),
});

/** A background task of a session. */
export const TaskInfo = z.object({
  task: TaskIdSchema,
  /** Description of the task. */
  what: z.string(),
  /** State of the task. */
  state: z.enum(["running", "done", "failed", "stopped"]),
  /** Result or reason, in words. */
  detail: z.string().optional(),
  /** Time of its last update. */
  updated_at: z.string(),
});

/** A profile, with what it declares. */
export const ProfileInfo = z.object({
  /** Name of the profile. */
  name: z.string(),
  /** "embedded": part of cinch; "user": in the user's configuration. */
  source: z.enum(["embedded", "user"]),
  /** `provider:name`. */
  default_model: z.string().optional(),
  /** Files whose text stands in the system text. */
  context_sources: z.array(z.string()).optional(),
  /** Groups of tools that it has. */
  tool_packs: z.array(z.string()).optional(),
  /** Folders of skills that it has. */
  skill_packs: z.array(z.string()).optional(),
  /** Servers that the profile itself declares, without their arguments and environment. */
  mcp_servers: z
    .array(
      z.object({
        /** Name of the server. */
        name: z.string(),
        /** Transport to the server. */
        transport: z.enum(["stdio", "http", "sse"]),
        /** When its tools are read: at the start, or when one is needed. */
        discovery: z.enum(["eager", "lazy"]).optional(),
        /** True if its program is pinned to its content. */
        pinned: z.boolean(),
      }),
    )
    .optional(),
  /** Names of its plugins. */
  plugins: z.array(z.string()).optional(),
  /** Permissions that it declares. */
  permissions: z
    .object({
      level: LevelSchema.optional(),
      /** True if calls above the level are denied without a question. */
      strict: z.boolean().optional(),
      /** Permission rules. */
      rules: z.array(
        z.object({
          /** Effect of the rule. */
          effect: z.enum(["allow", "ask", "deny"]),
          /** The rule. */
          rule: z.string(),
        }),
      ),
    })
    .optional(),
  /** True if hooks of repositories may run. */
  allow_project_hooks: z.boolean().optional(),
});

/** US dollars for one million tokens. An absent price is unknown, never free. */
export const PriceInfo = z.object({
  /** Price of the input. */
  input: z.number().min(0),
  /** Price of the answer. */
  output: z.number().min(0),
  /** Price of input that is read from the prompt cache. */
  cache_read: z.number().min(0).optional(),
  /** Price of input that is written to the prompt cache. */
  cache_write: z.number().min(0).optional(),
});

/** Prices of one model. `long`: for a request whose input has more tokens than `above_tokens`. */
export const ModelPriceInfo = PriceInfo.extend({
  /** Prices of a long request. */
  long: PriceInfo.extend({
    /** A request with more input tokens is long. */
    above_tokens: z.int().min(0),
  }).optional(),
});

/** A model of a provider. */
export const ModelInfo = z.object({
  /** Name of the model, without its provider. */
  id: z.string(),
  /** Name for people. */
  name: z.string().optional(),
  /** Tokens that it accepts. Absent: unknown. */
  context_tokens: z.int().min(0).optional(),
  /** Longest answer. Absent: unknown. */
  output_tokens_max: z.int().min(0).optional(),
  /** Content that it is known to accept. Absent: unknown. Since protocol 0.3.0. */
  accepts: z.array(z.enum(["text", "image", "audio", "pdf"])).optional(),
  /** True if it can think before it answers. Absent: unknown. Since protocol 0.3.0. */
  thinking: z.boolean().optional(),
  /** Efforts that it accepts; others become the nearest below. Absent: unknown. Since protocol 0.3.0. */
  efforts: z.array(z.enum(EFFORT_WORDS)).optional(),
  /** Absent: unknown. */
  price: PriceInfo.optional(),
});

/** A model provider. */
export const ProviderInfo = z.object({
  /** Name of the provider. */
  name: z.string(),
  /** True if it is set up: a key exists, or the configuration names it. Keys themselves are never returned. */
  configured: z.boolean(),
  /** Its catalogue. Absent: not requested, or not available. */
  models: z.array(ModelInfo).optional(),
  /** Reason why the catalogue is not available. */
  error: z.string().optional(),
  /**
   * Usual address of a model server on the machine of the engine; ListModels shows if it answers. Absent: it is another
   * provider. Since protocol 0.3.0.
   */
  address: z.string().optional(),
  /** Variable for its key, which StoreProviderKey stores. Absent: it takes no such key. Since protocol 0.3.0. */
  key_variable: z.string().optional(),
});

/** A tool. */
export const ToolInfo = z.object({
  /** Name, as the model calls it. */
  name: z.string(),
  /** Description for the model. */
  description: z.string(),
  /** JSON Schema of its arguments. */
  input_schema: z.record(z.string(), z.unknown()),
  /** Permission level under which it runs without a question. */
  level: LevelSchema,
  /** True if it may change something. */
  mutating: z.boolean(),
  /** True if requests leave it out until the model searches for it. */
  lazy: z.boolean(),
  /** Source: cinch, an MCP server, a plugin or a skill. */
  source: z.string(),
  /** Its name with the spelling of its MCP server, if that is another. Since protocol 0.3.0. */
  spelled: z.string().optional(),
  /** The reason why each call needs the yes of a person, whatever rules say. Since protocol 0.3.0. */
  person_only: z.string().optional(),
});

/** A skill. */
export const SkillInfo = z.object({
  /** Name of the skill. */
  name: z.string(),
  /** In a list one line of at most 250 characters; with the text the whole of it. */
  description: z.string(),
  /** Source. */
  source: z.string(),
  /** Its folder, if a session is given. */
  path: z.string().optional(),
});
/** A skill with its text. */
export const SkillText = SkillInfo.extend({
  /** The text of SKILL.md below its head. */
  text: z.string(),
  /** Other fields of its SKILL.md head, unchanged: license, compatibility, metadata, allowed-tools and others. */
  fields: z.record(z.string(), z.unknown()).optional(),
});

/** A command that a person can type behind a slash. */
export const SlashCommandInfo = z.object({
  /** Without the slash; with its namespace if it has one: "compact", "sessions:list". */
  name: z.string(),
  /** The command with its words. */
  usage: z.string(),
  /** Effect in a sentence. */
  help: z.string(),
  /** The command that runs it; "client" if the client runs it itself. */
  command: z.string(),
  /** For an alias: what a client replaces it with, before the words that follow. */
  alias_of: z.string().optional(),
  /** Part of the name before the colon; absent: it has none. */
  namespace: z.string().optional(),
  /** The same as `help`. */
  description: z.string().optional(),
  /** Words after the name, as `usage` writes them; absent: there are none, or they are free. */
  args_help: z.string().optional(),
  /** JSON Schema of the words after the name, as one text. */
  args_schema: z.record(z.string(), z.unknown()).optional(),
  /** Further names. Since protocol 0.3.0. */
  aliases: z.array(z.string()).optional(),
  /** True if the words are one text: quotes need not be closed. Since protocol 0.3.0. */
  takes_text: z.boolean().optional(),
  /** The query or command that a client sends for it, and the layout of the answer. Since protocol 0.3.0. */
  stands_for: StandsFor.optional(),
  /** True if it belongs to cinch, and is the same in each session. */
  is_builtin: z.boolean().optional(),
});

/** An MCP server of the engine. */
export const McpServerInfo = z.object({
  /** Name of the server. */
  name: z.string(),
  /** "degraded": it could not be started again. */
  state: z.enum(["stopped", "starting", "running", "degraded"]),
  /** Number of its tools. */
  tools: z.int().min(0),
  /**
   * The sessions that use it, of those that the token names. It distinguishes two servers of one name that different
   * sessions declare. Since protocol 0.3.0.
   */
  sessions: z.array(SessionIdSchema).optional(),
});

/** State of the engine. */
export const Health = z.object({
  /** `starting`: it listens, and its owner gets no token yet. Since protocol 0.3.0. */
  status: z.enum(["ok", "starting", "stopping"]),
  /** Version of the protocol that it speaks. */
  protocol_version: z.string(),
});

/** Statistics of the caches of one name. Hits, misses and evictions count from the start of the engine. */
export const CacheInfo = z.object({
  /** Name of the cache. */
  name: z.string(),
  /** Number of entries. */
  entries: z.int().min(0),
  /** Size of the entries. */
  bytes: z.int().min(0),
  /** Lookups that found an entry. */
  hits: z.int().min(0),
  /** Lookups that found none. */
  misses: z.int().min(0),
  /** Entries removed for lack of space. */
  evictions: z.int().min(0),
});

/** The process behind an engine. Optional fields are absent for a token of named sessions. */
export const RuntimeInfo = z.object({
  /** Version of cinch. */
  version: z.string(),
  /** Version of the protocol that it speaks. */
  protocol_version: z.string(),
  /** Random id of each start of the engine. Since protocol 0.3.0. */
  engine: z.string(),
  /** Process id of the engine. */
  pid: z.int().optional(),
  /** Time at which it started. */
  started_at: z.string().optional(),
  /** Number of sessions that run. */
  sessions: z.int().min(0).optional(),
  /** Data in memory that can be fetched again: the caches share one budget, in bytes. */
  caches: z
    .object({
      /** Size of all caches. */
      bytes: z.int().min(0),
      /** Limit of that size. */
      bytes_max: z.int().min(0),
      /** The caches. */
      each: z.array(CacheInfo),
    })
    .optional(),
});

/** The parts of an engine and their state, for its operator. */
export const EngineHealth = z.object({
  /** Version of cinch. */
  version: z.string(),
  /** Process id of the engine. */
  pid: z.int(),
  /** Number of sessions that run. */
  sessions: z.int().min(0),
  /** `none`: there are no keys, or the engine holds them itself. */
  key_helper: z.object({
    /** State of the process that holds keys. */
    state: z.enum(["none", "starting", "working", "restarting", "failed"]),
    /** Number of its failures. */
    failures: z.int().min(0).optional(),
  }),
  /** Source of the machine key. Absent: it was not used yet. */
  machine_key: z.string().optional(),
  /** The file that holds the sessions. */
  database: z.object({
    /** Path of the file. */
    path: z.string(),
    /** Size of the file. Absent if there is none. */
    bytes: z.int().min(0).optional(),
  }),
  /** The MCP servers that it uses. */
  mcp_servers: z.array(McpServerInfo),
  /** Addresses. Empty: it serves its own process only. */
  listening: z.array(z.string()),
  /** Origins whose pages it answers. Absent: none. Since protocol 0.3.0. */
  allowed_origins: z.array(z.string()).optional(),
  /**
   * Notifications to the user's address. `problem` is that of the last one; `dropped` are those that had no room.
   * Absent: none are sent. Since protocol 0.3.0.
   */
  notify: z
    .object({
      /** "failing": the last one was not delivered. */
      state: z.enum(["working", "failing"]),
      /** Reason why the last one was not delivered. */
      problem: z.string().optional(),
      /** Number of delivered notifications. */
      sent: z.int().min(0),
      /** Number of failed notifications. */
      failed: z.int().min(0),
      /** Number of notifications that had no room. */
      dropped: z.int().min(0),
    })
    .optional(),
});

/** The profile of a session, with what is loaded under it. */
export const SessionProfile = z.object({
  /** Name of the profile. */
  profile: z.string(),
  /** The name or path that it was requested by. */
  reference: z.string(),
  /** Path of its file. */
  path: z.string(),
  /** Source. */
  source: z.enum(["embedded", "user"]),
  /** `provider:name`. */
  model: z.string(),
  /** Names of its skills. */
  skills: z.array(z.string()),
  /** The MCP servers that run for it. */
  mcp_servers: z.array(McpServerInfo),
  /** Its tools. */
  tools: z.array(
    z.object({
      /** Name of the tool. */
      name: z.string(),
      /** Source of the tool. */
      source: z.string(),
    }),
  ),
});

/** A kind of sub-agent. */
export const AgentInfo = z.object({
  /** Name of the kind. */
  name: z.string(),
  /** Purpose, for the model. */
  description: z.string(),
});

/** Tokens of provider calls. Counts that a provider does not report are zero. */
export const UsageInfo = z.object({
  /** Provider calls. */
  calls: z.int().min(0),
  /** Without the tokens of the cache. */
  input_tokens: z.int().min(0),
  /** Tokens of the answers. */
  output_tokens: z.int().min(0),
  /** Tokens read from the prompt cache. */
  cache_read_tokens: z.int().min(0),
  /** Tokens written to the prompt cache. */
  cache_write_tokens: z.int().min(0),
});

/** Answer to `?wait=turn`, when the turn has ended. */
export const TurnAnswer = z.object({
  /** Text of the last message of the model that had any; empty if none had. */
  text: z.string(),
  /** Reason why the turn ended, as TurnEnded has it; `withdrawn` if the input was withdrawn. */
  reason: z.string(),
  /** Calls of the provider in this turn. */
  turns: z.int().min(0),
  /** US dollars; null if the price of a call is unknown, or a call was cut off before it reported usage. */
  cost_usd: z.number().min(0).nullable(),
  /** Names of the tools that were called, each once, in the order of their first call. */
  tools_used: z.array(z.string()),
  /** Tokens of the turn and its sub-agents. Since protocol 0.3.0. */
  usage: UsageInfo.optional(),
  /** Calls that did not run because nobody had allowed them. Since protocol 0.3.0. */
  refused: z.int().min(0).optional(),
  /** Reason why the turn did not end well. Absent after complete, yield, cancelled and withdrawn. */
  error: z
    .object({
      /** Name of the failure, for programs. */
      reason: z.string(),
      /** Text for people. */
      message: z.string(),
    })
    .optional(),
  /** With `?events=true`: every event of the turn. */
  events: z.array(z.unknown()).optional(),
});

/** Body of every refusal. */
export const ErrorBody = z.object({
  /** Name of the refusal, for programs. */
  reason: z.string(),
  /** Text for people. */
  message: z.string(),
  /** Values in the text, by name. */
  details: z.record(z.string(), z.unknown()).optional(),
});

export type FollowingClient = DeepReadonly<z.infer<typeof FollowingClient>>;
export type SessionInfo = DeepReadonly<z.infer<typeof SessionInfo>>;
export type TaskInfo = DeepReadonly<z.infer<typeof TaskInfo>>;
export type ProfileInfo = DeepReadonly<z.infer<typeof ProfileInfo>>;
export type PriceInfo = DeepReadonly<z.infer<typeof PriceInfo>>;
export type ProviderInfo = DeepReadonly<z.infer<typeof ProviderInfo>>;
export type ModelInfo = DeepReadonly<z.infer<typeof ModelInfo>>;
export type ToolInfo = DeepReadonly<z.infer<typeof ToolInfo>>;
export type SkillInfo = DeepReadonly<z.infer<typeof SkillInfo>>;
export type SkillText = DeepReadonly<z.infer<typeof SkillText>>;
export type SlashCommandInfo = DeepReadonly<z.infer<typeof SlashCommandInfo>>;
export type McpServerInfo = DeepReadonly<z.infer<typeof McpServerInfo>>;
export type Health = DeepReadonly<z.infer<typeof Health>>;
export type RuntimeInfo = DeepReadonly<z.infer<typeof RuntimeInfo>>;
export type ModelPriceInfo = DeepReadonly<z.infer<typeof ModelPriceInfo>>;
export type EngineHealth = DeepReadonly<z.infer<typeof EngineHealth>>;
export type SessionProfile = DeepReadonly<z.infer<typeof SessionProfile>>;
export type AgentInfo = DeepReadonly<z.infer<typeof AgentInfo>>;
export type UsageInfo = DeepReadonly<z.infer<typeof UsageInfo>>;
export type TurnAnswer = DeepReadonly<z.infer<typeof TurnAnswer>>;
export type ErrorBody = DeepReadonly<z.infer<typeof ErrorBody>>;
