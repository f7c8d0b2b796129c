import type { Connection } from "../../protocol/connection.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import type { AttachRequest } from "../../session/access/attach-request.ts";
import type { AskQuery } from "../../session/commands/query-handlers.ts";
import type { EnginePort } from "../../session/engine-port.ts";
import { reachedBy } from "../../view/follow.ts";

/** Reads logs of an engine that runs elsewhere, through a separate client, up to the event that is the last one now. */
export function remoteLog(
  query: AskQuery,
  attach: (request: AttachRequest) => Connection,
): EnginePort["log"] {
  return async function* log(id, since, scope) {
    const leave = new AbortController();
    const { signal } = leave;
    const asked = { kind: "GetSession", sessionId: id, last: 0 } as const;
    const { events } = await query(asked, { identityClass: "human", scope, signal });
    if (since >= events) return;
    await using connection = attach({ identityClass: "human", label: "cinch", scope });
    await connection.handshake(PROTOCOL_VERSION);
    for await (const event of connection.subscribe(id, { since, signal })) {
      yield event;
      if (reachedBy(event) >= events) return;
    }
  };
}
