import * as z from "zod";
import { HarnessError } from "../../base/errors.ts";
import { isObject, parseJson } from "../../base/json.ts";
import { RunSettings } from "../../protocol/commands/commands.ts";
import { InputBlock } from "../../protocol/content.ts";
import type { PromptFrame, PromptQuestion, PromptRequest } from "./frames.ts";

const Resume = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("id"), id: z.string() }),
  z.object({ kind: z.literal("last") }),
]);

const Likeness = z.object({
  build: z.string(),
  place: z.string(),
  config: z.string(),
  keys: z.string(),
  passed: z.string(),
});

const Question = z.object({ likeness: Likeness, resume: Resume.optional(), workingDir: z.string() });

const Orphans = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("succeeded"), note: z.string().optional() }),
  z.object({ kind: z.literal("failed") }),
  z.object({ kind: z.literal("abort") }),
]);

const Wishes = RunSettings.omit({ asksTrust: true }).extend({
  environment: z.record(z.string(), z.string()),
  autoApprove: z.boolean(),
  strictPermissions: z.boolean(),
  orphans: Orphans.optional(),
});

const Request = z.object({
  workingDir: z.string(),
  profile: z.string().optional(),
  model: z.string().optional(),
  resume: Resume.optional(),
  wishes: Wishes,
  leftMs: z.number().min(0).optional(),
  input: z
    .object({
      content: z.array(InputBlock).min(1),
      skill: z.string().optional(),
      agent: z.string().optional(),
    })
    .optional(),
});

/** Reads the question of a client. @throws HarnessError InvalidCommand. */
export function readQuestion(value: unknown): PromptQuestion {
  return checked(Question.safeParse(value)) as PromptQuestion;
}

/** Reads the request of a client. @throws HarnessError InvalidCommand. */
export function readRequest(line: string): PromptRequest {
  return checked(Request.safeParse(parseJson(line)?.value)) as PromptRequest;
}

/** Reads a later frame of a client. @throws HarnessError InvalidCommand. */
export function readPromptFrame(line: string): PromptFrame {
  const value = parseJson(line)?.value;
  const { frame, id, body } = isObject(value) ? value : {};
  if (frame === "leave") return { frame };
  if ((frame === "command" || frame === "query") && typeof id === "number" && isObject(body))
    return { frame, id, body };
  throw unreadable("it is neither a command, nor a query, nor leave");
}

/** Returns the value. An absent key and one without a value are the same after JSON, which the cast relies on. */
function checked<Value>(read: z.ZodSafeParseResult<Value>): Value {
  if (read.success) return read.data;
  throw unreadable(read.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
}

function unreadable(why: string): HarnessError<"InvalidCommand"> {
  return new HarnessError("InvalidCommand", { kind: "prompt", why });
}
