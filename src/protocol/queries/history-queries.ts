import * as z from "zod";
import type { Envelope } from "../events/envelope.ts";
import { EnvelopeSchema } from "../events/envelope.ts";
import { TurnEndReason } from "../events/events.ts";
import { CallIdSchema, EventSeqSchema, SessionIdSchema } from "../ids.ts";
import { defineQuery } from "./query.ts";

/** Turns in a page, unless a client requests another number. */
export const TURNS_LISTED = 50;
export const TURNS_LISTED_MAX = 200;
/** Items in a page, unless a client requests another number. */
export const ITEMS_LISTED = 100;
export const ITEMS_LISTED_MAX = 500;
/** Characters of a text in a summary. */
export const SUMMARY_CHARACTERS_MAX = 240;
/** Events that are read for one answer, beyond those that find a turn. */
export const HISTORY_EVENTS_READ_MAX = 20_000;
/** Tools, and files, in the summary of a turn. */
export const TURN_NAMES_MAX = 100;

/** Number of the turn in its session, from 1. */
const turn = z.int().min(1);
/** Number of tokens. */
const tokens = z.int().min(0);

/** One turn in a few facts. Since protocol 0.3.0. */
const HistoryTurn = z.object({
  turn,
  /** Time at which it started. */
  started_at: z.string(),
  /** Absent while it runs, if its run broke off, and if `cut`. */
  ended_at: z.string().optional(),
  /** Id of its first event. */
  first_event: EventSeqSchema,
  /** Id of its last event. */
  last_event: EventSeqSchema,
  /** The beginning of its input. */
  prompt: z.string(),
  /** The beginning of the last message of the session's own agent. */
  answer: z.string(),
  /** Reason why it ended. Absent while it runs. */
  reason: TurnEndReason.optional(),
  /** Name of the failure that ended it. */
  error_reason: z.string().optional(),
  /** Provider calls of the session's own agent. */
  rounds: z.int().min(0),
  /** Tool calls of the session's own agent. */
  calls: z.int().min(0),
  /** Tools that the session's own agent called, each once; at most 100. */
  tools: z.array(z.string()),
  /**
   * Files that the turn changed, each once; at most 100. From checkpoints, as `GetChanges` names them. While it runs,
   * and without checkpoints: those that calls wrote, as the calls named them.
   */
  files: z.array(z.string()),
  /** Cost with that of sub-agents; null if a price is unknown. */
  cost_usd: z.number().min(0).nullable(),
  input_tokens: tokens,
  output_tokens: tokens,
  cache_read_tokens: tokens,
  /** Set if content of it has expired. */
  expired: z.literal(true).optional(),
  /** Set while it runs. */
  running: z.literal(true).optional(),
  /** Set on a turn of more events than an answer reads: its counts, cost and answer are those of a part. */
  cut: z.literal(true).optional(),
});

/** Kind of an item. */
export const ItemKind = z.enum([
  "prompt",
  "queued",
  "text",
  "thinking",
  "call",
  "question",
  "notice",
  "error",
  "cancel",
  "compaction",
  "checkpoint",
  "task",
  "todos",
  "memory",
  "model",
  "level",
  "profile",
  "rule",
  "hook",
  "gap",
  "custom",
  "end",
]);
export type ItemKind = z.infer<typeof ItemKind>;

