import * as z from "zod";
import { EffortSchema, PermissionScope } from "../commands/commands.ts";
import { LevelSchema } from "../commands/control-commands.ts";
import { InputBlock, ResultContent, ThinkingPiece } from "../content.ts";
import {
  AskIdSchema,
  CallIdSchema,
  ClientIdSchema,
  EventSeqSchema,
  InputIdSchema,
  LogIdSchema,
  SessionIdSchema,
  TaskIdSchema,
  TokenIdSchema,
} from "../ids.ts";
import { AskedPart, AskedWhy } from "./asked-call.ts";
import { Hunk } from "./hunk.ts";
import { NamedClient } from "./named-client.ts";
import { ARGS_DELTA_CHARACTERS_MAX, TAIL_BYTES_MAX } from "./progress-limits.ts";
import { ChangePreview, ToolKind } from "./shown-call.ts";

/**
 * Payloads of every event kind ([A] § Event bus, BUS-07), camelCase. A closed union (hard rule 14); plugins use
 * CustomEvent. Durations are whole nanoseconds, money is US dollars, null if the price is unknown.
 */

/** Number of the turn in its session, from 1. */
const turn = z.int().min(1);
/** Nanoseconds. */
const nanoseconds = z.int().min(0);
/** Number of tokens. */
const tokens = z.int().min(0);
/** US dollars; null if the price is unknown. */
const usd = z.number().min(0).nullable();

/**
 * Reason why a turn ended. "complete" and "yield": the model was done. "length": its answer reached the limit.
 * "empty": it had none. "turn_limit", "time_limit" and "budget": a limit of the session. "no_progress": it repeated
 * itself.
 */
export const TurnEndReason = z.enum([
  "complete",
  "yield",
  "cancelled",
  "error",
  "length",
  "empty",
  "turn_limit",
  "time_limit",
  "budget",
  "no_progress",
]);

/** Causes of a miss of the prompt cache, as far as two requests show them. Since protocol 0.3.0. */
export const CacheMissCause = z.enum([
  "model_changed",
  "tools_changed",
  "system_changed",
  "effort_changed",
  "history_changed",
  "expired",
  "unknown",
]);

/** Reason why a session ended. "idle": nobody used it. "user": a client ended it. "binary-shutdown": a stop. */
export const SessionEndReason = z.enum(["idle", "user", "error", "binary-shutdown"]);

export const TodoItem = z.object({
  /** The item in words. */
  content: z.string(),
  /** State of the item. */
  status: z.enum(["pending", "in_progress", "completed"]),
  /** The item while it is in progress, in words. */
  activeForm: z.string().optional(),
});

/** Index of the piece's block in one answer of the model. Default: 0. Since protocol 0.3.0. */
const blockIndex = z.int().min(0);

/** A failure: the reason is for programs, the message for people. */
const failure = {
  /** Name of the failure, for programs. */
  reason: z.string(),
  /** Text for people. */
  message: z.string(),
  /** Values in the text, by name. */
  details: z.record(z.string(), z.unknown()).optional(),
};

/**
 * Cause. "threshold": the history came near the limit. "overflow": the provider refused its length.
 * "command": a client.
 */
const CompactionTrigger = z.enum(["threshold", "overflow", "command"]);

const byUser = {
  /** Set for a command that a person runs themselves (RunShell). Since protocol 0.3.0. */
  by: z.literal("user").optional(),
  /** Set together with `by`. Since protocol 0.3.0. */
  shell: z.literal(true).optional(),
};

/** The client whose command it was. Absent: the engine itself. */
const by = ClientIdSchema.optional();

/** Set beside the id of a client. */
const who = { who: NamedClient.optional() };

