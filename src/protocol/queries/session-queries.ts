import * as z from "zod";
import { SessionIdSchema } from "../ids.ts";
import { SessionDetail, SessionInfo, TaskInfo } from "../resources.ts";
import { query } from "./query.ts";

/** Sessions that a list has at most. */
export const SESSIONS_LISTED_MAX = 1_000;
/** Sessions that an MCP client is shown. */
const MCP_SESSIONS_MAX = 100;
/** Events beside the facts of a session, unless a client asks for another number. */
export const LAST_EVENTS = 50;
export const LAST_EVENTS_MAX = 1_000;

/** Queries about sessions, whether they run or have ended (CTL-15). */
export const SESSION_QUERIES = {
  ListSessions: query({
    about: "The sessions that run here, as far as the token names them; the newest first.",
    params: z.object({
      past: z.boolean().optional(),
      limit: z.int().min(1).max(SESSIONS_LISTED_MAX).optional(),
    }),
    result: z.object({ sessions: z.array(SessionInfo) }),
    reads: "sessions",
    rest: {
      path: "/v1/sessions",
      fields: {
        past: "`true`: those that are stored too.",
        limit: `At most so many. Default: ${SESSIONS_LISTED_MAX}.`,
      },
    },
    mcp: {
      uri: "sessions",
      title: "Sessions",
      about: "The sessions that this client may see.",
      field: "sessions",
      fixed: { past: true, limit: MCP_SESSIONS_MAX },
    },
  }),
  GetSession: query({
    about: "One session, with its last events.",
    params: z.object({
      sessionId: SessionIdSchema,
      last: z.int().min(0).max(LAST_EVENTS_MAX).optional(),
    }),
    result: SessionDetail,
    reads: "session",
    rest: {
      path: "/v1/sessions/{id}",
      fields: {
        last: `How many events, at most ${LAST_EVENTS_MAX}; absent: ${LAST_EVENTS}. Above 4 MiB the oldest are left out.`,
      },
    },
    mcp: { uri: "session/{id}", title: "Session", about: "A session, and its last events." },
  }),
  ListTasks: query({
    about: "What a session has run in the background.",
    params: z.object({ sessionId: SessionIdSchema }),
    result: z.object({ tasks: z.array(TaskInfo) }),
    reads: "session",
    rest: { path: "/v1/sessions/{id}/tasks" },
  }),
} as const;
