import type { EventSeq, SessionId } from "../../base/ids.ts";
import type { Clock } from "../../base/world.ts";
import type { EnvelopeOf } from "../../protocol/events/envelope.ts";
import type { PayloadOf } from "../../protocol/events/events.ts";
import type { Grant } from "../../session/access/authority.ts";

export interface Expiring {
  readonly grant: Pick<Grant, "jti">;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** What is told of a token that is about to expire. */
export function expiringPayload({ grant, expiresAt }: Expiring): PayloadOf<"TokenExpiring"> {
  return { jti: grant.jti, expAt: Math.floor(expiresAt / 1_000) };
}

/**
 * The same among the events of a session. It is told one reader and stands in no log: it bears the id of the event that this
 * reader has last (AUTH-08).
 */
export function expiringEvent(
  expiring: Expiring,
  {
    session,
    last,
    clock,
  }: { readonly session: SessionId; readonly last: EventSeq; readonly clock: Pick<Clock, "now"> },
): EnvelopeOf<"TokenExpiring"> {
  const ts = new Date(clock.now()).toISOString();
  return { id: Math.max(1, last), kind: "TokenExpiring", session, ts, payload: expiringPayload(expiring) };
}
