import * as z from "zod";
import type {
  AskId,
  AttachmentId,
  CallId,
  ClientId,
  Id,
  IdPrefix,
  InputId,
  LogId,
  SessionId,
  TaskId,
  TokenId,
} from "../base/ids.ts";
import { idPattern } from "../base/ids.ts";

function idSchema<Prefix extends IdPrefix>(prefix: Prefix): z.ZodType<Id<Prefix>, string> {
  // The pattern justifies the brand.
  return z.string().regex(idPattern(prefix)) as unknown as z.ZodType<Id<Prefix>, string>;
}

/** Id of a session: one run on a log. */
export const SessionIdSchema: z.ZodType<SessionId, string> = idSchema("sess");
/** Id of a log: it stays the same when a session is resumed. */
export const LogIdSchema: z.ZodType<LogId, string> = idSchema("log");
/** Id of a tool call. */
export const CallIdSchema: z.ZodType<CallId, string> = idSchema("call");
/** Id of a client. */
export const ClientIdSchema: z.ZodType<ClientId, string> = idSchema("cli");
/** Id of a token. */
export const TokenIdSchema: z.ZodType<TokenId, string> = idSchema("tok");
/** Id of a question. */
export const AskIdSchema: z.ZodType<AskId, string> = idSchema("ask");
/** Id of an input that waits. */
export const InputIdSchema: z.ZodType<InputId, string> = idSchema("inp");
/** Id of an uploaded file. */
export const AttachmentIdSchema: z.ZodType<AttachmentId, string> = idSchema("att");
/** Id of a background task. */
export const TaskIdSchema: z.ZodType<TaskId, string> = idSchema("task");

/** A position in a log: JSON numbers up to 2^53 − 1. */
export const EventSeqSchema = z.int().min(1);