const payloads = {
  /** The next piece of the model's text. */
  TextDelta: z.object({
    /** The piece. */
    text: z.string(),
    index: blockIndex.optional(),
  }),
  /** The next piece of the model's thinking. */
  ThinkingDelta: z.object({ block: ThinkingPiece, index: blockIndex.optional() }),
  /** A tool call starts. ToolResult of the same `callId` ends it. */
  ToolCallStarted: z.object({
    callId: CallIdSchema,
    /** Name of the tool. */
    tool: z.string(),
    /** Arguments of the call, redacted. */
    args: z.unknown(),
    /** True if the tool may change something. */
    mutating: z.boolean(),
    toolKind: ToolKind.optional(),
    preview: ChangePreview.optional(),
    ...byUser,
    /** With `shell`: true if the model gets the command and its output. */
    toModel: z.boolean().optional(),
  }),
  /**
   * Output of a call that runs. Show either `partial`, which the log keeps, or `tail`, which is newer: a
   * command sends both kinds of event.
   */
  ToolCallProgress: z.object({
    callId: CallIdSchema,
    /** Output since the event before; a long or fast one is cut. May be empty. */
    partial: z.string(),
    /**
     * The last lines of the output of a command that runs, redacted. Only an event with `aside` has it: it is not in
     * the log, which keeps `partial`. Since protocol 0.3.0.
     */
    tail: z.string().max(TAIL_BYTES_MAX).optional(),
    /** Bytes that the command has written so far. Since protocol 0.3.0. */
    bytes: z.int().min(0).optional(),
    /** Lines that the command has written so far. Since protocol 0.3.0. */
    lines: z.int().min(0).optional(),
    /** Milliseconds that the command has run, without the wait for a permission. Since protocol 0.3.0. */
    elapsedMs: z.int().min(0).optional(),
  }),
  /**
   * The next piece of the arguments of a call while the model writes it, redacted. Only a subscriber that asks gets it,
   * with `aside`. ToolCallStarted of the same `callId` has the whole and replaces it. Since protocol 0.3.0.
   */
  ToolArgsDelta: z.object({
    callId: CallIdSchema,
    /** The tool as the model names it: a call of a lazy tool starts under the name of that tool. */
    tool: z.string(),
    /** JSON text. May be empty. */
    text: z.string().max(ARGS_DELTA_CHARACTERS_MAX),
    /** UTF-16 units of the arguments before this piece. Another number than expected: this reader missed pieces. */
    offset: z.int().min(0),
    index: blockIndex.optional(),
    /** The rest of the arguments is above the limit and not shown. */
    cut: z.literal(true).optional(),
    /** No call comes of it: the answer broke off, was tried again, or ended before the call began. */
    void: z.literal(true).optional(),
  }),
  /** The result of a call, as the model reads it. */
  ToolResult: z.object({
    callId: CallIdSchema,
    /** The result, in blocks. */
    content: z.array(ResultContent),
    /** True if the call failed. */
    isError: z.boolean().optional(),
    ...byUser,
  }),
  /** A turn starts. TurnEnded of the same number ends it. */
  TurnStarted: z.object({
    turn,
    /** The client that sent the input. */
    originator: ClientIdSchema,
    ...who,
    /** The input, in blocks. */
    content: z.array(InputBlock).optional(),
    /** The input that had waited, if any: it has begun and is never begun again. */
    inputId: InputIdSchema.optional(),
  }),
  /** A turn has ended. */
  TurnEnded: z.object({
    turn,
    reason: TurnEndReason,
    /** Provider calls of the session's own agent. */
    rounds: z.int().min(0).optional(),
    /**
     * Failure that ended the turn, as its Error event has it. Absent after `complete`, `yield` and `cancelled`. An
     * older engine leaves it out: there the last Error event of the turn says it.
     */
    error: z.object(failure).optional(),
    /** Tokens of the turn and its sub-agents. Absent for a sub-agent, and without a provider call. Since 0.3.0. */
    usage: z
      .object({
        /** Provider calls. */
        calls: z.int().min(1),
        /** Without the tokens of the cache. */
        inputTokens: tokens,
        outputTokens: tokens,
        cacheReadTokens: tokens,
        cacheWriteTokens: tokens,
      })
      .optional(),
    /** Cost of the same calls; null if the price of one is unknown, or one was cut off. Since 0.3.0. */
    usd: usd.optional(),
    /**
     * Files that the turn changed, sorted, as `GetChanges` names them; of a renamed one both names; at most 100. Those
     * that commands changed are among them. Absent for a sub-agent, and if no checkpoint knows them. Since 0.3.0.
     */
    files: z.array(z.string()).optional(),
  }),
  /** Time that the parts of a turn took. */
  TurnTiming: z.object({
    turn,
    /** Nanoseconds of each part, by name. */
    components: z.record(z.string(), nanoseconds),
    /** The calls of the turn. */
    toolCalls: z
      .array(
        z.object({
          callId: CallIdSchema,
          /** Name of the tool. */
          tool: z.string(),
          /** Duration in nanoseconds. */
          duration: nanoseconds,
        }),
      )
      .optional(),
  }),
  /** The history that the model gets was shortened. */
  CompactionTriggered: z.object({
    /** Tokens before. */
    beforeTokens: tokens,
    /** Tokens afterwards. */
    afterTokens: tokens,
    /** Events up to this one are no longer in the history as they are. */
    boundary: EventSeqSchema.optional(),
    /** Method. 1: references replace long results. 2: a model wrote a summary. 3: the summary is made from the log. */
    tier: z.int().min(1).max(3).optional(),
    trigger: CompactionTrigger.optional(),
  }),
  /**
   * A model is writing a summary, so that the history can be shortened. "ended": it has, has failed, or ran out of
   * time; CompactionTriggered follows if the history was shortened. Since protocol 0.3.0.
   */
  CompactionProgress: z.object({
    state: z.enum(["started", "ended"]),
    /** Tokens of the history before. */
    beforeTokens: tokens,
    trigger: CompactionTrigger,
    /** Longest time that the summary may take, in milliseconds. */
    timeoutMs: z.int().min(0),
  }),
  /** One provider call has ended, with its tokens and cost. */
  CostIncremented: z.object({
    /** Name of the provider. */
    provider: z.string(),
    /** Name of the model. */
    model: z.string(),
    /** Without the tokens of the cache. */
    inputTokens: tokens,
    /** Tokens of the answer. */
    outputTokens: tokens,
    /** Tokens read from the prompt cache. */
    cacheReadTokens: tokens.optional(),
    /** Tokens written to the prompt cache. */
    cacheWriteTokens: tokens.optional(),
    usd,
    turn: turn.optional(),
    /** Set if the call made a summary and is not part of the conversation. */
    purpose: z.literal("summary").optional(),
    /**
     * Set if the provider read again what the last request of this conversation had cached: how much, and the first
     * difference. "expired": over five minutes later; "unknown": the same prompt, soon after. Since 0.3.0.
     */
    cacheMiss: z
      .object({
        /** The first difference. */
        cause: CacheMissCause,
        /** Tokens that were read again. */
        lostTokens: tokens,
      })
      .optional(),
  }),
  /** A call waits for an answer. Answer with AnswerPermission. */
  PermissionRequested: z.object({
    callId: CallIdSchema,
    /** Name of the tool. */
    tool: z.string(),
    /** Arguments of the call, redacted. */
    args: z.unknown(),
    /** The client whose turn it is. */
    originator: ClientIdSchema,
    ...who,
    /** Everything that will run, one line per command or path, control characters made visible. */
    summary: z.string(),
    /** Reason for the question, in words. */
    reason: z.string().optional(),
    /** The rule that would have allowed the call. */
    rule: z.string().optional(),
    /** The kind of the sub-agent whose call it is; absent: the session's own agent. */
    agent: z.string().optional(),
    /** True if an answer applies to this call only and cannot make a rule for the session. Absent: it may. */
    onceOnly: z.boolean().optional(),
    /**
     * Hosts that an answer can open for the session's commands in the sandbox, instead of a call outside of it. Empty:
     * not known yet; the call runs in the sandbox, and another question names the hosts that its proxy refused.
     */
    hosts: z.array(z.string()).optional(),
    /** The change of a file: the hunks of a unified diff, unescaped. */
    diff: z.string().optional(),
    toolKind: ToolKind.optional(),
    preview: ChangePreview.optional(),
    /** Time limit for an answer, in milliseconds from `ts` on; then the call is denied. */
    timeoutMs: z.int().min(1).optional(),
    /**
     * True if the time counts only while no person is subscribed to the session, and begins again when the last one
     * leaves. Absent: it always counts. Since protocol 0.3.0.
     */
    onlyUnattended: z.literal(true).optional(),
    why: AskedWhy.optional(),
    /** The parts of a compound command, in their order. Absent for any other call. Since protocol 0.3.0. */
    parts: z.array(AskedPart).optional(),
    /**
     * Rules that an answer of the scope argv_glob can name instead of `rule`, each a prefix of whole words, from the
     * widest to the narrowest. Under each of them this call runs unasked. Since protocol 0.3.0.
     */
    prefixes: z.array(z.string()).optional(),
    /** The change of a file, in hunks that an answer can accept one by one. Since protocol 0.3.0. */
    hunks: z.array(Hunk).optional(),
  }),
  /** A client has answered a question about a call. No event: its time ran out, or the turn was cancelled. */
  PermissionAnswered: z.object({
    callId: CallIdSchema,
    /** The decision. */
    decision: z.enum(["allow", "deny"]),
    scope: PermissionScope.optional(),
    by,
    ...who,
    /** The rule that the answer made. */
    rule: z.string().optional(),
    /** The call stays in the sandbox, with the hosts that the question offered. */
    hosts: z.literal(true).optional(),
    /** Ids of the accepted hunks; the others were refused. Absent: the whole call. Since protocol 0.3.0. */
    hunks: z.array(z.string()).optional(),
    /** Words of the person, which the model reads. Since protocol 0.3.0. */
    words: z.string().optional(),
    /** False for an answer that came after the first one. */
    counted: z.boolean(),
  }),
  /** A client, or the engine, has cancelled the turn. TurnEnded follows. */
  Cancelled: z.object({
    turn,
    /** The client, or the part of the engine that cancelled it. */
    by: z.string(),
    ...who,
    /** Reason in words. */
    reason: z.string(),
  }),
  /** Something failed, or a notice for people. It ends no turn by itself: TurnEnded says if one ended. */
  Error: z.object({
    ...failure,
    /** A notice is for information: nothing has failed, or the engine continues by itself. Absent: an error. */
    severity: z.literal("notice").optional(),
  }),
  /** Events are missing from here: their content has expired, was replaced, or was lost in a crash. */
  StreamGap: z.object({
    /** First missing event. */
    from: EventSeqSchema,
    /** Last missing event. */
    to: EventSeqSchema,
    /** Cause of the gap. */
    reason: z.enum(["ttl", "compaction", "crash"]),
  }),
  /** The client's token expires soon. Renew it. */
  TokenExpiring: z.object({
    /** The token. */
    jti: TokenIdSchema,
    /** Time at which it expires, in seconds since 1970. */
    expAt: z.int(),
  }),
  /** A hook ran too long and was stopped. */
  HookTimeout: z.object({
    /** Event that ran the hook. */
    event: z.string(),
    /** The command of the hook. */
    command: z.string(),
    /** Time after which it was stopped, in nanoseconds. */
    after: nanoseconds,
  }),
  /** A hook failed. */
  HookError: z.object({
    /** Event that ran the hook. */
    event: z.string(),
    /** The command of the hook. */
    command: z.string(),
    /** Exit code of the command. */
    exit_code: z.int(),
    /** Output of the command, cut. */
    output: z.string().optional(),
  }),
  /** An MCP server stopped and could not be started again. */
  MCPServerDown: z.object({
    /** Name of the server. */
    name: z.string(),
    /** Reason in words. */
    reason: z.string(),
    /** Attempts to start it. */
    attempts: z.int().min(0),
  }),
  /** The skills of the session have changed. */
  SkillRegistryChanged: z.object({
    /** Names of all skills. */
    skills: z.array(z.string()),
  }),
  /** The session has ended. No event follows. */
  SessionEnded: z.object({
    /** Reason why it ended. */
    reason: SessionEndReason,
  }),
  /** An event of an extension, or of cinch itself under the namespace `cinch`. */
  CustomEvent: z.object({
    /** Name of the extension. */
    namespace: z.string(),
    /** Name of the event. */
    kind: z.string(),
    /** Its content. */
    payload: z.unknown(),
  }),
  /** A question to the person. Answer with Answer. */
  Asked: z.object({
    askId: AskIdSchema,
    /** Subject of the question: a trust acknowledgement, an orphaned call, a plan, a re-run … */
    about: z.enum(["trust", "orphan", "plan", "elicitation", "token-code", "outside-sandbox", "rewind"]),
    /** The question in words. */
    text: z.string(),
    /** Answers to choose from. Absent: a text is asked for. */
    choices: z
      .array(
        z.object({
          /** Value to answer with. */
          value: z.string(),
          /** Text for the person. */
          label: z.string(),
        }),
      )
      .optional(),
    /** True if free text is an answer too, beside the choices. */
    words: z.boolean().optional(),
    /** The choice that may carry a note: the answer is then its value, a colon and the note. */
    noteFor: z.string().optional(),
    /** Facts behind the question, by name. */
    details: z.record(z.string(), z.unknown()).optional(),
    /** The client whose work asks. */
    originator: ClientIdSchema.optional(),
    ...who,
    /**
     * Time limit for an answer, in milliseconds from `ts` on; then the question is closed without one. The same
     * `askId` again changes the limit of an open question.
     */
    timeoutMs: z.int().min(1).optional(),
    /** See PermissionRequested. Since protocol 0.3.0. */
    onlyUnattended: z.literal(true).optional(),
  }),
  /** A question was answered, or closed without an answer. */
  Answered: z.object({
    askId: AskIdSchema,
    /** The answer, null if there was none. */
    answer: z.unknown(),
    by,
    ...who,
  }),
  /** An input waits. TurnStarted with its `inputId` begins it; a steering input enters the running turn. */
  InputQueued: z.object({
    inputId: InputIdSchema,
    /** The input, in blocks. */
    content: z.array(InputBlock),
    /** "queue": it waits for its turn. "steer": it enters before the next request of the running turn. */
    delivery: z.enum(["queue", "steer"]),
    /** The client that sent it. */
    originator: ClientIdSchema,
    ...who,
    /** Name of a skill to use. */
    skill: z.string().optional(),
    /** Kind of sub-agent that gets it. */
    agent: z.string().optional(),
  }),
  /** An input that waited was withdrawn. */
  InputWithdrawn: z.object({ inputId: InputIdSchema, by, ...who }),
  /** The files that a turn changed can be restored. */
  CheckpointMade: z.object({
    turn,
    /** Number of files in the checkpoint. */
    files: z.int().min(0),
    /** Paths that cannot be restored; `.`: none can. */
    notRestorable: z.array(z.string()).optional(),
  }),
  /** A background task started, or changed its state. */
  TaskChanged: z.object({
    taskId: TaskIdSchema,
    /** Description of the task. */
    what: z.string(),
    /** State of the task. */
    state: z.enum(["running", "done", "failed", "stopped"]),
    /** Result or reason, in words. */
    detail: z.string().optional(),
  }),
  /** The model's list of things to do. It replaces the last one. */
  TodoChanged: z.object({
    /** All items, in order. */
    items: z.array(TodoItem),
  }),
  /** The model has written a memory, or removed one. */
  MemoryWritten: z.object({
    /** Name of the memory. */
    name: z.string(),
    /** Sort of the memory. */
    type: z.string(),
    /** Description in a line. */
    description: z.string(),
    /** True if it was removed. */
    removed: z.boolean().optional(),
  }),
  /** Sent in the session that was left, with `next`, and in the one that continues, with `previous`. */
  ProfileSwitched: z.object({
    /** Name of the profile before. */
    from: z.string(),
    /** Name of the profile now. */
    to: z.string(),
    /** The log that is continued. */
    logId: LogIdSchema.optional(),
    /** The session that continues. */
    next: SessionIdSchema.optional(),
    /** The session that was left. */
    previous: SessionIdSchema.optional(),
    /** True if the same log continues, as a new run under the other profile. */
    inPlace: z.boolean().optional(),
    /** In the session that continues: the total cost of the sessions before it. */
    spentBefore: z
      .object({
        /** Sum over the calls with a known price. */
        usd: z.number().min(0),
        /** Number of calls with an unknown price. */
        unknownCalls: z.int().min(0),
        /** Including those of the cache. */
        inputTokens: tokens,
        /** Tokens of the answers. */
        outputTokens: tokens,
      })
      .optional(),
  }),
  /** The session has another model or effort from its next request on. Since protocol 0.3.0. */
  ModelChanged: z.object({
    /** `provider:name`. */
    model: z.string(),
    /** Set if the model has changed. */
    previous: z.string().optional(),
    /** The effort that a client chose for the session, changed or not. Absent: the configuration decides. */
    effort: EffortSchema.optional(),
    by,
    ...who,
  }),
  /** A rule of this session that no longer holds. Since protocol 0.3.0. */
  RuleRevoked: z.object({
    /** The rule. */
    rule: z.string(),
    by,
    ...who,
  }),
  /** A rule of this session that was written to a configuration file. Since protocol 0.3.0. */
  RulePromoted: z.object({
    /** The rule. */
    rule: z.string(),
    /** The profile that has the rule from now on. */
    profile: z.string(),
    /** The file that it was written to. */
    path: z.string(),
    /** The directory that it holds in, subfolders included; absent: everywhere under that profile. */
    directory: z.string().optional(),
    by,
    ...who,
  }),
  /** A person has given the session a title; empty: the one made from its first prompt again. Since protocol 0.3.0. */
  SessionRenamed: z.object({
    /** The title, empty for the made one. */
    title: z.string(),
    by,
    ...who,
  }),
  /** The level of the session's next call. Without `by`: settings of the repository have lowered it. Since 0.3.0. */
  LevelChanged: z.object({ level: LevelSchema, by, ...who }),
  /** The new content of an input that waits. Since 0.3.0. */
  InputEdited: z.object({
    inputId: InputIdSchema,
    /** The new content, in blocks. */
    content: z.array(InputBlock),
    by,
    ...who,
  }),
  /** The new place of an input that waits: before another one, or the last. Since 0.3.0. */
  InputMoved: z.object({
    inputId: InputIdSchema,
    /** The waiting input that it stands before now. Absent: it is the last. */
    before: InputIdSchema.optional(),
    by,
    ...who,
  }),
};

/** The payload schema of each kind, by name. */
export const PAYLOADS = payloads;

type Payloads = { readonly [Kind in keyof typeof payloads]: z.infer<(typeof payloads)[Kind]> };

export type EventKind = keyof Payloads;
export type PayloadOf<Kind extends EventKind> = Payloads[Kind];

/** An event before the bus has assigned its position in the log. */
export type Event = {
  readonly [Kind in EventKind]: { readonly kind: Kind; readonly payload: Payloads[Kind] };
}[EventKind];

export type TurnEndReason = z.infer<typeof TurnEndReason>;
export type SessionEndReason = z.infer<typeof SessionEndReason>;
export type TodoItem = z.infer<typeof TodoItem>;
