import * as z from "zod";
import { SentBlock } from "../content.ts";
import { EFFORT_WORDS } from "../effort.ts";
import {
  AskIdSchema,
  CallIdSchema,
  EventSeqSchema,
  InputIdSchema,
  LogIdSchema,
  SessionIdSchema,
  TaskIdSchema,
} from "../ids.ts";
import { ANSWER_HUNKS_MAX, ANSWER_WORDS_CHARACTERS_MAX, HUNK_ID_CHARACTERS_MAX } from "./answer-limits.ts";
import {
  AnswerAutoAttach,
  AskAutoAttach,
  EditInput,
  LevelSchema,
  MoveInput,
  SetLevel,
  SteerAgent,
  StopAgent,
} from "./control-commands.ts";
import { StoreProviderKey } from "./key-commands.ts";
import {
  ADDED_FOLDER_CHARACTERS_MAX,
  ADDED_FOLDERS_MAX,
  ALLOW_CHARACTERS_MAX,
  ALLOW_RULES_MAX,
  APPENDED_CHARACTERS_MAX,
} from "./run-limits.ts";
import { ArchiveSession, DeleteSession, MarkRead, RenameSession, SetDraft } from "./session-commands.ts";
import { SESSION_SERVERS_MAX, SessionMcpServer } from "./session-servers.ts";
import { RunShell, StopShell } from "./shell-commands.ts";

/**
 * Commands: what a client may ask of the engine. A closed union (hard rule 14); unknown fields are dropped on read.
 *
 * The documents define the first ten; the others are additive since protocol 0.2.0 and 0.3.0.
 */

/** The session. */
const sessionId = SessionIdSchema;

/**
 * Sends a prompt. It starts a turn; while one runs, `delivery` says what happens. The answer has the `inputId` of an
 * input that waits.
 */
export const SendInput = z.object({
  kind: z.literal("SendInput"),
  sessionId,
  /** The prompt, in blocks. */
  content: z.array(SentBlock).min(1),
  /** Handling of input that arrives while a turn runs. Default: reject. */
  delivery: z.enum(["reject", "queue", "steer"]).optional(),
  /** Name of a skill to use for this turn. */
  skill: z.string().optional(),
  /** Kind of sub-agent that gets the input instead of the session's own agent. */
  agent: z.string().optional(),
});

/** Stops the running turn, with its calls and sub-agents. Inputs that wait stay. */
export const CancelTurn = z.object({ kind: z.literal("CancelTurn"), sessionId });

/**
 * Reach of an answer. "once": this call. "argv_glob": this and later calls under `rule`. "tool": every later call of
 * the tool. The last two make a rule of the session.
 */
export const PermissionScope = z.enum(["once", "argv_glob", "tool"]);

/** Answers a PermissionRequested. The first answer counts. */
export const AnswerPermission = z.object({
  kind: z.literal("AnswerPermission"),
  sessionId,
  /** The call that is asked about. */
  callId: CallIdSchema,
  /** Runs the call, or refuses it. */
  decision: z.enum(["allow", "deny"]),
  /**
   * Reach: this call ("once"), this and later calls under `rule` ("argv_glob"), or every later call of the tool
   * ("tool"). The last two make a rule of the session. Default: once.
   */
  scope: PermissionScope.optional(),
  /** With argv_glob: the rule that the user was shown and picked, if it is a shorter prefix of words. */
  rule: z.string().optional(),
  /**
   * With allow, if the question offers hosts: the call stays in the sandbox, which may reach them for this session.
   */
  hosts: z.literal(true).optional(),
  /**
   * With allow, if the question shows hunks: ids of those that are applied; the others are refused, and the model reads
   * that. Nothing is written if the file has changed since the question. Since protocol 0.3.0.
   */
  hunks: z.array(z.string().max(HUNK_ID_CHARACTERS_MAX)).max(ANSWER_HUNKS_MAX).optional(),
  /**
   * Words of the person for the model: what to do instead of a denied call, or why hunks were refused. Since protocol
   * 0.3.0.
   */
  words: z.string().max(ANSWER_WORDS_CHARACTERS_MAX).optional(),
});

