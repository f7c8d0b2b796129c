import { defined } from "../../../base/defined.ts";
import type { SessionPoint } from "../../../view/session-point.ts";
import { parseSessionPoint, SESSION_POINT_FORM } from "../../../view/session-point.ts";
import { misuse } from "../../args/misuse.ts";
import type { Settings } from "../../settings.ts";
import type { SessionsContext, SessionsVerb } from "./verbs.ts";

/** A command line of `cinch sessions`. */
export interface SessionsWords {
  readonly verb: SessionsVerb;
  /** The session or the file; empty if the verb takes none. */
  readonly target: string;
  /** For rename. Empty: the made title. */
  readonly title: string;
  readonly settings: Settings;
  readonly json: boolean;
  readonly all: boolean;
  readonly archived: boolean;
  readonly limit: number;
  readonly cost: boolean;
  readonly at?: SessionPoint;
  readonly from?: SessionPoint;
  /** For rewind. Default: the beginning. */
  readonly to?: SessionPoint;
  readonly what: "files" | "conversation" | "both";
  readonly preview: boolean;
  readonly force: boolean;
  readonly speed?: number;
  readonly step: boolean;
  readonly format: "jsonl" | "markdown";
  readonly output?: string;
  readonly unverified: boolean;
  readonly yes: boolean;
  readonly olderThanDays?: number;
}

const LIMIT = 20;
/** The limit of the protocol, whose schemas are not loaded here. */
const TITLE_CHARACTERS_MAX = 200;

/** Names the words and flags of a command line. @throws HarnessError UsageInvalid for an invalid `--to`. */
export function sessionsWords(
  context: Pick<SessionsContext, "verb" | "words" | "flags" | "settings">,
): SessionsWords {
  const { verb, words, flags, settings } = context;
  const { all, archived, json, cost, at, from, preview, force, speed, step, output, unverified, yes } = flags;
  const to = rewindTarget(flags.to);
  const olderThanDays = flags["older-than"];
  return {
    verb,
    target: words[0] ?? "",
    title: titleOf(verb, words.slice(1)),
    settings,
    json,
    all,
    archived,
    limit: flags.limit ?? LIMIT,
    cost,
    ...defined({ at, from, to }),
    what: flags.files ? "files" : flags.conversation ? "conversation" : "both",
    preview,
    force,
    ...defined({ speed }),
    step,
    format: flags.format === undefined || flags.format === "jsonl" ? "jsonl" : "markdown",
    ...defined({ output }),
    unverified,
    yes,
    ...defined({ olderThanDays }),
  };
}

/** @throws HarnessError UsageInvalid for a title that is too long. */
function titleOf(verb: SessionsVerb, words: readonly string[]): string {
  const title = verb === "rename" ? words.join(" ") : "";
  if (title.length <= TITLE_CHARACTERS_MAX) return title;
  throw misuse(`a title has at most ${TITLE_CHARACTERS_MAX} characters, not ${title.length}`);
}

function rewindTarget(text: string | undefined): SessionPoint | undefined {
  if (text === undefined || /^e?0$/i.test(text)) return undefined;
  const found = parseSessionPoint(text);
  if (found !== undefined) return found;
  throw misuse(`--to takes ${SESSION_POINT_FORM}, not "${text}"`);
}
