import { defined } from "../../../base/defined.ts";
import { hasReason } from "../../../base/errors.ts";
import type { SessionId } from "../../../base/ids.ts";
import type { Connection } from "../../../protocol/connection.ts";
import type { InputBlock } from "../../../protocol/content.ts";
import type { PromptResult } from "../embedder.ts";
import type { PromptWatcher } from "../prompt-result.ts";
import { resultOf } from "../prompt-result.ts";

/** A session that takes a prompt, and who watches it. */
export interface PromptAt {
  readonly connection: Connection;
  readonly session: SessionId;
  /** Cancels the turn. */
  readonly signal: AbortSignal;
  readonly watcher?: Partial<PromptWatcher>;
  /** Called if the turn could not be cancelled. */
  readonly onCancelFailed: (thrown: unknown) => void;
}

/**
 * Sends a prompt and follows its turn to the end.
 * @throws HarnessError if it is refused or the turn fails; `signal.reason` if it was aborted.
 */
export async function runEmbeddedPrompt(content: InputBlock[], at: PromptAt): Promise<PromptResult> {
  const { connection, session: sessionId, signal, watcher, onCancelFailed } = at;
  signal.throwIfAborted();
  const stop = new AbortController();
  const events = connection.subscribe(sessionId, { signal: stop.signal });
  const cancel = () => {
    connection.send({ kind: "CancelTurn", sessionId }).catch(onCancelFailed);
  };
  signal.addEventListener("abort", cancel, { once: true });
  try {
    await connection.send({ kind: "SendInput", sessionId, content }).catch((thrown: unknown) => {
      throw signal.aborted && hasReason(thrown, "InvalidCommand") ? signal.reason : thrown; // cancelled before it began
    });
    if (signal.aborted) cancel(); // it may have come before there was a turn to cancel
    return await resultOf(events, connection.clientId, {
      signal,
      ...defined({ watcher }),
    });
  } finally {
    signal.removeEventListener("abort", cancel);
    stop.abort();
  }
}
