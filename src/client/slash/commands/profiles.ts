import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import { count } from "../../../base/text/text.ts";
import { knownTurns } from "../../../view/session/turns.ts";
import type { SlashCommand } from "../../../view/slash/slash.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { refusalText } from "../../../view/texts/refusal-text.ts";
import type { SlashContext } from "../slash-context.ts";

/** Turns that the user is asked to import, unless `--import` gives another number. */
const IMPORT_TURNS = 5;

type ProfilesContext = Pick<
  SlashContext,
  "session" | "busy" | "turns" | "say" | "query" | "answerTo" | "confirm" | "switched" | "standFor"
>;

const USAGE = "Write /profiles:NAME [--import N] [--in-place]; /profiles lists them.";

/** Runs `/profile`, `/profiles` and `/profiles:NAME`; a path is written as `/profiles PATH`. */
export async function runProfiles(command: SlashCommand, client: ProfilesContext): Promise<void> {
  const { namespace, name, args } = command;
  if (namespace === undefined && name === "profile")
    return await client.standFor("profile", { args: [], rest: "" });
  const [wanted, ...flags] = namespace === undefined ? args : [name, ...args];
  if (wanted === undefined) return await client.standFor("profiles", { args: [], rest: "" });
  const switched = switchFlags(flags);
  if (switched === undefined) return await client.say(USAGE);
  if (client.busy) return await client.say("A turn is running: /cancel it first, or wait for its end.");
  const { inPlace } = switched;
  const importTurns = inPlace ? undefined : (switched.importTurns ?? (await askedTurns(client, wanted)));
  if (importTurns === "refused") return;
  if (!inPlace && importTurns === undefined) return await client.say("The profile stays as it is.");
  const answer = await client.answerTo({
    kind: "SwitchProfile",
    sessionId: client.session,
    profile: wanted,
    ...defined({ importTurns }),
    ...(inPlace ? { inPlace } : {}),
  });
  if (answer instanceof HarnessError) return await client.say(refusalText(answer));
  client.switched();
  for (const notice of answer.result?.notices ?? []) await client.say(neutraliseLine(notice));
}

/** Asks how many turns to import; undefined if the user cancels, "refused" if the profile cannot be used. */
async function askedTurns(client: ProfilesContext, wanted: string): Promise<number | "refused" | undefined> {
  const turns = Math.min(IMPORT_TURNS, knownTurns(client.turns).size);
  if (turns === 0) return 0;
  // Do not ask about a session that cannot be opened.
  const { session: sessionId } = client;
  const checked = await client.query({ kind: "CheckProfile", sessionId, profile: wanted });
  if (checked instanceof HarnessError) {
    await client.say(refusalText(checked));
    return "refused";
  }
  const which = turns === 1 ? "turn" : count(turns, "turn");
  const taken = await client.confirm(`Import the last ${which} into the new session?`);
  if (taken === undefined) return undefined;
  return taken ? IMPORT_TURNS : 0;
}

interface SwitchFlags {
  readonly inPlace: boolean;
  readonly importTurns?: number;
}

/** Reads the flags; returns undefined if they are invalid. */
function switchFlags(words: readonly string[]): SwitchFlags | undefined {
  const [first, ...others] = words.flatMap((word) => word.split(/(?<=^--import)=/));
  if (first === undefined) return { inPlace: false };
  if (first === "--in-place") return others.length === 0 ? { inPlace: true } : undefined;
  const [number = "", ...more] = others;
  if (first !== "--import" || more.length > 0 || !/^\d{1,3}$/.test(number)) return undefined;
  return { inPlace: false, importTurns: Number(number) };
}
