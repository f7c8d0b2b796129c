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
const notices = () =>
  z.object({
    /** Sentences for the person. */
    notices: z.array(z.string()).optional(),
  });

/** False for an answer that came after another one: it changes nothing. */
const counted = () =>
  z.object({
    /** False for an answer that came after another one: it changed nothing. */
    counted: z.boolean().optional(),
  });

/** True if the session is in plan mode now. */
const planMode = () =>
  z.object({
    /** True if the session is in plan mode now. */
    planMode: z.boolean(),
  });

/** A path that is not set back, and why. Of a list that was cut, the last one says how many more there are. */
const UnreachedPath = z.object({
  /** The path. */
  path: z.string(),
  /** Reason why it is not set back. */
  why: z.string(),
});
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
  /** Files that cannot be set back. */
  notRestorable: z.array(UnreachedPath).default([]),
  /** Number of files and folders that would be set back, in full. */
  counts: z
    .object({
      /** Files and folders that would be set back. */
      restore: z.int().min(0),
      /** Files and folders that would be removed. */
      remove: z.int().min(0),
    })
    .optional(),
  /** Number of files and folders that were set back. */
  restored: z.int().min(0).optional(),
  /** Files that were left as they are. */
  kept: z.array(UnreachedPath).optional(),
});

/** Effect of a rewind, planned or done. */
const RewindResult = z.object({
  /** The event to restore the state before. */
  to: EventSeqOrStart,
  /** Parts that are restored. */
  what: z.enum(["files", "conversation", "both"]),
  /** The point in words: "before turn 3". */
  place: z.string().optional(),
  /** False for a preview, and if a person refused. */
  done: z.boolean(),
  /** Effect on the conversation. */
  conversation: z
    .object({
      /** Messages that the model has afterwards. */
      messages: z.int().min(0),
      /** Messages that are removed. */
      removed: z.int().min(0),
      /** Messages that come back, if an earlier rewind is undone. */
      restored: z.int().min(0).optional(),
    })
    .optional(),
  /** Effect on the files. */
  files: RewoundFiles.optional(),
  /** Sent back with the command, it is refused if it would do something else by now. */
  token: z.string().optional(),
  /** Event to go back to in order to undo this. */
  undo: EventSeqOrStart.optional(),
});

/** The server that a ManageMcp named, or all servers of the session. */
const ManageMcpResult = z.object({
  /** The servers. */
  servers: z
    .array(
      McpServerInfo.extend({
        /** Reason why it does not run. */
        problem: z.string().optional(),
      }),
    )
    .default([]),
  /** Tools of the one server that was named, at most 100: `spelled` is the server's spelling, if that is another. */
  toolNames: z
    .array(
      z.object({
        /** Name of the tool, as the model calls it. */
        name: z.string(),
        /** Name of the tool as the server spells it. */
        spelled: z.string().optional(),
      }),
    )
    .optional(),
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
  CreateSession: notices().extend({
    /**
     * The one of `notices` about sessions that lose content within a week: `DismissExpiring` hides it. Absent: none is.
     * Since protocol 0.3.0.
     */
    expiring: z.string().optional(),
  }),
  AttachSession: notices(),
  SwitchProfile: notices().extend({
    /** Name of the profile before. */
    from: z.string().optional(),
    /** Name of the profile now. */
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
    /** The effort that a client chose for the session. Absent: the configuration decides. */
    effort: EffortSchema.optional(),
  }),
  SetLevel: notices().extend({ level: LevelSchema }),
  /** Since protocol 0.3.0. */
  EnterPlanMode: planMode(),
  /** The mode is left once the model has read the answer to its plan. Since protocol 0.3.0. */
  ExitPlanMode: planMode(),
  CompactSession: z.object({
    /** True if the history was shortened. */
    compacted: z.boolean().optional(),
  }),
  BranchSession: z.object({
    /** Log of the new session. */
    log: LogIdSchema,
    /** The event at which it branches off. */
    at: EventSeqSchema,
  }),
  ExportSession: z.object({
    /** The file that was written. */
    path: z.string(),
  }),
  RenameSession: z.object({
    /** The title as it is kept: on one line, without known secrets. Empty: the made one. */
    title: z.string(),
  }),
  DismissExpiring: z.object({
    /** Number of sessions that the hidden notice was about. */
    sessions: z.int().min(0),
  }),
  AskAutoAttach: z.object({
    /** False: a person has decided already, which holds for the session. */
    asked: z.boolean(),
  }),
  PromoteRule: z.object({
    /** The profile that has the rule from now on. */
    profile: z.string().optional(),
    /** Absent: the rule holds in every directory. */
    directory: z.string().optional(),
    /** The file that it was written to. */
    path: z.string().optional(),
  }),
  RewindSession: RewindResult,
  ReloadSkills: ReloadSkillsResult,
  ManageMcp: ManageMcpResult,
  RunShell: z.object({
    /** The call of the command, in the events. */
    callId: CallIdSchema,
  }),
  StoreProviderKey: z.object({
    /** Name of the provider. */
    provider: z.string(),
    /** True if it replaced a stored key. */
    replaced: z.boolean(),
    /** True if the stored key is used: no variable of the engine's environment goes before it. */
    used: z.boolean(),
    /** Source of the key that is used: `creds.enc`, or the name of that variable. */
    source: z.string(),
  }),
  CustomCommand: z.object({
    /** The answer of the extension that handled it. */
    text: z.string().optional(),
  }),
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
