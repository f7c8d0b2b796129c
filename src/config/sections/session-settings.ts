import { durationMs } from "../../base/text/duration.ts";
import type { Table } from "../table.ts";

/** What a configuration says of a session's life. */
export interface SessionKeys {
  /** How long a session that nobody follows and that does nothing goes on; 0: until it is ended. */
  readonly idleTimeoutMs?: number;
  /** How many days the content of a session is kept; 0: for good. */
  readonly ttlDays?: number;
}

/** @throws HarnessError ConfigInvalid, for unknown keys too. */
export function sessionFrom(parent: Table): { readonly session?: SessionKeys } {
  const table = parent.table("session");
  if (table === undefined) return {};
  const idleTimeout = table.string("idle_timeout");
  const idleTimeoutMs = idleTimeout === undefined ? undefined : durationMs(idleTimeout);
  if (Number.isNaN(idleTimeoutMs)) {
    throw table.problem("idle_timeout", 'must be a length of time such as "90s", "30m", "12h" or "2d"');
  }
  const ttlDays = table.integer("ttl_days", 0);
  table.refuseUnknown();
  return {
    session: {
      ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
      ...(ttlDays === undefined ? {} : { ttlDays }),
    },
  };
}
