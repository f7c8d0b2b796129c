import type { Table } from "./table.ts";

/** What a configuration says of a session's life. */
export interface SessionKeys {
  /** How long a session that nobody follows and that does nothing goes on; 0: until it is ended. */
  readonly idleTimeoutMs?: number;
  /** How many days the content of a session is kept; 0: for good. */
  readonly ttlDays?: number;
}

const MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(\d{1,6})(s|m|h|d)$/;

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

/** A length of time as people write it: "90s", "30m", "12h", "2d"; "0s" is none; not a number where it is none of these. */
function durationMs(text: string): number {
  const [, count, unit = ""] = DURATION.exec(text) ?? [];
  return Number(count) * (MS[unit] ?? Number.NaN);
}
