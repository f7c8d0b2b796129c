import { defined } from "../../../base/defined.ts";
import type { Turns, Undo } from "../../../view/session/turns.ts";
import { isPart, knownTurns } from "../../../view/session/turns.ts";
import { parseSessionPoint } from "../../../view/session-point.ts";
import { cutEnd } from "../../../view/terminal/display-width.ts";
import { COLUMNS } from "../../../view/terminal/table.ts";
import { rewindText } from "../../../view/texts/rewind-text.ts";
import type { SlashContext } from "../slash-context.ts";

const TURNS_LISTED_MAX = 20;
const UNDO = "/rewind undo";

type RewindContext = Pick<SlashContext, "session" | "turns" | "say" | "request">;

/**
 * Runs `/rewind`. Without a number, lists the turns. With one, previews the rewind to before that turn, then sends it;
 * the engine asks before it changes anything. `undo` takes the last rewind back.
 */
export async function runRewind(args: readonly string[], client: RewindContext): Promise<void> {
  const [place, part] = args;
  if (place === undefined) return await client.say(turnList(client.turns));
  const wanted =
    place === "undo" && part === undefined ? client.turns.undo : placeOf(place, part, client.turns);
  if (wanted === undefined) return await client.say("No rewind of this session can be undone.");
  if (typeof wanted === "string") return await client.say(wanted);
  const { to, what } = wanted;
  const words = client.turns.all.find(({ event }) => event === to)?.words;
  const options = { ...defined({ words }), undo: () => UNDO };
  const command = { kind: "RewindSession", sessionId: client.session, to, what } as const;
  const planned = await client.request({ ...command, preview: true });
  if (planned === undefined) return;
  await client.say(rewindText(planned, options));
  const done = await client.request(command);
  if (done === undefined) return;
  await client.say(done.done ? rewindText(done, options) : "Nothing was set back.");
}

/** Returns the rewind point that the words name, or an error text. */
function placeOf(text: string, part = "both", turns: Turns): Undo | string {
  if (!isPart(part))
    return "Say what is to be set back: /rewind N files, /rewind N conversation or /rewind N both.";
  if (text === "0") return { to: 0, what: part };
  const place = parseSessionPoint(text);
  if (place?.kind === "event") return { to: place.event, what: part };
  const turn = turns.all.findLast((seen) => seen.turn === place?.turn);
  if (turn === undefined) return `There is no turn ${text}; /rewind lists them.`;
  return { to: turn.event, what: part };
}

function turnList(turns: Turns): string {
  const listed = turns.all.slice(-TURNS_LISTED_MAX);
  if (listed.length === 0) return "There is no turn to go back to yet.";
  const width = Math.max(...listed.map(({ turn }) => String(turn).length));
  const known = knownTurns(turns);
  const lines = listed.map(({ turn, words, event }) => {
    const mark = known.has(event) ? "" : "(taken back) ";
    return cutEnd(`  ${String(turn).padStart(width)}  ${mark}${words}`, COLUMNS - 1);
  });
  return [
    ...lines,
    "/rewind N goes back to before turn N, files and conversation; it asks first.",
    "/rewind N files, or /rewind N conversation, is for one of them alone.",
    ...(turns.undo === undefined ? [] : [`${UNDO} takes the last one back.`]),
  ].join("\n");
}
