import * as z from "zod";
import { SessionIdSchema } from "../ids.ts";
import { defineQuery } from "./query.ts";

const tokens = z.int().min(0);

/** Queries about what a model is sent (CTL-19). Since protocol 0.3.0. */
export const CONTEXT_QUERIES = {
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
