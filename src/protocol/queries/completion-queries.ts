import * as z from "zod";
import { SessionIdSchema } from "../ids.ts";
import { defineQuery } from "./query.ts";

/** Items of a completion, unless a client requests another number. */
export const COMPLETIONS = 20;
const COMPLETIONS_MAX = 100;
/** Limit for the text that is being typed. */
const TEXT_UNITS_MAX = 65_536;

const CompletionItem = z.object({
  /** Text that replaces the range. */
  insert: z.string(),
  /** Text for a list. */
  label: z.string(),
  /** Further text for a list. */
  detail: z.string().optional(),
  /** Kind of the item. */
  kind: z.enum(["file", "folder", "command", "argument", "session", "model", "skill", "agent"]),
});

/** Queries about a text that a person is typing (CTL-19). */
export const COMPLETION_QUERIES = {
  Complete: defineQuery({
    about:
      "Completes a text at the cursor: files behind an at sign, slash commands at the beginning, and the words behind one. The best match first. Since protocol 0.3.0.",
    params: z
      .object({
        sessionId: SessionIdSchema,
        /** The whole text that is being typed. */
        text: z.string().max(TEXT_UNITS_MAX),
        /** Units of UTF-16 before the cursor. */
        cursor: z.int().min(0).max(TEXT_UNITS_MAX),
        /** At most so many items. Default: 20. */
        limit: z.int().min(1).max(COMPLETIONS_MAX).optional(),
      })
      .refine(({ text, cursor }) => cursor <= text.length, {
        path: ["cursor"],
        error: "is behind the end of the text",
      }),
    result: z.object({
      /** Range that an item replaces, in units of UTF-16. */
      from: z.int().min(0),
      /** End of the range, in units of UTF-16. */
      to: z.int().min(0),
      /** The items, the best match first. */
      items: z.array(CompletionItem),
      /** True if some candidates are missing: more match, or not all files are known. */
      more: z.boolean(),
    }),
    reads: "session",
    rest: { method: "POST", path: "/v1/sessions/{id}/complete" },
  }),
} as const;
