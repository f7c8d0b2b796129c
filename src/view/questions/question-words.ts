import type { PayloadOf } from "../../protocol/events/events.ts";
import { neutraliseLine } from "../terminal/terminal-text.ts";

type Ask = PayloadOf<"Asked">;

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
  succeeded: "it succeeded; the model is told so, without its output",
  abort: "I do not know: end this session",
};

/** Returns the first line of a permission question. */
export function permissionHeading({
  tool,
  agent,
}: Pick<PayloadOf<"PermissionRequested">, "tool" | "agent">): string {
  const by = agent === undefined ? "" : ` (for the sub-agent ${neutraliseLine(agent)})`;
  return `Permission needed: ${neutraliseLine(tool)}${by}`;
}

/** Returns why a permission is asked for, as one line. */
export function permissionReason(reason: string): string {
  return `because: ${neutraliseLine(reason)}`;
}

/** Returns one line for a client that only reports progress. */
export function waitingForPermission(tool: string): string {
  return `${neutraliseLine(tool)} waits for permission`;
}
