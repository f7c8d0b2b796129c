import * as z from "zod";
import { CacheMissCause } from "../events/events.ts";
import { CallIdSchema, EventSeqSchema, SessionIdSchema } from "../ids.ts";
import { UsageInfo } from "../resources.ts";
import { defineQuery } from "./query.ts";

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
      "What a session has spent: in all, by turn, model, agent and what was read, with the misses of the prompt cache. The rows of each kind add up to the total.",
    params: z.object({ sessionId: SessionIdSchema }),
    result: z.object({
      total: SpendInfo,
      turns: z.array(z.object({ turn: z.int().min(0).optional(), earlier, ...spend })),
      /** `provider:name`; absent for calls that ended before they named one. */
      models: z.array(z.object({ model: z.string().optional(), earlier, ...spend })),
      /** One row for the session's own agent, without `call`, and one for each sub-agent. */
      agents: z.array(
        z.object({ call: CallIdSchema.optional(), tool: z.string().optional(), earlier, ...spend }),
      ),
      /** By what a call was sent to read: a prompt, the results of these tools, all of them together, or both. */
      reads: z.array(
        z.object({
          tools: z.array(z.string()),
          prompt: z.literal(true).optional(),
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
          turn: z.int().min(0),
          model: z.string(),
          /** `compaction`: the history was shortened before the call. */
          cause: z.enum([...CacheMissCause.options, "compaction"]),
          lost_tokens: z.int().min(0),
        }),
      ),
      /** Money and tokens of the sessions that this one continues under another profile. */
      before: z
        .object({
          known_cost_usd: z.number().min(0),
          unpriced_calls: z.int().min(0),
          input_tokens: z.int().min(0),
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
      "What the last request of a running session filled of the model's context window, part by part. Counts are estimates, corrected by what the provider counts.",
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
      parts: z.array(
        z.object({
          kind: z.enum(["system", "tools", "messages"]),
          /** The section of the system text, or what the messages are: `prompts`, `answers`, `calls`, `results`. */
          name: z.string(),
          /** Number of tools or messages. */
          count: z.int().min(1).optional(),
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
