import { HarnessError, hasReason } from "../../../base/errors.ts";
import type { EventSeq, SessionId } from "../../../base/ids.ts";
import { isId } from "../../../base/ids.ts";
import { arrayAt } from "../../../base/json.ts";
import { shortened } from "../../../base/text/text.ts";
import type { CommandOf } from "../../../protocol/commands/commands.ts";
import type { Connection } from "../../../protocol/connection.ts";
import type { SessionInfo, SlashCommandInfo } from "../../../protocol/resources.ts";
import { printPrice, printTokens } from "../../../view/costs/cost.ts";

/** A session that was created for an editor. */
export interface CreatedSession {
  readonly session: SessionId;
  /** Sentences for the person. */
  readonly notices: readonly string[];
}

/** Creates a session, or a new run on the log of one that has ended. */
export async function created(
  connection: Connection,
  request: CommandOf<"CreateSession">,
): Promise<CreatedSession> {
  const { sessionId: session, result } = await connection.send(request);
  if (session === undefined) throw new HarnessError("EngineStopping", {});
  const notices = arrayAt(result, "notices").filter((notice) => typeof notice === "string");
  return { session, notices };
}

/** Asks for the slash commands of a session. */
export async function listedCommands(
  connection: Connection,
  sessionId: SessionId,
): Promise<readonly SlashCommandInfo[]> {
  return (await connection.query({ kind: "ListSlashCommands", sessionId })).slash_commands;
}

/** @throws HarnessError UnknownSession for a text that is no id. */
export function sessionIdOf(name: string): SessionId {
  if (!isId("sess", name)) throw new HarnessError("UnknownSession", { id: shortened(name, 40) });
  return name;
}

/** Returns the facts of a session, running or stored. @throws HarnessError UnknownSession. */
export async function infoOf(connection: Connection, sessionId: SessionId): Promise<SessionInfo> {
  return await connection.query({ kind: "GetSession", sessionId, last: 0 });
}

/**
 * Cancels the turn of a session, also one of another client: `session/archive` must cancel ongoing work (ACP schema,
 * ArchiveSessionRequest). The session ends, with its tasks in the background, unless
 * it is pinned or another client has it open.
 */
export async function endWork(
  connection: Connection,
  { session: sessionId, live, pinned }: SessionInfo,
  { isOpenElsewhere }: { readonly isOpenElsewhere: boolean },
): Promise<void> {
  if (!live) return;
  const kind = pinned || isOpenElsewhere ? "CancelTurn" : "EndSession";
  try {
    await connection.send({ kind, sessionId });
  } catch (thrown) {
    if (!hasReason(thrown, "SessionEnding") && !hasReason(thrown, "UnknownSession")) throw thrown;
  }
}

/**
 * Returns the event above which a session is read if its past is not shown: what still runs or waits began above it,
 * and the newest turn did.
 */
export async function tailOf(
  connection: Connection,
  { session: sessionId, asked_since: askedSince, events }: SessionInfo,
): Promise<EventSeq> {
  const { turns } = await connection.query({ kind: "ListTurns", sessionId, limit: 1 });
  const [newest] = turns;
  const began = newest === undefined ? 0 : newest.first_event - 1;
  return Math.min(began, askedSince ?? began, events);
}

/** Returns the price and tokens of a session so far, for the person. */
export async function costText(connection: Connection, sessionId: SessionId): Promise<string> {
  const { total } = await connection.query({ kind: "GetSpend", sessionId });
  const { cost_usd: price, known_cost_usd: usd, calls } = total;
  const cost = {
    ...{ usd, calls, unpricedCalls: price === null ? 1 : 0 },
    inputTokens: total.input_tokens,
    outputTokens: total.output_tokens,
    cacheReadTokens: total.cache_read_tokens,
    cacheWriteTokens: total.cache_write_tokens,
  };
  return `${printPrice(cost)}, ${printTokens(cost)}`;
}
