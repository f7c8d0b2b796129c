import * as z from "zod";
import type { DeepReadonly } from "../deep-readonly.ts";
import { LogIdSchema, SessionIdSchema } from "../ids.ts";
import { SessionInfo } from "../resources.ts";

/**
 * One item of the stream of news about sessions (CTL-19). It begins with a `SessionChanged` of each session, then
 * `NewsReady`; later ones are changes. Since protocol 0.3.0.
 */
export const NewsItem = z.discriminatedUnion("kind", [
  /** A session that began or has changed. */
  z.object({
    kind: z.literal("SessionChanged"),
    session: SessionIdSchema,
    /** The session as ListSessions describes it. It replaces earlier items about it. */
    info: SessionInfo,
  }),
  /** A session that is gone. */
  z.object({
    kind: z.literal("SessionGone"),
    /** It ended, was deleted, or a newer run on its log took its place, which follows. */
    session: SessionIdSchema,
    /** Log of the session. */
    log: LogIdSchema,
  }),
  /** The end of the first list. */
  z.object({ kind: z.literal("NewsReady") }),
]);

export type NewsItem = DeepReadonly<z.infer<typeof NewsItem>>;
