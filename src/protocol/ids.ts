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

export const SessionIdSchema: z.ZodType<SessionId, string> = idSchema("sess");
export const LogIdSchema: z.ZodType<LogId, string> = idSchema("log");
export const CallIdSchema: z.ZodType<CallId, string> = idSchema("call");
export const ClientIdSchema: z.ZodType<ClientId, string> = idSchema("cli");
export const TokenIdSchema: z.ZodType<TokenId, string> = idSchema("tok");
export const AskIdSchema: z.ZodType<AskId, string> = idSchema("ask");
export const InputIdSchema: z.ZodType<InputId, string> = idSchema("inp");
export const AttachmentIdSchema: z.ZodType<AttachmentId, string> = idSchema("att");
export const TaskIdSchema: z.ZodType<TaskId, string> = idSchema("task");

/** A position in a log: JSON numbers up to 2^53 − 1. */
export const EventSeqSchema = z.int().min(1);
