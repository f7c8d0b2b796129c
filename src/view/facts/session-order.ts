import { unreachable } from "../../base/assert.ts";
import type { SessionInfo } from "../../protocol/resources.ts";

/** Orders of a list of sessions. `newest`: by the time of the last event. */
export const SESSION_ORDERS = ["newest", "name", "cost"] as const;
export type SessionOrder = (typeof SESSION_ORDERS)[number];

/** Returns sessions in an order; equal ones keep theirs. Sessions of unknown cost come behind those of a known one. */
export function orderedSessions(
  sessions: readonly SessionInfo[],
  order: SessionOrder,
): readonly SessionInfo[] {
  switch (order) {
    case "newest":
      // Times of the log are ISO 8601 in UTC: their texts have the order of the times.
      return sessions.toSorted((one, other) => compared(other.updated_at, one.updated_at));
    case "name": {
      const { compare } = new Intl.Collator("en", { sensitivity: "base", numeric: true });
      return sessions.toSorted((one, other) => compare(one.title, other.title));
    }
    case "cost":
      return sessions.toSorted((one, other) => (other.cost_usd ?? -1) - (one.cost_usd ?? -1));
    default:
      return unreachable(order);
  }
}

function compared(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
