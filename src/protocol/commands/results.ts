import * as z from "zod";
import type { DeepReadonly } from "../deep-readonly.ts";
import { EventSeqSchema, LogIdSchema } from "../ids.ts";
import type { Accepted, CommandKind } from "./commands.ts";

/** Sentences for the user. */
const Notices = z.object({ notices: z.array(z.string()).optional() });
const Text = z.object({ text: z.string().optional() });

/** The `result` of each command that has one. Clients read no fields of other results. */
const COMMAND_RESULTS = {
  CreateSession: Notices,
  AttachSession: Notices,
  SwitchProfile: Notices,
  SetModel: Notices,
  CompactSession: z.object({ compacted: z.boolean().optional() }),
  BranchSession: z.object({ log: LogIdSchema, at: EventSeqSchema }),
  ExportSession: z.object({ path: z.string() }),
  DismissExpiring: z.object({ sessions: z.int().min(0) }),
  PromoteRule: z.object({
    profile: z.string().optional(),
    /** Absent: the rule holds in every directory. */
    directory: z.string().optional(),
    path: z.string().optional(),
  }),
  ReloadSkills: Text,
  ManageMcp: Text,
  CustomCommand: Text,
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
