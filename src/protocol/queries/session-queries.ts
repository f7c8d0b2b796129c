import * as z from "zod";
import { SessionIdSchema } from "../ids.ts";
import { AgentInfo, SessionDetail, SessionInfo, SessionProfile, TaskInfo } from "../resources.ts";
import { defineQuery } from "./query.ts";

/** Limit of sessions in a list. */
export const SESSIONS_LISTED_MAX = 1_000;
/** Limit of sessions in an MCP resource. */
const MCP_SESSIONS_MAX = 100;
/** Events in the details of a session, unless a client requests another number. */
export const LAST_EVENTS = 50;
export const LAST_EVENTS_MAX = 1_000;

/** Words after a command that a user typed. */
const WORDS = {
  /** Split as a shell does. */
  args: z.array(z.string()).optional(),
  /** The quote in them that nothing closes. */
  unclosed: z.string().optional(),
};

/** Queries about sessions, running or ended (CTL-15). */
export const SESSION_QUERIES = {
  ListSessions: defineQuery({
    about: "The sessions that run here, as far as the token names them; the newest first.",
    params: z.object({
      past: z.boolean().optional(),
      /** Only sessions of the working directory of this one. */
      sessionId: SessionIdSchema.optional(),
      limit: z.int().min(1).max(SESSIONS_LISTED_MAX).optional(),
    }),
    result: z.object({ sessions: z.array(SessionInfo) }),
    reads: "sessions",
    rest: {
      path: "/v1/sessions",
      fields: {
        past: "`true`: those that are stored too.",
        sessionId: "Only sessions of the working directory of this one.",
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
  GetSession: defineQuery({
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
  FindSession: defineQuery({
    about:
      "The session that a person means: by an id, by the beginning of one, or `last`, the newest in which something was said.",
    params: z.object({
      text: z.string(),
      /** `last` is searched in the working directory of this session. Default: in any. */
      sessionId: SessionIdSchema.optional(),
    }),
    result: SessionInfo,
    reads: "user",
    rest: {
      path: "/v1/find-session",
      fields: {
        text: "An id, the beginning of one, or `last`.",
        sessionId: "`last` is searched in the working directory of this session. Default: in any.",
      },
    },
    refusals: ["NoSuchSession", "NothingToContinue", "SessionAmbiguous"],
  }),
  GetSessionProfile: defineQuery({
    about:
      "The profile of a session that runs, with the skills, MCP servers and tools that are loaded in it.",
    params: z.object({ sessionId: SessionIdSchema }),
    result: SessionProfile,
    reads: "session",
    rest: { path: "/v1/sessions/{id}/profile" },
  }),
  CheckProfile: defineQuery({
    about: "Checks if a session can continue under a profile.",
    params: z.object({ sessionId: SessionIdSchema, profile: z.string() }),
    result: z.object({ profile: z.string(), path: z.string() }),
    reads: "session",
    who: "person",
    rest: {
      path: "/v1/sessions/{id}/profile-check",
      fields: { profile: "The name of a profile, or a path." },
    },
    refusals: ["ProfileMissing", "ConfigInvalid", "TrustRefused"],
  }),
  ListAgents: defineQuery({
    about: "The kinds of sub-agents that a session has.",
    params: z.object({ sessionId: SessionIdSchema }),
    result: z.object({ agents: z.array(AgentInfo) }),
    reads: "session",
    rest: { path: "/v1/sessions/{id}/agents" },
  }),
  ExpandPrompt: defineQuery({
    about: "The text that a prompt template of the user or the project becomes with the words given.",
    params: z.object({
      sessionId: SessionIdSchema,
      name: z.string(),
      ...WORDS,
      /** The words as typed. Default: `args` with spaces between them. */
      text: z.string().optional(),
    }),
    result: z.object({ prompt: z.string() }),
    reads: "session",
    rest: { method: "POST", path: "/v1/sessions/{id}/prompts" },
    refusals: ["UsageInvalid"],
  }),
  ExpandMcpPrompt: defineQuery({
    about: "The text of a prompt of an MCP server. The server is asked for it.",
    params: z.object({
      sessionId: SessionIdSchema,
      /** `server.prompt`. */
      name: z.string(),
      ...WORDS,
    }),
    result: z.object({ prompt: z.string() }),
    reads: "session",
    rest: { method: "POST", path: "/v1/sessions/{id}/mcp-prompts" },
    refusals: ["UsageInvalid"],
  }),
  ListTasks: defineQuery({
    about: "What a session has run in the background.",
    params: z.object({ sessionId: SessionIdSchema }),
    result: z.object({ tasks: z.array(TaskInfo) }),
    reads: "session",
    rest: { path: "/v1/sessions/{id}/tasks" },
  }),
} as const;