/** Thinking effort. A model that accepts fewer values gets the nearest below. */
export const EffortSchema = z.enum(EFFORT_WORDS);

/**
 * Settings of a session that differ from its engine's, named like the command line flags. Only people may set them;
 * an agent may set the limits, `strictPermissions` and `planMode`.
 */
export const RunSettings = z.object({
  /** Permission level. Default: that of the profile. */
  level: LevelSchema.optional(),
  /** True: calls that would be asked about run without a question. */
  autoApprove: z.boolean().optional(),
  /** True: calls above the level are denied without a question. */
  strictPermissions: z.boolean().optional(),
  /** Begins in plan mode. */
  planMode: z.boolean().optional(),
  /** Thinking effort. Default: that of the configuration. */
  effort: EffortSchema.optional(),
  /** Limit of provider calls in one turn. */
  maxTurns: z.int().min(1).max(999_999).optional(),
  /** Limit of the session's cost, in US dollars. */
  maxCostUsd: z.number().min(0).optional(),
  /** Wall-clock limit of a turn, in milliseconds. Since protocol 0.3.0. */
  maxTimeMs: z.int().min(1).optional(),
  /** Text at the end of the system text. */
  appendSystemPrompt: z.string().min(1).max(APPENDED_CHARACTERS_MAX).optional(),
  /** Allow rules, as in a profile. They lift no deny rule. */
  allow: z.array(z.string().min(1).max(ALLOW_CHARACTERS_MAX)).min(1).max(ALLOW_RULES_MAX).optional(),
  /**
   * Existing folders, by their absolute paths, in which this run works as in its working directory. Nothing of theirs
   * is loaded. Since protocol 0.3.0.
   */
  addDirs: z
    .array(z.string().min(1).max(ADDED_FOLDER_CHARACTERS_MAX))
    .min(1)
    .max(ADDED_FOLDERS_MAX)
    .optional(),
  /** MCP servers besides the configured ones. Since protocol 0.3.0. */
  mcpServers: z.array(SessionMcpServer).min(1).max(SESSION_SERVERS_MAX).optional(),
  /** True: nothing of the repository is loaded, such as AGENTS.md, skills and settings. */
  withoutProject: z.boolean().optional(),
  /** True: hooks of the repository may run. */
  allowProjectHooks: z.boolean().optional(),
  /** A path on the engine's machine. */
  lockfile: z.string().optional(),
  /**
   * False if the client's user cannot read a project's files first: files that were not acknowledged are then refused.
   */
  asksTrust: z.boolean().optional(),
  /** Environment of the processes that its tools start. Default: that of the engine. */
  environment: z.record(z.string(), z.string()).optional(),
});

/** Creates a session, or resumes one. The answer has its `sessionId`. */
export const CreateSession = z.object({
  kind: z.literal("CreateSession"),
  /** Default: that of the resumed log, else the one that the engine's user has configured. */
  profile: z.string().optional(),
  /** A log that already runs in this engine is attached to as it is. */
  resume: LogIdSchema.optional(),
  /** `provider:name`. Default: that of the resumed log, the profile or the configuration. */
  model: z.string().optional(),
  /** An absolute path on the engine's machine. Default: that of the resumed log, else of the engine. */
  workingDir: z.string().optional(),
  /** Settings that differ from those of the engine. */
  run: RunSettings.optional(),
  /**
   * True: the session is for a person who may never use it. While it is `unused`, it ends a minute after its last
   * client has left, and once it ends without clients it is removed. It stays if an agent has sent it a command, if it
   * has a file, and if a setting was changed and no client has ended or left it. Without effect on a session that is
   * resumed. Since protocol 0.3.0.
   */
  provisional: z.boolean().optional(),
});

