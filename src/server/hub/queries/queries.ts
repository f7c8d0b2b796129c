import { HarnessError } from "../../../base/errors.ts";
import type { LogId, SessionId } from "../../../base/ids.ts";
import type { QueryKind } from "../../../protocol/kinds.ts";
import type { QueryOf } from "../../../protocol/queries/queries.ts";
import type { AskQuery, QueryHandler, QueryHandlers } from "../../../session/commands/query-handlers.ts";
import type { AskedQuery } from "./query-access.ts";

export interface QueryDependencies {
  /** Loads the handlers of the engine itself, at the first query. */
  readonly engine: () => Promise<QueryHandlers>;
  /** Returns the handlers of a running session; undefined for one that does not run. */
  readonly session: (id: SessionId) => QueryHandlers | undefined;
  readonly logOf: (id: SessionId) => Promise<LogId | undefined>;
}

/**
 * Answers the queries of every client: checks the right to ask, then calls the handler of the engine or of the session.
 *
 * The returned function throws Forbidden, UnknownSession, InvalidQuery if nothing answers a kind, and errors of the
 * handler. No schema is loaded before the first query.
 */
export function openQueries(parts: QueryDependencies): AskQuery {
  return async (query, asking) => {
    const { queryDefinition } = await import("../../../protocol/queries/queries.ts");
    const { assertMayAsk } = await import("./query-access.ts");
    await assertMayAsk(queryDefinition(query.kind), query, asking, parts.logOf);
    const handler = await handlerFor(query, parts);
    return await handler(query, asking);
  };
}

async function handlerFor<Kind extends QueryKind>(
  query: QueryOf<Kind>,
  parts: QueryDependencies,
): Promise<QueryHandler<Kind>> {
  const { kind, sessionId: id }: AskedQuery & { readonly kind: Kind } = query;
  const session = id === undefined ? undefined : parts.session(id);
  const ofSession = session?.[kind];
  if (ofSession !== undefined) return ofSession;
  const ofEngine = (await parts.engine())[kind];
  if (ofEngine !== undefined) return ofEngine;
  if (id !== undefined && session === undefined) throw new HarnessError("UnknownSession", { id });
  throw new HarnessError("InvalidQuery", { kind, why: "nothing here answers it" });
}
