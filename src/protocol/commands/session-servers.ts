import * as z from "zod";

/** MCP servers that one session has besides the configured ones. */
export const SESSION_SERVERS_MAX = 16;
const NAME_CHARACTERS_MAX = 200;
const TEXT_CHARACTERS_MAX = 8_192;
const ENTRIES_MAX = 200;

/** Name of the server, unique in the session. */
const name = z.string().min(1).max(NAME_CHARACTERS_MAX);
const text = z.string().max(TEXT_CHARACTERS_MAX);
const texts = z.record(z.string(), text);

/**
 * A server that the client's user has named for one session. It counts like one in their configuration. `env` and
 * `headers` may hold secrets: they are kept in memory alone.
 */
export const SessionMcpServer = z.discriminatedUnion("transport", [
  z.object({
    transport: z.literal("stdio"),
    name,
    /** An absolute path, or a name that is searched in `PATH`. */
    cmd: text.min(1),
    /** Arguments of the program. */
    args: z.array(text).max(ENTRIES_MAX),
    /** Environment variables of the program. */
    env: texts,
  }),
  z.object({
    transport: z.enum(["http", "sse"]),
    name,
    /** Address of the server. */
    url: text.min(1),
    /** Headers of every request to it. */
    headers: texts,
  }),
]);
export type SessionMcpServer = z.infer<typeof SessionMcpServer>;
