import * as z from "zod";
import { CallIdSchema, SessionIdSchema } from "../ids.ts";
import { SHELL_COMMAND_BYTES_MAX } from "./run-limits.ts";

/**
 * Runs a command of a person in the session, beside its turns: under the permission gate, in the sandbox, and in the
 * log. Its result has the id of the call. Since protocol 0.3.0.
 */
export const RunShell = z.object({
  kind: z.literal("RunShell"),
  sessionId: SessionIdSchema,
  /** The command line for the shell. */
  command: z.string().min(1).max(SHELL_COMMAND_BYTES_MAX),
  /** True: the next request to the model holds the command and its output. */
  toModel: z.boolean(),
});

/** Stops a command of a person, or takes back one that waits. Since protocol 0.3.0. */
export const StopShell = z.object({
  kind: z.literal("StopShell"),
  sessionId: SessionIdSchema,
  callId: CallIdSchema,
});
