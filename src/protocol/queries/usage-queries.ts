import * as z from "zod";
import { CacheMissCause } from "../events/events.ts";
import { CallIdSchema, EventSeqSchema, SessionIdSchema } from "../ids.ts";
import { UsageInfo } from "../resources.ts";
import { defineQuery } from "./query.ts";

/** Number of tokens. */
const tokens = z.int().min(0);

/** Tokens and money of some provider calls. */
const spend = {
  ...UsageInfo.shape,
  /** US dollars; null if the price of a call is unknown. */
  cost_usd: z.number().min(0).nullable(),
  /** US dollars of the calls whose price is known. */
  known_cost_usd: z.number().min(0),
};
const SpendInfo = z.object(spend);
/** Set on the row that adds up the oldest rows, if there are over 10,000 of a kind. */
const earlier = z.literal(true).optional();

/** Queries about money and tokens of one session, and what fills its context (CTL-19). Since protocol 0.3.0. */
export const USAGE_QUERIES = {
  GetSpend: defineQuery({
    about:
      "Money and tokens of a session: in all, by turn, model, agent and what was read, with the misses of the prompt cache. The rows of each kind add up to the total.",
    params: z.object({ sessionId: SessionIdSchema }),
    result: z.object({
      /** The sum of the session. */
      total: SpendInfo,
      /** One row for each turn. */
      turns: z.array(
        z.object({
          /** Number of the turn; 0: outside of any. Absent on the row of the earlier ones. */
          turn: z.int().min(0).optional(),
          earlier,
          ...spend,
        }),
      ),
      /** `provider:name`; absent for calls that ended before they named one. */
      models: z.array(
        z.object({
          /** `provider:name`. Absent if the call ended before one was named. */
          model: z.string().optional(),
          earlier,
          ...spend,
        }),
      ),
      /** One row for the session's own agent, without `call`, and one for each sub-agent. */
      agents: z.array(
        z.object({
          /** The call that runs the sub-agent. Absent: the session's own agent. */
          call: CallIdSchema.optional(),
          /** Name of the tool that started it. */
          tool: z.string().optional(),
          earlier,
          ...spend,
        }),
      ),
      /** By what a call was sent to read: a prompt, the results of these tools, all of them together, or both. */
      reads: z.array(
        z.object({
          /** Tools whose results the call was sent to read. */
          tools: z.array(z.string()),
          /** Set if the call was sent to read a prompt. */
          prompt: z.literal(true).optional(),
          /** Set if the call made a summary of the history. */
          summary: z.literal(true).optional(),
          earlier,
          ...spend,
        }),
      ),
      /** The newest 1,000, in order. */
      cache_misses: z.array(
        z.object({
          /** The id of its CostIncremented event. */
          event: EventSeqSchema,
          /** Number of the turn; 0: outside of any. */
          turn: z.int().min(0),
          /** `provider:name`. */
          model: z.string(),
          /** `compaction`: the history was shortened before the call. */
          cause: z.enum([...CacheMissCause.options, "compaction"]),
          /** Tokens that were read again. */
          lost_tokens: z.int().min(0),
        }),
      ),
      /** Money and tokens of the sessions that this one continues under another profile. */
      before: z
        .object({
          /** US dollars of the calls whose price is known. */
          known_cost_usd: z.number().min(0),
          /** Number of calls whose price is unknown. */
          unpriced_calls: z.int().min(0),
          /** Including those of the cache. */
          input_tokens: z.int().min(0),
          /** Tokens of the answers. */
          output_tokens: z.int().min(0),
        })
        .optional(),
    }),
    reads: "session",
    rest: { path: "/v1/sessions/{id}/spend" },
    mcp: {
      uri: "session/{id}/spend",
      title: "Spend",
      about: "Money and tokens of a session by turn, model, agent and tool.",
    },
  }),
  GetContext: defineQuery({
    about:
      "The parts of the model's context window that the last request of a running session filled. Counts are estimates, corrected by what the provider counts.",
    params: z.object({ sessionId: SessionIdSchema }),
    result: z.object({
      /** `provider:name` of the last request; absent if this run has sent none. */
      model: z.string().optional(),
      /** Tokens of the last request. */
      used_tokens: tokens,
      /** The model's window; absent if it is unknown. */
      window_tokens: tokens.optional(),
      /** The history is shortened before a request above this; absent if this run has sent none. */
      limit_tokens: tokens.optional(),
      /** The parts of the request. */
      parts: z.array(
        z.object({
          kind: z.enum(["system", "tools", "messages"]),
          /** The section of the system text, or what the messages are: `prompts`, `answers`, `calls`, `results`. */
          name: z.string(),
          /** Number of tools or messages. */
          count: z.int().min(1).optional(),
          /** Tokens of the part. */
          tokens,
        }),
      ),
    }),
    reads: "session",
    rest: { path: "/v1/sessions/{id}/context" },
    mcp: {
      uri: "session/{id}/context",
      title: "Context",
      about: "What fills the context window of a session.",
    },
  }),
} as const;