/** Attaches the client to a session: it then counts as one that follows it. */
export const AttachSession = z.object({ kind: z.literal("AttachSession"), sessionId });
/** Detaches the client from a session. Nothing that runs is stopped. */
export const DetachSession = z.object({
  kind: z.literal("DetachSession"),
  sessionId,
  /**
   * The user has left for good: the session ends at once if no other client uses it, and it has no turn, task or
   * waiting input. Since 0.3.0.
   */
  left: z.boolean().optional(),
});
/**
 * Sets the model, the effort or both, from the next request on. To change the effort alone, send the current model.
 * The answer and ModelChanged say what holds then.
 */
export const SetModel = z.object({
  kind: z.literal("SetModel"),
  sessionId,
  /** `provider:name`. */
  model: z.string(),
  /** Absent: unchanged. */
  effort: EffortSchema.optional(),
});
/** Begins plan mode: until it is left, the model may read and plan, and change nothing. */
export const EnterPlanMode = z.object({ kind: z.literal("EnterPlanMode"), sessionId });
/** Leaves plan mode, or refuses the plan. */
export const ExitPlanMode = z.object({
  kind: z.literal("ExitPlanMode"),
  sessionId,
  /** True: approves the plan and leaves the mode. False: the model plans on. */
  approve: z.boolean(),
});

/** Sends a command of an extension. */
export const CustomCommand = z.object({
  kind: z.literal("CustomCommand"),
  sessionId,
  /** Name of the extension. */
  namespace: z.string(),
  /** Name of its command. */
  verb: z.string(),
  /** Fields of its command. */
  payload: z.unknown(),
});

/** Ends a session. It can be resumed later. */
export const EndSession = z.object({ kind: z.literal("EndSession"), sessionId });
/**
 * Branches a session: a new log begins with its history up to a point. The answer has `log` and the new `sessionId`,
 * if it runs.
 */
export const BranchSession = z.object({
  kind: z.literal("BranchSession"),
  sessionId,
  /** The last event of a turn. Default: the end of `turn`. */
  at: EventSeqSchema.optional(),
  /** A turn that has ended. Default: the last one. Since 0.3.0. */
  turn: z.int().min(1).optional(),
});
/** Pins a session, so that it does not end by itself when nobody uses it, or takes the pin off. */
export const PinSession = z.object({
  kind: z.literal("PinSession"),
  sessionId,
  /** True: pins it. */
  pinned: z.boolean(),
});
/** Writes a session to a new file on the engine's machine. Since 0.3.0. */
export const ExportSession = z.object({
  kind: z.literal("ExportSession"),
  sessionId,
  /** Default: jsonl. */
  format: z.enum(["jsonl", "markdown"]).optional(),
  /** A path, relative to the working directory. Default: a name made from the session's id. Never overwrites a file. */
  output: z.string().optional(),
  /** The session whose working directory is used. Default: the session itself. */
  directoryOf: sessionId.optional(),
});

/** Hides the notice about sessions that expire within a week. Since 0.3.0. */
export const DismissExpiring = z.object({ kind: z.literal("DismissExpiring"), sessionId });

/** Stops notifying other clients about questions of an agent's session. Since 0.3.0. */
export const MuteSession = z.object({ kind: z.literal("MuteSession"), sessionId });

/** Shortens the history that the model gets, as happens by itself when the context window is nearly full. */
export const CompactSession = z.object({ kind: z.literal("CompactSession"), sessionId });

/** Restores files, conversation or both to the state before an event. */
export const RewindSession = z.object({
  kind: z.literal("RewindSession"),
  sessionId,
  /** The event to restore the state before; 0: before the first one. */
  to: z.int().min(0),
  /** Parts to restore. */
  what: z.enum(["files", "conversation", "both"]),
  /** True to only report what it would do. */
  preview: z.boolean().optional(),
  /**
   * Token of a preview. The rewind is refused if it would now do something else, and needs no further
   * confirmation otherwise.
   */
  token: z.string().optional(),
  /**
   * Files to restore although another program changed them: those that the session changed too, and those that it did
   * not. Absent: the user is asked; without a user they stay unchanged.
   */
  overwrite: z.array(z.enum(["contested", "foreign"])).optional(),
});

