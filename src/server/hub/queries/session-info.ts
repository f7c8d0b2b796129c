import type { SessionId } from "../../../base/ids.ts";
import type { ResultOf } from "../../../protocol/queries/queries.ts";
import type { QueryContext } from "../../../session/commands/query-handlers.ts";
import type { EnginePort } from "../../../session/engine-port.ts";

/** Returns the facts of one session, without its events. @throws HarnessError Forbidden, UnknownSession. */
export async function sessionInfo(
  engine: Pick<EnginePort, "query">,
  sessionId: SessionId,
  asking: QueryContext,
): Promise<ResultOf<"GetSession">> {
  return await engine.query({ kind: "GetSession", sessionId, last: 0 }, asking);
}
