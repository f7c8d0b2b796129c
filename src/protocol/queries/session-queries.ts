import * as z from "zod";
import { ReaderSchema } from "../commands/session-commands.ts";
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

/** Characters of the words that a list is filtered by. */
export const LIST_TEXT_CHARACTERS_MAX = 1_000;
const CURSOR_CHARACTERS_MAX = 200;
/** Time for which a list with a filter reads. It then answers with what it has found, and a cursor to continue. */
export const FILTERED_LIST_MS_MAX = 2_000;
/** Characters of the model's last text that a list shows. */
export const LAST_TEXT_CHARACTERS_MAX = 300;

/** Further fields of a session that an answer shows. Since protocol 0.3.0. */
const SHOWN = {
  reader: ReaderSchema.optional(),
  previews: z.boolean().optional(),
};
const SHOWN_FIELDS = {
  reader:
    "Name under which a client marks what it has read: `unread` is counted from its mark. Default: `unread` is left out.",
  previews: "`true`: with the end of the model's last text.",
};

/** Words after a command that a user typed. */
const WORDS = {
  /** Split as a shell does. */
  args: z.array(z.string()).optional(),
  /** The quote in them that nothing closes. */
  unclosed: z.string().optional(),
};

/** Sessions that are named at once of those that are about to expire. */
export const EXPIRING_LISTED_MAX = 100;

/** Queries about sessions, running or ended (CTL-15). */
export const SESSION_QUERIES = {
  ListSessions: defineQuery({
    about:
      "The sessions that run here, with `past` the stored ones too, as far as the token names them; the newest first.",
    params: z.object({
      past: z.boolean().optional(),
      sessionId: SessionIdSchema.optional(),
      limit: z.int().min(1).max(SESSIONS_LISTED_MAX).optional(),
      text: z.string().max(LIST_TEXT_CHARACTERS_MAX).optional(),
      state: SessionInfo.shape.state.optional(),
      archived: z.enum(["without", "with", "only"]).optional(),
      before: z.string().max(CURSOR_CHARACTERS_MAX).optional(),
      ...SHOWN,
    }),
    result: z.object({
      /** The sessions, the newest first. */
      sessions: z.array(SessionInfo),
      /** True if there are more: ask again with `before`. Since protocol 0.3.0. */
      more: z.boolean().optional(),
      /** Absent if there are no more. Since protocol 0.3.0. */
      cursor: z.string().optional(),
    }),
    reads: "sessions",
    rest: {
      path: "/v1/sessions",
      fields: {
        past: "`true`: those that are stored too. Default: those that run.",
        sessionId: "Only sessions whose working directory is that of this one.",
        limit: `At most so many. Default: ${SESSIONS_LISTED_MAX}.`,
        text: "Words that the title, an id or the working directory contain, in any case: all of them in one field.",
        state: "Only sessions in this state: `running`, `waiting` or `idle`.",
        archived: "Archived sessions: `without` them (the default), `with` them, or them `only`.",
        before: "`cursor` of an answer: the list continues after it.",
        ...SHOWN_FIELDS,
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
      ...SHOWN,
    }),
    result: SessionDetail,
    reads: "session",
    rest: {
      path: "/v1/sessions/{id}",
      fields: {
        last: `Number of events, at most ${LAST_EVENTS_MAX}. Default: ${LAST_EVENTS}. Above 4 MiB the oldest are left out.`,
        ...SHOWN_FIELDS,
      },
    },
    mcp: { uri: "session/{id}", title: "Session", about: "A session, and its last events." },
  }),
  FindSession: defineQuery({
    about:
      "The session that a person means: by an id, by the beginning of one, or `last`, the newest in which something was said.",
    params: z.object({
      text: z.string(),
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
  ListExpiring: defineQuery({
    about:
      "The stored sessions of which content expires within a week, and whether that notice is hidden. Since protocol 0.3.0.",
    params: z.object({}),
    result: z.object({
      /** The sessions, those that lose content first at the beginning; at most 100. */
      sessions: z.array(SessionIdSchema).max(EXPIRING_LISTED_MAX),
      /** Number of all of them. */
      total: z.int().min(0),
      /** True if a person has hidden the notice about each of them: `DismissExpiring`. */
      dismissed: z.boolean(),
    }),
    reads: "user",
    rest: { path: "/v1/expiring" },
  }),
  GetDraft: defineQuery({
    about: "The unsent text that a reader keeps in a session; empty if there is none.",
    params: z.object({ sessionId: SessionIdSchema, reader: ReaderSchema }),
    result: z.object({
      /** The text. */
      text: z.string(),
      /** Time at which it was kept; absent if there is none. */
      ts: z.string().optional(),
    }),
    reads: "session",
    who: "person",
    rest: {
      path: "/v1/sessions/{id}/draft",
      fields: { reader: "The name under which it was kept." },
    },
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
    params: z.object({
      sessionId: SessionIdSchema,
      profile: z.string(),
    }),
    result: z.object({
      /** Name of the profile. */
      profile: z.string(),
      /** Path of its file. */
      path: z.string(),
    }),
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
    result: z.object({
      /** The kinds of sub-agents. */
      agents: z.array(AgentInfo),
    }),
    reads: "session",
    rest: { path: "/v1/sessions/{id}/agents" },
  }),
  ExpandPrompt: defineQuery({
    about: "The text that a prompt template of the user or the project becomes with the words given.",
    params: z.object({
      sessionId: SessionIdSchema,
      /** Name of the template. */
      name: z.string(),
      ...WORDS,
      /** The words as typed. Default: `args` with spaces between them. */
      text: z.string().optional(),
    }),
    result: z.object({
      /** The text of the prompt. */
      prompt: z.string(),
    }),
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
    result: z.object({
      /** The text of the prompt. */
      prompt: z.string(),
    }),
    reads: "session",
    rest: { method: "POST", path: "/v1/sessions/{id}/mcp-prompts" },
    refusals: ["UsageInvalid"],
  }),
  ListTasks: defineQuery({
    about: "The background tasks of a session.",
    params: z.object({ sessionId: SessionIdSchema }),
    result: z.object({
      /** The tasks, in the order in which they started. */
      tasks: z.array(TaskInfo),
    }),
    reads: "session",
    rest: { path: "/v1/sessions/{id}/tasks" },
  }),
} as const;