/** One item of a conversation: a prompt, a block of text, a call with its result, a question … Since protocol 0.3.0. */
const HistoryItem = z.object({
  /** The id of its first event, by which `GetItem` finds it. */
  event: EventSeqSchema,
  /** The id of its last event that was read. Events of other items may stand between the two. */
  last_event: EventSeqSchema,
  kind: ItemKind,
  /** Absent between turns, and where no event that was read says it. */
  turn: turn.optional(),
  /** Time of its first event. */
  ts: z.string(),
  /** The beginning of its text. For a call: the tool and what it is called with. */
  text: z.string(),
  /** Name of the tool of a call. */
  tool: z.string().optional(),
  /** The call, for a call and a question about one. */
  call: CallIdSchema.optional(),
  /** State of a call or question. Absent if its end was not read. */
  state: z.enum(["running", "ok", "error", "refused", "cancelled"]).optional(),
  /** Bytes of the JSON of its events. */
  bytes: z.int().min(0),
  /** The call that runs the sub-agent of this item. */
  parent_call: CallIdSchema.optional(),
  /** Number of items of the sub-agent that this call runs; absent for none. */
  children: z.int().min(1).optional(),
  /** Set if content of it has expired. */
  expired: z.literal(true).optional(),
});

/** Fields of a page. */
const page = {
  /** True if there are more in the direction of the page. */
  more: z.boolean(),
};

/** Queries about the history of one session, by page (CTL-19). Since protocol 0.3.0. */
export const HISTORY_QUERIES = {
  ListTurns: defineQuery({
    about:
      "The turns of a session in order: the newest, those before a turn, or those after one. Reads the log: what a running turn shows and has not written comes by subscription.",
    params: z.object({
      sessionId: SessionIdSchema,
      before: turn.optional(),
      after: z.int().min(0).optional(),
      limit: z.int().min(1).max(TURNS_LISTED_MAX).optional(),
    }),
    result: z.object({
      /** The turns, in order. */
      turns: z.array(HistoryTurn),
      ...page,
    }),
    reads: "session",
    rest: {
      path: "/v1/sessions/{id}/turns",
      fields: {
        before: "Turns before this one, the nearest. With `after` too: the last turn is below it.",
        after: "Turns after this one, the nearest; 0: from the first.",
        limit: `At most so many. Default: ${TURNS_LISTED}. A page is shorter if its turns have over ${HISTORY_EVENTS_READ_MAX} events.`,
      },
    },
  }),
  ListItems: defineQuery({
    about:
      "The items of a session in order, each in summary: the newest, those before an event, or those after one. Reads the log: what is shown and not written yet comes by subscription.",
    params: z.object({
      sessionId: SessionIdSchema,
      turn: turn.optional(),
      before: EventSeqSchema.optional(),
      after: z.int().min(0).optional(),
      limit: z.int().min(1).max(ITEMS_LISTED_MAX).optional(),
      parentCall: CallIdSchema.optional(),
    }),
    result: z.object({
      /** The items, in order. */
      items: z.array(HistoryItem),
      ...page,
      /** Set if `more`: the `before` or `after` of the next page, also where this one has no items. */
      next: EventSeqSchema.optional(),
    }),
    reads: "session",
    rest: {
      path: "/v1/sessions/{id}/items",
      fields: {
        turn: "Items of this turn only.",
        before: "Items that begin before this event, the nearest.",
        after: "Items that begin after this event, the nearest; 0: from the first.",
        limit: `At most so many. Default: ${ITEMS_LISTED}. A page is shorter if ${HISTORY_EVENTS_READ_MAX} events have no more.`,
        parentCall:
          "Items of the sub-agent that this call runs; with the `event` of the call as `after` they are found at once. Default: those of the session's own agent.",
      },
    },
  }),
  GetItem: defineQuery({
    about: "One item with its events. Those of a sub-agent are items of their own.",
    params: z.object({
      sessionId: SessionIdSchema,
      /** The first event of the item. */
      event: EventSeqSchema,
    }),
    result: z.object({
      /** The item. */
      item: HistoryItem,
      // The schema is built from a table, so its type is given here.
      /** Its events, in order. */
      events: z.array(EnvelopeSchema as unknown as z.ZodType<Envelope>),
      /** Set if events were left out: they are above 4 MiB, or too far from the first one. */
      cut: z.literal(true).optional(),
    }),
    reads: "session",
    rest: { path: "/v1/sessions/{id}/items/{event}" },
    refusals: ["UnknownResource"],
  }),
} as const;
