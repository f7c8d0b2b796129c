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
const turn = z.int().min(1);
const nanoseconds = z.int().min(0);
const tokens = z.int().min(0);
const usd = z.number().min(0).nullable();

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

export const SessionEndReason = z.enum(["idle", "user", "error", "binary-shutdown"]);

export const TodoItem = z.object({
  content: z.string(),
  status: z.enum(["pending", "in_progress", "completed"]),
  activeForm: z.string().optional(),
});

/** Index of the piece's block in one answer of the model. Default: 0. Since protocol 0.3.0. */
const blockIndex = z.int().min(0);

/** A failure: the reason is for programs, the message for people. */
const failure = {
  reason: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
};

const CompactionTrigger = z.enum(["threshold", "overflow", "command"]);

/** Set for a command that a person runs by themselves (RunShell). Since protocol 0.3.0. */
const byUser = {
  by: z.literal("user").optional(),
  shell: z.literal(true).optional(),
};

/** Set beside the id of a client. */
const who = { who: NamedClient.optional() };

const payloads = {
  TextDelta: z.object({ text: z.string(), index: blockIndex.optional() }),
  ThinkingDelta: z.object({ block: ThinkingPiece, index: blockIndex.optional() }),
  ToolCallStarted: z.object({
    callId: CallIdSchema,
    tool: z.string(),
    args: z.unknown(),
    mutating: z.boolean(),
    toolKind: ToolKind.optional(),
    preview: ChangePreview.optional(),
    ...byUser,
    /** With `shell`: true if the model gets the command and its output. */
    toModel: z.boolean().optional(),
  }),
  ToolCallProgress: z.object({
    callId: CallIdSchema,
    /** Output since the event before; a long or fast one is cut. May be empty. */
    partial: z.string(),
    /**
     * The last lines of the output of a command that runs, redacted. Only an event with `aside` has it: it is not in
     * the log, which keeps `partial`. Since protocol 0.3.0.
     */
    tail: z.string().max(TAIL_BYTES_MAX).optional(),
    /** Bytes and lines that the command has written so far. Since protocol 0.3.0. */
    bytes: z.int().min(0).optional(),
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
  ToolResult: z.object({
    callId: CallIdSchema,
    content: z.array(ResultContent),
    isError: z.boolean().optional(),
    ...byUser,
  }),
  TurnStarted: z.object({
    turn,
    originator: ClientIdSchema,
    ...who,
    content: z.array(InputBlock).optional(),
    /** The input that had waited, if any: it has begun and is never begun again. */
    inputId: InputIdSchema.optional(),
  }),
  TurnEnded: z.object({
    turn,
    reason: TurnEndReason,
    rounds: z.int().min(0).optional(),
    /**
     * Failure that ended the turn, as its Error event has it. Absent after `complete`, `yield` and `cancelled`. An
     * older engine leaves it out: there the last Error event of the turn says it.
     */
    error: z.object(failure).optional(),
    /** Tokens of the turn and its sub-agents. Absent for a sub-agent, and without a provider call. Since 0.3.0. */
    usage: z
      .object({
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
  TurnTiming: z.object({
    turn,
    components: z.record(z.string(), nanoseconds),
    toolCalls: z
      .array(z.object({ callId: CallIdSchema, tool: z.string(), duration: nanoseconds }))
      .optional(),
  }),
  CompactionTriggered: z.object({
    beforeTokens: tokens,
    afterTokens: tokens,
    boundary: EventSeqSchema.optional(),
    tier: z.int().min(1).max(3).optional(),
    trigger: CompactionTrigger.optional(),
  }),
  /**
   * A model is writing a summary, so that the history can be shortened. "ended": it has, has failed, or ran out of
   * time; CompactionTriggered follows if the history was shortened. Since protocol 0.3.0.
   */
  CompactionProgress: z.object({
    state: z.enum(["started", "ended"]),
    beforeTokens: tokens,
    trigger: CompactionTrigger,
    /** Longest time that the summary may take, in milliseconds. */
    timeoutMs: z.int().min(0),
  }),
  CostIncremented: z.object({
    provider: z.string(),
    model: z.string(),
    inputTokens: tokens,
    outputTokens: tokens,
    cacheReadTokens: tokens.optional(),
    cacheWriteTokens: tokens.optional(),
    usd,
    turn: turn.optional(),
    /** Set if the call made a summary and is not part of the conversation. */
    purpose: z.literal("summary").optional(),
    /**
     * Set if the provider read again what the last request of this conversation had cached: how much, and the first
     * difference. "expired": over five minutes later; "unknown": the same prompt, soon after. Since 0.3.0.
     */
    cacheMiss: z.object({ cause: CacheMissCause, lostTokens: tokens }).optional(),
  }),
  PermissionRequested: z.object({
    callId: CallIdSchema,
    tool: z.string(),
    args: z.unknown(),
    originator: ClientIdSchema,
    ...who,
    /** Everything that will run, one line per command or path, control characters made visible. */
    summary: z.string(),
    /** Reason for the question, and the rule that would have allowed the call. */
    reason: z.string().optional(),
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
  PermissionAnswered: z.object({
    callId: CallIdSchema,
    decision: z.enum(["allow", "deny"]),
    scope: PermissionScope.optional(),
    by: ClientIdSchema.optional(),
    ...who,
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
  Cancelled: z.object({ turn, by: z.string(), ...who, reason: z.string() }),
  Error: z.object({
    ...failure,
    /** A notice is for information: nothing has failed, or the engine continues by itself. Absent: an error. */
    severity: z.literal("notice").optional(),
  }),
  StreamGap: z.object({
    from: EventSeqSchema,
    to: EventSeqSchema,
    reason: z.enum(["ttl", "compaction", "crash"]),
  }),
  TokenExpiring: z.object({ jti: TokenIdSchema, expAt: z.int() }),
  HookTimeout: z.object({ event: z.string(), command: z.string(), after: nanoseconds }),
  HookError: z.object({
    event: z.string(),
    command: z.string(),
    exit_code: z.int(),
    output: z.string().optional(),
  }),
  MCPServerDown: z.object({ name: z.string(), reason: z.string(), attempts: z.int().min(0) }),
  SkillRegistryChanged: z.object({ skills: z.array(z.string()) }),
  SessionEnded: z.object({ reason: SessionEndReason }),
  CustomEvent: z.object({ namespace: z.string(), kind: z.string(), payload: z.unknown() }),

  Asked: z.object({
    askId: AskIdSchema,
    /** Subject of the question: a trust acknowledgement, an orphaned call, a plan, a re-run … */
    about: z.enum(["trust", "orphan", "plan", "elicitation", "token-code", "outside-sandbox", "rewind"]),
    text: z.string(),
    choices: z.array(z.object({ value: z.string(), label: z.string() })).optional(),
    /** True if free text is an answer too, beside the choices. */
    words: z.boolean().optional(),
    /** The choice that may carry a note: the answer is then its value, a colon and the note. */
    noteFor: z.string().optional(),
    details: z.record(z.string(), z.unknown()).optional(),
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
  Answered: z.object({ askId: AskIdSchema, answer: z.unknown(), by: ClientIdSchema.optional(), ...who }),
  InputQueued: z.object({
    inputId: InputIdSchema,
    content: z.array(InputBlock),
    delivery: z.enum(["queue", "steer"]),
    originator: ClientIdSchema,
    ...who,
    /** Request beside its text: a skill to use, a kind of sub-agent to give it to. */
    skill: z.string().optional(),
    agent: z.string().optional(),
  }),
  InputWithdrawn: z.object({ inputId: InputIdSchema, by: ClientIdSchema.optional(), ...who }),
  CheckpointMade: z.object({ turn, files: z.int().min(0), notRestorable: z.array(z.string()).optional() }),
  TaskChanged: z.object({
    taskId: TaskIdSchema,
    what: z.string(),
    state: z.enum(["running", "done", "failed", "stopped"]),
    detail: z.string().optional(),
  }),
  TodoChanged: z.object({ items: z.array(TodoItem) }),
  MemoryWritten: z.object({
    name: z.string(),
    type: z.string(),
    description: z.string(),
    removed: z.boolean().optional(),
  }),
  /** Sent in the session that was left, with `next`, and in the one that continues, with `previous`. */
  ProfileSwitched: z.object({
    from: z.string(),
    to: z.string(),
    /** The log that is continued. */
    logId: LogIdSchema.optional(),
    next: SessionIdSchema.optional(),
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
        outputTokens: tokens,
      })
      .optional(),
  }),
  /** The model of the session's next request, as `provider:name`, and its effort. Since protocol 0.3.0. */
  ModelChanged: z.object({
    model: z.string(),
    /** Set if the model has changed. */
    previous: z.string().optional(),
    /** Set if the effort has changed. */
    effort: EffortSchema.optional(),
    by: ClientIdSchema.optional(),
    ...who,
  }),
  /** A rule of this session that no longer holds. Since protocol 0.3.0. */
  RuleRevoked: z.object({ rule: z.string(), by: ClientIdSchema.optional(), ...who }),
  /** A rule of this session that was written to a configuration file. Since protocol 0.3.0. */
  RulePromoted: z.object({
    rule: z.string(),
    /** The profile that has the rule from now on. */
    profile: z.string(),
    /** The file that it was written to. */
    path: z.string(),
    /** The directory that it holds in, subfolders included; absent: everywhere under that profile. */
    directory: z.string().optional(),
    by: ClientIdSchema.optional(),
    ...who,
  }),
  /** A person has given the session a title; empty: the one made from its first prompt again. Since protocol 0.3.0. */
  SessionRenamed: z.object({ title: z.string(), by: ClientIdSchema.optional(), ...who }),
  /** The level of the session's next call. Without `by`: settings of the repository have lowered it. Since 0.3.0. */
  LevelChanged: z.object({ level: LevelSchema, by: ClientIdSchema.optional(), ...who }),
  /** The new content of an input that waits. Since 0.3.0. */
  InputEdited: z.object({
    inputId: InputIdSchema,
    content: z.array(InputBlock),
    by: ClientIdSchema.optional(),
    ...who,
  }),
  /** The new place of an input that waits: before another one, or the last. Since 0.3.0. */
  InputMoved: z.object({
    inputId: InputIdSchema,
    before: InputIdSchema.optional(),
    by: ClientIdSchema.optional(),
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
