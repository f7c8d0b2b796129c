import { Cancelled, hasReason } from "../base/errors.ts";
import type { SessionId } from "../base/ids.ts";
import type { Connection } from "../protocol/connection.ts";
import type { OrphanFate } from "../session/history/unfinished.ts";

/**
 * Settles the open calls of a killed run in a session of another engine, as the command line decided. Resolves once
 * none is open.
 *
 * A question that another client answered first is settled.
 * @throws HarnessError if the engine refuses an answer or the session; SessionEnding if the session ends first.
 */
export async function settleOrphans(
  fate: OrphanFate,
  { connection, session: sessionId }: { readonly connection: Connection; readonly session: SessionId },
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const events = connection.subscribe(sessionId, { signal: AbortSignal.any([signal, over.signal]) });
  const refused = Promise.withResolvers<never>();
  const answering = (async () => {
    for await (const { kind, payload } of events) {
      if (kind !== "Asked" || payload.about !== "orphan") continue;
      try {
        await connection.send({
          kind: "Answer",
          sessionId,
          askId: payload.askId,
          answer: answerOf(fate),
        });
      } catch (thrown) {
        if (!hasReason(thrown, "InvalidCommand")) throw thrown; // else it is closed already
      }
    }
  })();
  answering.catch((thrown: unknown) => {
    if (!over.signal.aborted) refused.reject(thrown);
  });
  try {
    await Promise.race([connection.send({ kind: "AttachSession", sessionId }), refused.promise]);
  } finally {
    over.abort(new Cancelled("client", "nothing is open any more"));
  }
}

function answerOf(fate: OrphanFate): string {
  return fate.kind === "succeeded" && fate.note !== undefined ? `${fate.kind}: ${fate.note}` : fate.kind;
}
