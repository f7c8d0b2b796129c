import * as z from "zod";
import { InputBlock, SentBlock } from "../content.ts";
import { CallIdSchema, InputIdSchema, SessionIdSchema } from "../ids.ts";

/** The session. */
const sessionId = SessionIdSchema;

/** Levels of a session, the tightest first. */
export const LevelSchema = z.enum(["ReadOnly", "WorkspaceWrite", "DangerFullAccess"]);

/**
 * Sets the ceiling of what runs without a question, from the next call on until the session ends. Only people may.
 * Since 0.3.0.
 */
export const SetLevel = z.object({ kind: z.literal("SetLevel"), sessionId, level: LevelSchema });

/**
 * Replaces the content of an input that waits, with the rules and limits of SendInput: the new content keeps, drops or
 * adds references to attached files. Its place stays. An agent edits only its own. Since 0.3.0.
 */
export const EditInput = z.object({
  kind: z.literal("EditInput"),
  sessionId,
  inputId: InputIdSchema,
  /** The new content, in blocks. */
  content: z.array(SentBlock).min(1),
});

/** Moves an input that waits. An agent moves only its own, and not before those of others. Since 0.3.0. */
export const MoveInput = z.object({
  kind: z.literal("MoveInput"),
  sessionId,
  inputId: InputIdSchema,
  /** The waiting input that it then stands before. Default: it becomes the last. */
  before: InputIdSchema.optional(),
});

/** Ends one sub-agent, or delegated task. Its call gets a result that says so, and the turn continues. Since 0.3.0. */
export const StopAgent = z.object({
  kind: z.literal("StopAgent"),
  sessionId,
  /** The call that runs it: `parentCall` of its events. */
  callId: CallIdSchema,
});

/** Sends input to one sub-agent that runs; it enters before its next request. Since 0.3.0. */
export const SteerAgent = z.object({
  kind: z.literal("SteerAgent"),
  sessionId,
  /** The call that runs it: `parentCall` of its events. */
  callId: CallIdSchema,
  /** The input, in blocks. */
  content: z.array(InputBlock).min(1),
});

/**
 * Asks people whether the sessions of a program that started `cinch mcp` are auto-attached, unless they have decided.
 * `cinch mcp` sends it about the session that this program has begun. Only people may. Since 0.3.0.
 */
export const AskAutoAttach = z.object({
  kind: z.literal("AskAutoAttach"),
  sessionId,
  /** The program, as `mcp-parents.lock` names it. */
  parent: z.object({
    /** Name by which it was called. */
    argv0: z.string(),
    /** Path of its binary. */
    binary: z.string(),
    /** SHA-256 of the binary, in hexadecimal digits. */
    binarySha256: z.string(),
    /** Script of an interpreter. */
    script: z.string().optional(),
    /** SHA-256 of the script, in hexadecimal digits. */
    scriptSha256: z.string().optional(),
  }),
});

/**
 * Answers whether the sessions of the program that began a session are always auto-attached. The first answer counts;
 * `mcp-parents.lock` stores it. Only people may. Since 0.3.0.
 */
export const AnswerAutoAttach = z.object({
  kind: z.literal("AnswerAutoAttach"),
  sessionId,
  /** False: what the sessions of the program ask for is shown to their subscribers alone. */
  always: z.boolean(),
});
