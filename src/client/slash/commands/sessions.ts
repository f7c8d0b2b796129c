import { HarnessError } from "../../../base/errors.ts";
import { changesText } from "../../../view/answers/changes-text.ts";
import { parseSessionPoint, SESSION_POINT_FORM } from "../../../view/session-point.ts";
import type { SlashCommand } from "../../../view/slash/slash.ts";
import { printCommand } from "../../../view/slash/slash.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { changedFilesText } from "../../../view/texts/changes/changed-files.ts";
import { refusalText } from "../../../view/texts/refusal-text.ts";
import type { SlashContext } from "../slash-context.ts";
import { unknownText } from "./help-text.ts";

type SessionsContext = Pick<
  SlashContext,
  | "session"
  | "busy"
  | "turns"
  | "say"
  | "request"
  | "answerTo"
  | "find"
  | "standFor"
  | "goTo"
  | "listCommands"
>;

type DiffContext = Pick<SlashContext, "isSpoken" | "session" | "say" | "query">;
type NewContext = Pick<SlashContext, "busy" | "model" | "fresh" | "say" | "query" | "answerTo" | "goTo">;

/** Runs one of the commands `/sessions:…`. */
export async function runSessions(command: SlashCommand, client: SessionsContext): Promise<void> {
  const { name: verb, args } = command;
  if ((verb === "resume" || verb === "attach") && args[0] === undefined)
    return await client.say(`Write ${printCommand(command)} ID; /sessions:list shows them.`);
  if (verb === "resume" || verb === "attach") return await resume(args[0] ?? "", client);
  if (verb === "diff") return await diff(args, client);
  if (verb === "branch") return await branch(args, client);
  const name = `sessions:${verb}`;
  const listed = await client.listCommands();
  if (!listed.some((each) => each.name === name)) return await client.say(unknownText(command, listed));
  await client.standFor(name, command);
}

/** Runs `[ID] [at TURN|eN]`; `--at` means the same, as on the command line. */
async function branch(args: readonly string[], client: SessionsContext): Promise<void> {
  const words = args.flatMap((word) => word.split(/(?<=^--at)=/));
  const atWord = words.findIndex((word) => word === "at" || word === "--at");
  const [named, ...others] = atWord === -1 ? words : words.toSpliced(atWord, 2);
  if (others.length > 0) return await client.say("Write /sessions:branch [ID] [at TURN|eN].");
  const text = words[atWord + 1] ?? "";
  const place = atWord === -1 ? undefined : parseSessionPoint(text);
  if (atWord !== -1 && place === undefined) {
    const quoted = text === "" ? "nothing" : `"${text}"`;
    const why = `behind "at" comes ${SESSION_POINT_FORM}, not ${quoted}; cinch sessions show lists both`;
    return await client.say(neutraliseLine(why));
  }
  const sessionId = named === undefined ? client.session : (await client.find(named))?.session;
  if (sessionId === undefined) return;
  const where =
    place === undefined ? {} : place.kind === "event" ? { at: place.event } : { turn: place.turn };
  const answer = await client.answerTo({ kind: "BranchSession", sessionId, ...where });
  if (answer instanceof HarnessError) return await client.say(refusalText(answer));
  await client.say(
    `A branch of ${sessionId} at event ${answer.result?.at}: ${answer.sessionId}\n/sessions:resume ${answer.sessionId} continues it.`,
  );
}

async function resume(wanted: string, client: SessionsContext): Promise<void> {
  if (client.busy) return await client.say("A turn is running: /cancel it first, or wait for its end.");
  const found = await client.find(wanted);
  if (found === undefined) return;
  const { session: id, model, events: past } = found;
  if (id === client.session) return await client.say("This is the session that you are in.");
  const attached = await client.answerTo({ kind: "AttachSession", sessionId: id });
  if (attached instanceof HarnessError) return await client.say(refusalText(attached));
  client.goTo({ session: attached.sessionId ?? id, model, past });
}

/** Begins a new session with the settings that this client was started with, on the model in use. */
export async function runNew(client: NewContext): Promise<void> {
  const { fresh, model } = client;
  if (client.busy) return await client.say("A turn is running: /cancel it first, or wait for its end.");
  if (fresh === undefined)
    return await client.say("This client cannot begin sessions. Start another one: cinch");
  const created = await client.answerTo({ ...fresh, model });
  if (created instanceof HarnessError) return await client.say(refusalText(created));
  const { sessionId, result } = created;
  for (const notice of result?.notices ?? []) await client.say(neutraliseLine(notice));
  if (sessionId === undefined) return;
  const begun = await client.query({ kind: "GetSession", sessionId, last: 0 });
  if (begun instanceof HarnessError) return await client.say(refusalText(begun));
  client.goTo({ session: sessionId, model, past: begun.events });
}

/** Runs `/diff`: prints what the session has changed, line by line, or what one turn or one file of it has. */
export async function runDiff(args: readonly string[], client: DiffContext): Promise<void> {
  const [first, ...more] = args;
  if (more.length > 0) return await client.say("Write /diff [TURN | PATH].");
  const isTurn = first !== undefined && /^[1-9]\d*$/.test(first);
  const wanted = first === undefined ? {} : isTurn ? { turn: Number(first) } : { path: first };
  const answer = await client.query({ kind: "GetChanges", sessionId: client.session, ...wanted });
  await client.say(answer instanceof HarnessError ? refusalText(answer) : changesText(answer, client));
}

/** Prints the files changed by this session or another live one, since its beginning or since a turn of this one. */
async function diff(args: readonly string[], client: SessionsContext): Promise<void> {
  const [first, ...more] = args;
  const turn = client.turns.all.findLast((seen) => String(seen.turn) === first);
  if (more.length > 0) return await client.say("Write /sessions:diff [TURN | ID].");
  const isOther = first !== undefined && turn === undefined;
  const sessionId = isOther ? (await client.find(first))?.session : client.session;
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
