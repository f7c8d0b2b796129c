import { HarnessError } from "../../../base/errors.ts";
import type { SessionId } from "../../../base/ids.ts";
import { isId } from "../../../base/ids.ts";
import { stringAt } from "../../../base/json.ts";
import type { SlashCommand } from "../../../view/slash/slash.ts";
import { printCommand } from "../../../view/slash/slash.ts";
import { neutralise } from "../../../view/terminal/terminal-text.ts";
import { changedFilesText } from "../../../view/texts/changed-files.ts";
import { refusalText } from "../../../view/texts/refusal-text.ts";
import type { CommandSurface } from "../surface.ts";

type SessionsSurface = Pick<
  CommandSurface,
  "session" | "busy" | "columns" | "turns" | "say" | "request" | "answerTo" | "goTo"
>;

/** Carries out one of the commands `/sessions:…`: what they do is done by the engine, but for going elsewhere. */
export async function runSessions(command: SlashCommand, client: SessionsSurface): Promise<void> {
  const { name: verb, args, rest: text } = command;
  if ((verb === "resume" || verb === "attach") && args[0] === undefined)
    return await client.say(`Write ${printCommand(command)} ID; /sessions:list shows them.`);
  if (verb === "resume" || verb === "attach") return await resume(args[0] ?? "", client);
  if (verb === "diff") return await diff(args, client);
  if (verb === "pin" || verb === "unpin") return await pin(args[0], verb === "pin", client);
  const { session: sessionId, columns } = client;
  const payload = { args, text, ...(verb === "list" && columns !== undefined ? { columns } : {}) };
  const result = await client.request({
    kind: "CustomCommand",
    sessionId,
    namespace: "sessions",
    verb,
    payload,
  });
  const told = stringAt(result, "text");
  if (told !== undefined) await client.say(told === "" ? "There are none." : neutralise(told));
}

async function resume(wanted: string, client: SessionsSurface): Promise<void> {
  if (client.busy) return await client.say("A turn is running: /cancel it first, or wait for its end.");
  const found = await find(wanted, client);
  if (found === undefined) return;
  const { id } = found;
  if (id === client.session) return await client.say("This is the session that you are in.");
  const attached = await client.answerTo({ kind: "AttachSession", sessionId: id });
  if (attached instanceof HarnessError) return await client.say(refusalText(attached));
  client.goTo(attached.sessionId ?? id, found.model);
}

/** What a session has changed: this one, or another that runs; since its beginning, or since before a turn of this one. */
async function diff(args: readonly string[], client: SessionsSurface): Promise<void> {
  const [first, ...more] = args;
  const turn = client.turns.all.findLast((seen) => String(seen.turn) === first);
  if (more.length > 0) return await client.say("Write /sessions:diff [TURN | ID].");
  const isOther = first !== undefined && turn === undefined;
  const sessionId = isOther ? (await find(first, client))?.id : client.session;
  if (sessionId === undefined) return;
  const to = turn?.event ?? 0;
  const preview = await client.request({
    kind: "RewindSession",
    sessionId,
    to,
    what: "files",
    preview: true,
  });
  if (preview !== undefined) await client.say(changedFilesText(preview));
}

async function pin(wanted: string | undefined, pinned: boolean, client: SessionsSurface): Promise<void> {
  const sessionId = wanted === undefined ? client.session : (await find(wanted, client))?.id;
  if (sessionId === undefined) return;
  const answer = await client.answerTo({ kind: "PinSession", sessionId, pinned });
  if (answer instanceof HarnessError) return await client.say(refusalText(answer));
  await client.say(`${sessionId} ${pinned ? "is pinned: it is kept." : "is no longer pinned."}`);
}

/** The session that is meant; undefined where there is none, which is told. */
async function find(
  wanted: string,
  client: SessionsSurface,
): Promise<{ readonly id: SessionId; readonly model: string } | undefined> {
  const found = await client.request({
    kind: "CustomCommand",
    sessionId: client.session,
    namespace: "sessions",
    verb: "find",
    payload: { args: [wanted] },
  });
  const id = stringAt(found, "session");
  return id !== undefined && isId("sess", id) ? { id, model: stringAt(found, "model") ?? "" } : undefined;
}
