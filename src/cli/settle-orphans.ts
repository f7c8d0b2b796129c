import { Cancelled } from "../base/errors.ts";
import type { SessionId } from "../base/ids.ts";
import type { OrphanFate } from "../engine/recover.ts";
import type { Connection } from "../protocol/connection.ts";

/**
 * Answers what a session in another engine asks about calls that a killed run left open, as the command line decided, and
 * resolves once none is open any more.
 * @throws HarnessError what the engine refuses it with; EngineStopping where the session is ended instead.
 */
export async function settleOrphans(
  fate: OrphanFate,
  { connection, session: sessionId }: { readonly connection: Connection; readonly session: SessionId },
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const events = connection.subscribe(sessionId, { signal: AbortSignal.any([signal, over.signal]) });
  const answering = (async () => {
    for await (const { kind, payload } of events) {
      if (kind !== "Asked" || payload.about !== "orphan") continue;
      await connection.send({ kind: "Answer", sessionId, askId: payload.askId, answer: answerOf(fate) });
    }
  })();
  answering.catch(() => undefined); // an answer of somebody else came first, or the stream is over
  try {
    await connection.send({ kind: "AttachSession", sessionId });
  } finally {
    over.abort(new Cancelled("client", "nothing is open any more"));
  }
}

function answerOf(fate: OrphanFate): string {
  return fate.kind === "succeeded" ? (fate.note ?? fate.kind) : fate.kind;
}
