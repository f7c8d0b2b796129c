import { deadline, whileAlive } from "../../../base/async/deadline.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { CallId, SessionId } from "../../../base/ids.ts";
import type { Clock } from "../../../base/world.ts";
import { hunkLines } from "../../../view/answers/changes-text.ts";
import type { Sender } from "../../slash/sender.ts";

/** Limit for the wait for a change; without an answer the call's own arguments are printed. */
const CHANGE_MS_MAX = 2_000;

export interface WrittenChangeSource {
  readonly sender: Pick<Sender, "query">;
  readonly session: SessionId;
  readonly clock: Pick<Clock, "timer">;
  readonly signal: AbortSignal;
}

/**
 * Returns the change that a call has made to the only file that it wrote, as quoted lines, from the checkpoints of the
 * engine; undefined if they do not know all of it, or do not answer in 2 s.
 */
export async function writtenChange(
  callId: CallId,
  { sender, session, clock, signal }: WrittenChangeSource,
): Promise<readonly string[] | undefined> {
  using limit = deadline(clock, CHANGE_MS_MAX, signal);
  const query = sender.query({ kind: "GetChanges", sessionId: session, callId });
  const answer = await whileAlive(query, limit.signal).catch((thrown: unknown) => {
    if (limit.signal.aborted) return undefined; // the session ends, or the engine is slow: nothing is lost
    throw thrown;
  });
  if (answer === undefined || answer instanceof HarnessError || !answer.complete) return undefined;
  const [file, ...others] = answer.files;
  if (file === undefined) return []; // it has written what was there
  return file.hunks === undefined || others.length > 0 ? undefined : hunkLines(file);
}
