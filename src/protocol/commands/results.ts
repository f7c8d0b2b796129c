import * as z from "zod";
import type { DeepReadonly } from "../deep-readonly.ts";
import { CallIdSchema, EventSeqSchema, LogIdSchema } from "../ids.ts";
import { McpServerInfo } from "../resources.ts";
import type { Accepted, CommandKind } from "./commands.ts";
import { EffortSchema } from "./commands.ts";
import { LevelSchema } from "./control-commands.ts";

/** Position in a log; 0 is the beginning. */
const EventSeqOrStart = z.int().min(0);

/** Sentences for the person. */
const notices = () => z.object({ notices: z.array(z.string()).optional() });

/** False for an answer that came after another one: it changes nothing. */
const counted = () => z.object({ counted: z.boolean().optional() });

/** True if the session is in plan mode now. */
const planMode = () => z.object({ planMode: z.boolean() });

/** A path that is not set back, and why. Of a list that was cut, the last one says how many more there are. */
const UnreachedPath = z.object({ path: z.string(), why: z.string() });
/** Paths, cut after 100; of a list that was cut, the last one says how many more there are. */
const Paths = z.array(z.string()).default([]);

/** Files that a rewind sets back, or leaves. */
const RewoundFiles = z.object({
  /** Files that come back. */
  create: Paths,
  /** Files that become as they were. */
  change: Paths,
  /** Files that get their mode back. */
  mode: Paths,
  /** Files that are removed. */
  remove: Paths,
  /** Files that the session and somebody else changed. They stay, unless the command names this set. */
  contested: Paths,
  /** Files that somebody else alone changed. They stay, unless the command names this set. */
  foreign: Paths,
  notRestorable: z.array(UnreachedPath).default([]),
  /** Number of files and folders that would be set back, in full. */
  counts: z.object({ restore: z.int().min(0), remove: z.int().min(0) }).optional(),
  /** Number of files and folders that were set back. */
  restored: z.int().min(0).optional(),
  kept: z.array(UnreachedPath).optional(),
});

/** Effect of a rewind, planned or done. */
const RewindResult = z.object({
  to: EventSeqOrStart,
  what: z.enum(["files", "conversation", "both"]),
  /** The point in words: "before turn 3". */
  place: z.string().optional(),
  /** False for a preview, and if a person refused. */
  done: z.boolean(),
  conversation: z
    .object({
      /** Messages that the model has afterwards. */
      messages: z.int().min(0),
      removed: z.int().min(0),
      /** Messages that come back, if an earlier rewind is undone. */
      restored: z.int().min(0).optional(),
    })
    .optional(),
  files: RewoundFiles.optional(),
  /** Sent back with the command, it is refused if it would do something else by now. */
  token: z.string().optional(),
  /** Event to go back to in order to undo this. */
  undo: EventSeqOrStart.optional(),
});

/** The server that a ManageMcp named, or all servers of the session. */
const ManageMcpResult = z.object({
  servers: z.array(McpServerInfo.extend({ problem: z.string().optional() })).default([]),
  /** Tools of the one server that was named, at most 100: `spelled` is the server's spelling, if that is another. */
  toolNames: z.array(z.object({ name: z.string(), spelled: z.string().optional() })).optional(),
  /** False if a person was asked to approve the server and did not. */
  approved: z.boolean().optional(),
  /** The same in words. Draw the other fields instead. */
  text: z.string().optional(),
});

const ReloadSkillsResult = z.object({
  /** Names of the skills that count now. */
  skills: z.array(z.string()).default([]),
  /** Paths of skills that are left out until somebody acknowledges them. */
  waiting: z.array(z.string()).default([]),
  /** True if the person is asked about each of them. */
  asks: z.boolean().optional(),
  /** The same in words. Draw the other fields instead. */
  text: z.string().optional(),
});

/** The `result` of each command that has one. What is left out has none that a client reads by its fields. */
export const COMMAND_RESULTS = {
  CreateSession: notices(),
  AttachSession: notices(),
  SwitchProfile: notices().extend({
    /** Names of the two profiles. */
    from: z.string().optional(),
    to: z.string().optional(),
    /** Log of the session that continues. */
    log: LogIdSchema.optional(),
  }),
  AnswerPermission: counted(),
  Answer: counted(),
  /** Values that hold now, also if the command has changed nothing. The fields are there since protocol 0.3.0. */
  SetModel: notices().extend({
    /** `provider:name`. */
    model: z.string().optional(),
    effort: EffortSchema.optional(),
  }),
  SetLevel: notices().extend({ level: LevelSchema }),
  /** Since protocol 0.3.0. */
  EnterPlanMode: planMode(),
  /** The mode is left once the model has read the answer to its plan. Since protocol 0.3.0. */
  ExitPlanMode: planMode(),
  CompactSession: z.object({ compacted: z.boolean().optional() }),
  BranchSession: z.object({ log: LogIdSchema, at: EventSeqSchema }),
  ExportSession: z.object({ path: z.string() }),
  RenameSession: z.object({
    /** The title as it is kept: on one line, without known secrets. Empty: the made one. */
    title: z.string(),
  }),
  DismissExpiring: z.object({ sessions: z.int().min(0) }),
  PromoteRule: z.object({
    profile: z.string().optional(),
    /** Absent: the rule holds in every directory. */
    directory: z.string().optional(),
    path: z.string().optional(),
  }),
  RewindSession: RewindResult,
  ReloadSkills: ReloadSkillsResult,
  ManageMcp: ManageMcpResult,
  RunShell: z.object({ callId: CallIdSchema }),
  StoreProviderKey: z.object({
    provider: z.string(),
    /** True if it replaced a stored key. */
    replaced: z.boolean(),
    /** True if the stored key is used: no variable of the engine's environment goes before it. */
    used: z.boolean(),
    /** Source of the key that is used: `creds.enc`, or the name of that variable. */
    source: z.string(),
  }),
  CustomCommand: z.object({ text: z.string().optional() }),
} as const;

type Results = typeof COMMAND_RESULTS;

/** The result of a command of one kind. */
export type ResultOfCommand<Kind extends CommandKind> = Kind extends keyof Results
  ? DeepReadonly<z.infer<Results[Kind]>>
  : unknown;

/** The answer to a command of one kind. */
export type AcceptedOf<Kind extends CommandKind> = Omit<Accepted, "result"> & {
  readonly result?: ResultOfCommand<Kind> | undefined;
};

/** Parses the answer to a command of one kind; an invalid result is omitted. */
export function readAccepted<Kind extends CommandKind>(kind: Kind, accepted: Accepted): AcceptedOf<Kind> {
  const schema: z.ZodType | undefined = Object.hasOwn(COMMAND_RESULTS, kind)
    ? COMMAND_RESULTS[kind as keyof Results]
    : undefined;
  if (schema === undefined || accepted.result === undefined) return accepted as AcceptedOf<Kind>;
  const { result, ...rest } = accepted;
  const parsed = schema.safeParse(result);
  return (parsed.success ? { ...rest, result: parsed.data } : rest) as AcceptedOf<Kind>;
}