/** Withdraws an input that waits. An agent withdraws only its own. */
export const WithdrawInput = z.object({
  kind: z.literal("WithdrawInput"),
  sessionId,
  inputId: InputIdSchema,
});
/** Revokes an allow rule that a person gave in this session. */
export const RevokeRule = z.object({
  kind: z.literal("RevokeRule"),
  sessionId,
  /** The rule, as ListRules names it. */
  rule: z.string(),
});
/** Writes an allow rule of this session to a configuration file, so that later sessions have it. */
export const PromoteRule = z.object({
  kind: z.literal("PromoteRule"),
  sessionId,
  /** The rule, as ListRules names it. */
  rule: z.string(),
  /**
   * True: in every directory, under the current profile; else in the session's working directory and below.
   * Since 0.3.0.
   */
  everywhere: z.boolean().optional(),
});

/** Continues the work under another profile. Only people may. The answer has the new `sessionId`. */
export const SwitchProfile = z.object({
  kind: z.literal("SwitchProfile"),
  sessionId,
  /** Name or path of the profile. */
  profile: z.string(),
  /** Number of the last turns whose summary goes along into the new log. Default: 5. */
  importTurns: z.int().min(0).optional(),
  /** True: the same log continues, as a new run. Default: a new log begins. */
  inPlace: z.boolean().optional(),
});

/** Reads the skills from their folders again. */
export const ReloadSkills = z.object({ kind: z.literal("ReloadSkills"), sessionId });

/** Reports on an MCP server of the session, or controls it. */
export const ManageMcp = z.object({
  kind: z.literal("ManageMcp"),
  sessionId,
  /** Name of the server. */
  server: z.string(),
  /** `stop` holds until `start`, or the end of the engine, for all its sessions. Since 0.3.0: stop, start. */
  action: z.enum(["status", "restart", "approve", "stop", "start"]),
});

/** Stops a background task. */
export const StopTask = z.object({ kind: z.literal("StopTask"), sessionId, taskId: TaskIdSchema });

/** The answer to an `Asked` event: one of its choices, or the requested text or form. */
export const Answer = z.object({
  kind: z.literal("Answer"),
  sessionId,
  askId: AskIdSchema,
  /** Value of a choice, a text, or the fields of the form. */
  answer: z.unknown(),
});

/** One command of a client. */
export const Command = z.discriminatedUnion("kind", [
  SendInput,
  CancelTurn,
  AnswerPermission,
  CreateSession,
  AttachSession,
  DetachSession,
  SetModel,
  EnterPlanMode,
  ExitPlanMode,
  CustomCommand,
  EndSession,
  BranchSession,
  PinSession,
  CompactSession,
  RewindSession,
  WithdrawInput,
  RevokeRule,
  PromoteRule,
  SwitchProfile,
  ReloadSkills,
  ManageMcp,
  StopTask,
  Answer,
  ExportSession,
  DismissExpiring,
  MuteSession,
  RenameSession,
  ArchiveSession,
  DeleteSession,
  MarkRead,
  SetDraft,
  SetLevel,
  EditInput,
  MoveInput,
  RunShell,
  StopShell,
  StopAgent,
  SteerAgent,
  StoreProviderKey,
  AskAutoAttach,
  AnswerAutoAttach,
]);

export type Command = z.infer<typeof Command>;
export type CommandKind = Command["kind"];
export type CommandOf<Kind extends CommandKind> = Extract<Command, { kind: Kind }>;
/** Commands about the engine; all others name a session. */
export type EngineCommandKind = "CreateSession" | "StoreProviderKey";
export type SessionCommandKind = Exclude<CommandKind, EngineCommandKind>;
export type PermissionScope = z.infer<typeof PermissionScope>;

/** Result of an accepted command. Refusals are `HarnessError`s. */
export const Accepted = z.object({
  /** The session that was created or branched, or the run that took over a paused one. */
  sessionId: SessionIdSchema.optional(),
  /** The input, if it waits. */
  inputId: InputIdSchema.optional(),
  /** Result of a command that returns data (a preview, a status). */
  result: z.unknown().optional(),
});
export type Accepted = z.infer<typeof Accepted>;
