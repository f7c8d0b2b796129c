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
