import type { EventSeq, SessionId } from "../../base/ids.ts";
import type { Clock } from "../../base/world.ts";
import type { EnvelopeOf } from "../../protocol/events/envelope.ts";
import type { PayloadOf } from "../../protocol/events/events.ts";
import type { TokenGrant } from "../../session/access/authority.ts";

export interface ExpiringToken {
  readonly grant: Pick<TokenGrant, "jti">;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Returns the payload of the event about a token that is about to expire. */
export function tokenExpiringPayload({ grant, expiresAt }: ExpiringToken): PayloadOf<"TokenExpiring"> {
  return { jti: grant.jti, expAt: Math.floor(expiresAt / 1_000) };
}

/**
 * Returns the same as an event of a session. It is sent to one reader and is in no log: it has the id of the last event
 * of this reader (AUTH-08).
 */
export function tokenExpiringEvent(
  expiring: ExpiringToken,
  {
    session,
    last,
    clock,
  }: { readonly session: SessionId; readonly last: EventSeq; readonly clock: Pick<Clock, "now"> },
): EnvelopeOf<"TokenExpiring"> {
  const ts = new Date(clock.now()).toISOString();
  return {
    id: Math.max(1, last),
    kind: "TokenExpiring",
    session,
    ts,
    payload: tokenExpiringPayload(expiring),
  };
}
