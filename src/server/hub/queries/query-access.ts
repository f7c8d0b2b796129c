import { HarnessError } from "../../../base/errors.ts";
import type { LogId, SessionId } from "../../../base/ids.ts";
import type { QueryKind } from "../../../protocol/kinds.ts";
import type { QueryDefinition } from "../../../protocol/queries/query.ts";
import { reachesSession } from "../../../session/access/reach.ts";
import type { QueryContext } from "../../../session/commands/query-handlers.ts";

/** The part of a query that the right to ask depends on. */
export interface AskedQuery {
  readonly kind: QueryKind;
  readonly sessionId?: SessionId | undefined;
}

/**
 * Checks that a client may ask a query: the only place that does, for every transport (AUTH-07). See `Reads`.
 * @throws HarnessError Forbidden, before it is known whether such a session exists; InvalidQuery for an agent that asks
 * a query for people.
 */
export async function assertMayAsk(
  { reads, who }: Pick<QueryDefinition, "reads" | "who">,
  query: AskedQuery,
  { identityClass, scope }: Pick<QueryContext, "identityClass" | "scope">,
  logOf: (id: SessionId) => Promise<LogId | undefined>,
): Promise<void> {
  const { kind, sessionId: session } = query;
  if (scope !== undefined && scope.sessions !== "all") {
    if (reads === "user") throw forbidden(`the query ${kind}, which needs a token of every session`);
    if (session !== undefined && !(await reachesSession(scope, session, logOf)))
      throw forbidden(`the session ${session}`);
  }
  if (who === "person" && identityClass !== "human")
    throw new HarnessError("InvalidQuery", { kind, why: "only a client of class human may ask it" });
}

function forbidden(what: string): HarnessError<"Forbidden"> {
  return new HarnessError("Forbidden", { what });
}
