import type { LogId, SessionId } from "../../base/ids.ts";
import { count } from "../../base/text/text.ts";
import type { Accepted, CommandOf } from "../../protocol/commands/commands.ts";
import type { AttachedClient } from "../../session/access/client.ts";
import type { PreparedSwitch } from "../../session/handover.ts";
import type { IdleTurn } from "../../session/moments.ts";
import type { OpenedSession } from "../../session/turns/opened-session.ts";
import type { Session } from "../../session/turns/session.ts";

type SwitchProfile = CommandOf<"SwitchProfile">;

/**
 * Prepares a switch and changes nothing.
 * @throws HarnessError ProfileMissing, ConfigInvalid, TrustRefused …
 */
export type PrepareOpened = (
  command: SwitchProfile,
  turn: IdleTurn,
) => Promise<PreparedSwitch<OpenedSession>>;

export interface ProfileSwitchDependencies {
  readonly prepare: PrepareOpened;
  /** Takes over an opened session. */
  adopt(opened: OpenedSession): Promise<void>;
  /** Makes callers that name a coming run, or its log, wait for it. */
  expect(coming: { readonly next: SessionId; readonly logId: LogId }, opening: Promise<OpenedSession>): void;
}

/**
 * Replaces a session by another run: a new one on a new log, or in place a new run on the same log ([A] § Mid-session
 * profile switching, PROF-02).
 *
 * A failure before the session is left changes nothing. A new session exists, with the imported content durable in its
 * log, before the old one starts to end; the old one can be continued at any time.
 * @throws HarnessError TurnInProgress while a turn runs; a refusal of `prepare`.
 */
export async function switchProfile(
  session: Session,
  { command, client }: { readonly command: SwitchProfile; readonly client: AttachedClient },
  parts: ProfileSwitchDependencies,
): Promise<Accepted> {
  const coming = Promise.withResolvers<OpenedSession>();
  coming.promise.catch(() => undefined); // a caller that waits for it gets it
  let opened: OpenedSession | undefined;
  let prepared: PreparedSwitch<OpenedSession> | undefined;
  let tasks = 0;
  try {
    await session.handOver(command, client, async (turn) => {
      const ready = await parts.prepare(command, turn);
      tasks = session.tasks;
      prepared = ready;
      if (command.inPlace === true) {
        parts.expect(ready.event, coming.promise);
      } else {
        opened = (await ready.open()).opened;
        await parts.adopt(opened);
      }
      return { kind: "ProfileSwitched", payload: ready.event };
    });
    await Promise.allSettled([session.ending]); // its subscribers learn how that went
    if (prepared !== undefined && opened === undefined) {
      const { opened: begun, refused } = await prepared.open();
      await parts.adopt(begun);
      opened = begun;
      coming.resolve(begun);
      if (refused !== undefined) throw refused;
    }
  } catch (thrown) {
    coming.reject(thrown);
    // If the session could not be left, nobody knows of the other one.
    if (session.ending === undefined) await opened?.session.end("error");
    throw thrown;
  }
  return accepted(opened, prepared, tasks);
}

function accepted(
  opened: OpenedSession | undefined,
  prepared: PreparedSwitch<OpenedSession> | undefined,
  tasks: number,
): Accepted {
  if (opened === undefined || prepared === undefined) throw new TypeError("nothing was switched to");
  const { from, to, logId: log } = prepared.event;
  const { session, notices: openNotices = [] } = opened;
  const ended = tasks === 0 ? [] : [`Ended with the session before: ${count(tasks, "background task")}.`];
  const notices = [...openNotices, ...ended];
  return { sessionId: session.id, result: { from, to, log, notices } };
}
