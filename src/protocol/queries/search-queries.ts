import * as z from "zod";
import { CallIdSchema, EventSeqSchema, LogIdSchema, SessionIdSchema } from "../ids.ts";
import { ItemKind } from "./history-queries.ts";
import { defineQuery } from "./query.ts";

/** Hits in an answer, unless a client requests another number. */
export const SEARCH_HITS = 20;
export const SEARCH_HITS_MAX = 200;
/** Milliseconds of a search, unless a client requests another number. */
export const SEARCH_MS = 2_000;
export const SEARCH_TIME_MS_MAX = 10_000;
/** Events that are read for one answer. Events that the index passes over do not count. */
export const SEARCH_EVENTS_READ_MAX = 1_000_000;
/** Units of UTF-16 of a text, of the name of a tool, and of a path. */
export const SEARCH_TEXT_UNITS_MAX = 1_024;
/** Units of UTF-16 of a snippet. */
export const SNIPPET_UNITS_MAX = 240;

/** Sessions in an answer whose titles match. */
export const SEARCH_TITLES_MAX = 20;

/** Units of UTF-16 of a cursor. */
const CURSOR_UNITS_MAX = 64;

/** A day of UTC, or a time with its zone. */
const moment = z
  .string()
  .regex(
    /^[0-9]{4}-[01][0-9]-[0-3][0-9](?:T[0-2][0-9]:[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?(?:Z|[+-][0-2][0-9]:[0-5][0-9]))?$/,
  );

const SearchHit = z.object({
  /** The newest run on its log. */
  session: SessionIdSchema,
  /** The log that holds it. */
  log: LogIdSchema,
  /** The title of its session. */
  title: z.string(),
  /** The first event of the item, by which `GetItem` finds it. */
  event: EventSeqSchema,
  /** Kind of the item. */
  kind: ItemKind,
  /** Absent between turns, and where no event that was read says it. */
  turn: z.int().min(1).optional(),
  /** Time of its first event. */
  ts: z.string(),
  /** Name of the tool of a call. */
  tool: z.string().optional(),
  /** The call that runs the sub-agent of this item. */
  parent_call: CallIdSchema.optional(),
  /** The text around the first match, at most 240 units of UTF-16, in NFC. */
  snippet: z.string(),
  /** Start and end of each match in the snippet, in units of UTF-16; at most 50. */
  at: z.array(z.array(z.int().min(0)).min(2).max(2)),
});

/** A session whose title, as a person gave it, has all words. */
const TitleHit = z.object({
  /** The newest run on its log. */
  session: SessionIdSchema,
  /** Its log. */
  log: LogIdSchema,
  /** The title. */
  title: z.string(),
  /** Start and end of each match in the title, in units of UTF-16; at most 50. */
  at: z.array(z.array(z.int().min(0)).min(2).max(2)),
});

/** Searches in the text of sessions (CTL-19). Since protocol 0.3.0. */
export const SEARCH_QUERIES = {
  SearchSessions: defineQuery({
    about:
      "Items whose text holds some words, in one session or in all that the token names: prompts, the model's text and thinking, input and output of calls, questions, errors, tasks and memories. Sessions in the order in which they began, the newest first; in each the newest item first. Beside them the sessions whose titles, as people gave them, hold the words. Since protocol 0.3.0.",
    params: z
      .object({
        text: z.string().max(SEARCH_TEXT_UNITS_MAX),
        sessionId: SessionIdSchema.optional(),
        workingDir: z.string().optional(),
        tool: z.string().min(1).max(SEARCH_TEXT_UNITS_MAX).optional(),
        file: z.string().min(1).max(SEARCH_TEXT_UNITS_MAX).optional(),
        from: moment.optional(),
        to: moment.optional(),
        limit: z.int().min(1).max(SEARCH_HITS_MAX).optional(),
        timeMs: z.int().min(1).max(SEARCH_TIME_MS_MAX).optional(),
        cursor: z.string().max(CURSOR_UNITS_MAX).optional(),
      })
      .refine(
        ({ text, tool, file, from, to }) =>
          text.trim() !== "" || [tool, file, from, to].some((field) => field !== undefined),
        { path: ["text"], error: "is empty: give words, or a tool, file, from or to" },
      ),
    result: z.object({
      /** The matches. */
      hits: z.array(SearchHit),
      /**
       * Sessions whose titles match, those that a person gave; a title that is made from the first prompt is found as a
       * prompt. At most 20, those that began last. Only in an answer to words without tool, file, times and cursor;
       * absent if there are none.
       */
      titles: z.array(TitleHit).optional(),
      /** True if everything was searched, from the cursor on. */
      complete: z.boolean(),
      /** Set if there is more to search: `limit`, `timeMs` or the events that are read for an answer were reached. */
      cursor: z.string().optional(),
      /** Counts of this answer. */
      searched: z.object({
        /** Sessions that were searched. */
        sessions: z.int().min(0),
        /** Events that were searched. */
        events: z.int().min(0),
        /** Events among them whose content has expired: nothing is found there. */
        expired: z.int().min(0),
        /** Events among them that cannot be read. If there are any, the answer is not complete. */
        unreadable: z.int().min(0),
      }),
    }),
    reads: "sessions",
    refusals: ["InvalidQuery"],
    rest: {
      path: "/v1/search",
      fields: {
        text: "Words that must all be in one item, each anywhere in it, in any case.",
        sessionId: "Only this session.",
        workingDir: "Only sessions of this directory.",
        tool: "Only calls of this tool.",
        file: "Only calls whose arguments name a path with this part.",
        from: "Only items that began then or later: `2026-03-01`, or a time.",
        to: "Only items that began then or before; a day counts whole.",
        limit: `At most so many. Default: ${SEARCH_HITS}.`,
        timeMs: `Milliseconds after which the search stops. Default: ${SEARCH_MS}.`,
        cursor: "The `cursor` of the answer that this one continues. Send the other fields as they were.",
      },
    },
  }),
} as const;
