import { unreachable } from "../../base/assert.ts";
import type { LogId, SessionId } from "../../base/ids.ts";
import type { NewsItem } from "../../protocol/events/news.ts";
import type { SessionInfo } from "../../protocol/resources.ts";

/** Sessions that are kept; one that comes beyond that is left out. */
const SESSIONS_MAX = 1_000;

/** Sessions as the news describe them, by their logs. A value: `sessionsAfter` returns the next one. */
export type KnownSessions = ReadonlyMap<LogId, SessionInfo>;

export const NO_SESSIONS: KnownSessions = new Map();

/** Returns the known sessions after one more item of news; the same value if it changes none. */
export function sessionsAfter(known: KnownSessions, item: NewsItem): KnownSessions {
  switch (item.kind) {
    case "NewsReady":
      return known;
    case "SessionChanged": {
      const { log } = item.info;
      if (!known.has(log) && known.size >= SESSIONS_MAX) return known;
      return new Map(known).set(log, item.info);
    }
    case "SessionGone": {
      // A newer run on the same log may be known by now.
      if (known.get(item.log)?.session !== item.session) return known;
      const next = new Map(known);
      next.delete(item.log);
      return next;
    }
    default:
      return unreachable(item);
  }
}

const URGENCY = { waiting: 0, running: 1, idle: 2 } as const;

/**
 * Returns the sessions as a person looks for them: the one that is shown, then those that wait, run, or are idle.
 * Others that were never used are left out.
 */
export function sortedSessions(known: KnownSessions, shown: SessionId | undefined): readonly SessionInfo[] {
  const rank = ({ session, state = "idle" }: SessionInfo) => (session === shown ? -1 : URGENCY[state]);
  const listed = [...known.values()].filter((info) => info.session === shown || info.unused !== true);
  return listed.sort(
    (one, other) => rank(one) - rank(other) || other.updated_at.localeCompare(one.updated_at),
  );
}

/** Returns the information about a session; undefined if the news do not know it. */
export function sessionIn(known: KnownSessions, session: SessionId): SessionInfo | undefined {
  return known.values().find((info) => info.session === session);
}
