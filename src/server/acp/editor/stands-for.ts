import type { SessionId } from "../../../base/ids.ts";
import { isObject } from "../../../base/json.ts";
import type { Connection } from "../../../protocol/connection.ts";
import { readQuery } from "../../../protocol/queries/read-query.ts";
import { readCommand } from "../../../protocol/read.ts";
import type { SlashCommandInfo } from "../../../protocol/resources.ts";
import { printAnswer } from "../../../view/answers/print-answer.ts";
import { fillFields } from "../../../view/slash/fill-fields.ts";
import type { SlashCommand } from "../../../view/slash/slash.ts";

/** Columns of a table in an editor, which is a block of code there. */
const COLUMNS = 100;

/**
 * Carries out a slash command that stands for a query or a command, as the line client does. Returns the text for the
 * person; empty if there is nothing to say.
 * @throws HarnessError if it is refused.
 */
export async function answerTo(
  { stands_for: stands, usage }: SlashCommandInfo,
  command: Pick<SlashCommand, "args" | "rest">,
  at: { readonly connection: Connection; readonly session: SessionId; readonly nowMs: number },
): Promise<string> {
  if (stands === undefined) return "";
  const { connection, session, nowMs } = at;
  const fields = await fillFields(stands.fields ?? {}, command, {
    session,
    find: async (text) => (await connection.query({ kind: "FindSession", text, sessionId: session })).session,
  });
  if (fields === undefined) return `Write ${usage}.`;
  const answer = await answered(stands, fields, connection);
  if (stands.shows === undefined) return "";
  const all = stands.query === "ListSessions" && fields["sessionId"] === undefined;
  return printAnswer(stands.shows, answer, { nowMs, columns: COLUMNS, all });
}

async function answered(
  { query, command }: NonNullable<SlashCommandInfo["stands_for"]>,
  fields: Readonly<Record<string, unknown>>,
  connection: Connection,
): Promise<unknown> {
  if (query !== undefined) return await connection.query(readQuery({ ...fields, kind: query }));
  const { sessionId, result } = await connection.send(readCommand({ ...fields, kind: command }));
  return { sessionId, ...(isObject(result) ? result : {}) };
}
