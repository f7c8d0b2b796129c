import { HarnessError } from "../../base/errors.ts";
import type { LogId, SessionId } from "../../base/ids.ts";
import type { Command, CommandKind } from "../../protocol/commands/commands.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { reachesLog, reachesSession } from "../../session/access/reach.ts";
import type { Scope } from "../../session/access/scope.ts";
import { allowsCommand, allowsSession } from "../../session/access/scope.ts";

type LogOf = (id: SessionId) => Promise<LogId | undefined>;

/** Commands that name a session, and reach beyond it. */
const BEYOND_A_SESSION: ReadonlySet<CommandKind> = new Set<CommandKind>([
  ...(["ExportSession", "DismissExpiring", "AskAutoAttach", "AnswerAutoAttach"] as const),
]);

/**
 * Checks a command against the token of its client (AUTH-07): its kind, and its session.
 * @throws HarnessError Forbidden, which does not reveal whether such a session exists.
 */
export async function assertWithinScope(
  scope: Scope | undefined,
  command: Command,
  logOf: LogOf,
): Promise<void> {
  if (scope === undefined) return;
  const { kind } = command;
  if (!allowsCommand(scope, kind)) throw forbidden(`the command ${kind}`);
  if (scope.sessions === "all") return;
  if (command.kind === "CreateSession") {
    // A new session is not among those that the token names.
    const { resume } = command;
    if (resume !== undefined && (await reachesLog(scope, resume, logOf))) return;
    throw forbidden(resume === undefined ? "new sessions" : `the log ${resume}`);
  }
  // Every session uses the key.
  if (command.kind === "StoreProviderKey") throw forbidden(`the command ${kind}`);
  // In place the same log continues; otherwise the new session may be out of the client's scope.
  if (command.kind === "SwitchProfile" && command.inPlace !== true) throw forbidden("new sessions");
  if (!(await reachesSession(scope, command.sessionId, logOf)))
    throw forbidden(`the session ${command.sessionId}`);
  // A file of the session leaves the engine; the others decide about all sessions of this user.
  if (BEYOND_A_SESSION.has(kind)) throw forbidden(`the command ${kind}`);
  // A namespace may read anything, all sessions of this user included.
  if (command.kind === "CustomCommand") throw forbidden(`commands of the namespace ${command.namespace}`);
}

/** Returns the events of a session for a client that may see them; reading those of another one throws Forbidden. */
export function guardEvents(
  scope: Scope | undefined,
  id: SessionId,
  {
    logOf,
    events,
    signal,
  }: {
    readonly logOf: LogOf;
    /** Subscribes at once, even if its reading starts later. */
    readonly events: (signal: AbortSignal) => AsyncIterable<Envelope>;
    readonly signal: AbortSignal;
  },
): AsyncIterable<Envelope> {
  if (scope === undefined || allowsSession(scope, id)) return events(signal);
  const leave = new AbortController();
  const followed = events(AbortSignal.any([signal, leave.signal]));
  return whereReached(followed, leave, async () => {
    if (!(await reachesSession(scope, id, logOf))) throw forbidden(`the session ${id}`);
  });
}

async function* whereReached(
  followed: AsyncIterable<Envelope>,
  leave: AbortController,
  assertReached: () => Promise<void>,
): AsyncGenerator<Envelope> {
  try {
    await assertReached();
    yield* followed;
  } finally {
    leave.abort(new Error("nobody reads on"));
  }
}

function forbidden(what: string): HarnessError<"Forbidden"> {
  return new HarnessError("Forbidden", { what });
}
