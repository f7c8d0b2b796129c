import { cleanPath, relativeWithin } from "../../base/files/below.ts";
import { grouped } from "../../base/text/text.ts";
import type { PayloadOf } from "../../protocol/events/events.ts";
import { neutraliseLine, reveal } from "../terminal/terminal-text.ts";

type Ask = PayloadOf<"Asked">;
type Permission = Pick<PayloadOf<"PermissionRequested">, "tool" | "agent">;

/** Words of one kind of question, for every client. */
interface QuestionWords {
  /** Stands before the text, as on a terminal. */
  readonly heading: string;
  /** Asks in one line, as in the title of a dialog. */
  readonly title: string;
  /** Follows "Without an answer within 60 s …". */
  readonly unanswered: string;
}

const WORDS: Readonly<Record<Ask["about"], QuestionWords>> = {
  trust: {
    heading: "Approval needed:",
    title: "Use this file of the project?",
    unanswered: "the file is left out of this session",
  },
  orphan: {
    heading: "Interrupted call:",
    title: "What became of this call?",
    unanswered: "the session goes no further; your next input asks again",
  },
  plan: { heading: "Plan to approve:", title: "Carry out this plan?", unanswered: "plan mode goes on" },
  elicitation: { heading: "A tool asks:", title: "A tool asks", unanswered: "the question is closed" },
  "token-code": {
    heading: "A program asks for a token:",
    title: "A program asks for a token",
    unanswered: "the question is closed",
  },
  "outside-sandbox": {
    heading: "Failed in the sandbox:",
    title: "Run it outside the sandbox?",
    unanswered: "it is left as it is",
  },
  rewind: { heading: "Files to set back:", title: "Set back?", unanswered: "nothing is set back" },
};

/** A question of the sandbox that names hosts is about the network. */
const NETWORK = { heading: "Network needed:", title: "Let it reach these hosts?" };
/** A question about the trust of a server is about all of it. */
const SERVER_UNANSWERED = "nothing of the server is approved";

/** Returns the words of a question, without its own text and choices. */
export function questionWords({ about, details = {} }: Pick<Ask, "about" | "details">): QuestionWords {
  const words = WORDS[about];
  if (about === "trust" && details["server"] !== undefined)
    return { ...words, unanswered: SERVER_UNANSWERED };
  if (about !== "outside-sandbox") return words;
  const tool = typeof details["tool"] === "string" ? ` ${neutraliseLine(details["tool"])}` : "";
  const { heading, title } = details["hosts"] === undefined ? words : NETWORK;
  return { ...words, title, heading: `${heading}${tool}` };
}

/** Returns the words for a fate of a call that a crash left open; undefined for any other choice. */
export function fateText(value: string): string | undefined {
  return Object.hasOwn(FATES, value) ? FATES[value] : undefined;
}

const FATES: Readonly<Record<string, string>> = {
  failed: "it failed, or had no effect",
  succeeded: "it succeeded; the model learns this, but not its output",
  abort: "I do not know: end this session",
};

/** Returns the first line of a permission question. A client that only reports progress shows this line alone. */
export function permissionHeading({ tool, agent }: Permission): string {
  const by = agent === undefined ? "" : ` (for the sub-agent ${neutraliseLine(agent)})`;
  return `Permission needed: ${neutraliseLine(tool)}${by}`;
}

/**
 * Returns the summary of a permission question. Of a change to a file in the folder of the session it is the path below
 * that folder: the heading names the tool. Any other summary, such as a command, stays as it is (PERM-06).
 */
export function permissionSummary(
  { tool, summary, preview }: Pick<PayloadOf<"PermissionRequested">, "tool" | "summary" | "preview">,
  workingDir: string,
): string {
  const [, path = ""] = summary.startsWith(`${tool}:`) ? [tool, summary.slice(tool.length + 1)] : [];
  const isClean = preview !== undefined && path !== "" && cleanPath(path) === path;
  const below = isClean ? (relativeWithin(workingDir, path) ?? "") : "";
  return below === "" ? summary : below;
}

/** Returns why a permission is asked for, as one line. */
export function permissionReason(reason: string): string {
  return `because: ${neutraliseLine(reason)}`;
}

/** Returns what would end a permission question, as one line; undefined if nothing is known to. */
export function questionEndText({
  ends,
}: NonNullable<PayloadOf<"PermissionRequested">["why"]>): string | undefined {
  return ends?.setting === undefined ? undefined : `to stop asking: ${neutraliseLine(ends.setting)}`;
}

/** Returns the parts of a compound command with their verdicts, one a line. */
export function partLines({
  parts = [],
}: Pick<PayloadOf<"PermissionRequested">, "parts">): readonly string[] {
  return parts.map(({ verdict, text, why }) => `${verdict}: ${reveal(text)} (${neutraliseLine(why)})`);
}

/** Label of the answer that denies a call with words for the model. */
export const INSTEAD_LABEL = "deny, and tell the model what to do instead";

/** Returns the notice to people that an agent's session waits for permission; names already cut to one line. */
export function agentAsksText({
  session,
  agent,
  request,
}: {
  readonly session: string;
  readonly agent: string;
  readonly request: Permission;
}): string {
  return `${permissionHeading(request)}, in session ${session} of outer agent ${agent}. /sessions:attach ${session} to answer.`;
}

/** Returns the question that lets a person keep a rule for the session or shorten it, with an example. */
export function ruleQuestion(rule: string, example: string): string {
  return `Rule: ${reveal(rule)}\nEnter keeps it. To allow all that begins alike, type the first words of it, such as: ${example}`;
}

/** Label of the answer that denies a call and each one like it, for clients that offer it. */
export const DENY_ALIKE_LABEL = "deny exactly this for this session";

/** Returns what happens without an answer, as a sentence. */
export function unansweredText(timeoutMs: number, unanswered: string = PERMISSION_UNANSWERED): string {
  return `Without an answer within ${timeoutMs / 1_000} s ${unanswered}.`;
}

const PERMISSION_UNANSWERED = "it is denied";

/** Words of the question about a call that a crash interrupted. */
export const ORPHAN_WORDS = {
  first: "cinch ended while this call was running, so nobody knows whether it took effect:",
  last: "Please look, and say what became of it:",
  noted: "it succeeded, and the model reads your note",
} as const;

/** Note about a question that a gap in the events may have closed. */
export const UNCERTAIN_TEXT = "It may have been answered: events after it are missing.";

/** Returns the note about a question that is too long to be kept whole. */
export function leftOutText(characters: number): string {
  return `The question is too long to be shown whole here: ${grouped(characters)} characters left out.`;
}
