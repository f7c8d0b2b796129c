import { HarnessError } from "../../../base/errors.ts";
import type { SessionId } from "../../../base/ids.ts";
import { isId } from "../../../base/ids.ts";
import { arrayAt } from "../../../base/json.ts";
import { shortened } from "../../../base/text/text.ts";
import type { CommandOf } from "../../../protocol/commands/commands.ts";
import type { Connection } from "../../../protocol/connection.ts";
import type { SessionInfo, SlashCommandInfo } from "../../../protocol/resources.ts";

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
