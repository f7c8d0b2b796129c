import { HarnessError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { isObject } from "../../base/json.ts";
import type { SlashCommandInfo } from "../../protocol/resources.ts";
import { printAnswer } from "../../view/answers/print-answer.ts";
import { fillFields } from "../../view/slash/fill-fields.ts";
import type { SlashCommand } from "../../view/slash/slash.ts";
import { refusalText } from "../../view/texts/refusal-text.ts";
import type { SlashContext } from "./slash-context.ts";

export type StandsForContext = Pick<
  SlashContext,
  "session" | "columns" | "isSpoken" | "nowMs" | "say" | "query" | "answerTo" | "find"
>;

/** Runs a slash command that stands for a query or a command, and prints the answer. */
export async function runStandsFor(
  { stands_for: stands, usage }: SlashCommandInfo,
  command: Pick<SlashCommand, "args" | "rest">,
  client: StandsForContext,
): Promise<void> {
  if (stands === undefined) return;
  let isFound = true;
  const fields = await fillFields(stands.fields ?? {}, command, {
    session: client.session,
    async find(word) {
      const found = await client.find(word);
      isFound = found !== undefined; // else the refusal is on the screen
      return found?.session;
    },
  });
  if (fields === undefined) return isFound ? await client.say(`Write ${usage}.`) : undefined;
  const answer = await answered(stands, fields, client);
  if (answer instanceof HarnessError) return await client.say(refusalText(answer));
  if (stands.shows === undefined) return;
  const { nowMs, columns, isSpoken = false } = client;
  const all = stands.query === "ListSessions" && fields["sessionId"] === undefined;
  const text = printAnswer(stands.shows, answer, { nowMs, columns, all, isSpoken });
  if (text !== "") await client.say(text);
}

async function answered(
  { query, command }: NonNullable<SlashCommandInfo["stands_for"]>,
  fields: JsonObject,
  client: Pick<SlashContext, "query" | "answerTo">,
): Promise<unknown> {
  const [{ readQuery }, { readCommand }] = await Promise.all([
    import("../../protocol/queries/read-query.ts"),
    import("../../protocol/read.ts"),
  ]);
  if (query !== undefined) return await client.query(readQuery({ ...fields, kind: query }));
  const accepted = await client.answerTo(readCommand({ ...fields, kind: command }));
  if (accepted instanceof HarnessError) return accepted;
  const { sessionId, result } = accepted;
  return { sessionId, ...(isObject(result) ? result : {}) };
}
