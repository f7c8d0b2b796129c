import { byteLength } from "../../../base/text/text.ts";
import type { Message } from "../../../protocol/message.ts";
import type { TurnsSummary } from "../../../session/handover.ts";
import type { ToolTable } from "../../../tools/tool-facts.ts";
import { collectFacts, NO_FACTS } from "../facts/facts.ts";
import { factLines, parseCompactedHead } from "./compacted-head.ts";
import { headAndTail } from "./cut-text.ts";
import { splitTurns, turnFacts } from "./transcript.ts";

const TEXT_BYTES_MAX = 24_000;
const ASKED_BYTES_MAX = 2_000;
const SAID_BYTES_MAX = 2_000;
const EARLIER_BYTES_MAX = 4_000;
const ABOUT_BYTES_MAX = 8_000;

/**
 * Returns the last turns of a conversation as a summary for a new one, made from the conversation alone: what was
 * asked, what was called, what was said last; then the standing rules, open tasks, files and plan in them ([A] §
 * Mid-session profile switching). Never a replay. At most `TEXT_BYTES_MAX` bytes: the newest turns stay.
 *
 * Returns undefined if nothing was said, or no turn is wanted.
 */
export function importedTurns(
  messages: readonly Message[],
  turnsMax: number,
  { profile, tools }: { readonly profile: string; readonly tools: ToolTable },
): TurnsSummary | undefined {
  const head = parseCompactedHead(messages[0]);
  const allTurns = splitTurns(head === undefined ? messages : messages.slice(1));
  const taken = allTurns.slice(Math.max(0, allTurns.length - turnsMax));
  if (turnsMax === 0 || taken.length === 0) return undefined;
  const words = taken.flat();
  const earlierFacts = head !== undefined && taken.length === allTurns.length ? head.facts : NO_FACTS;
  const facts = collectFacts(earlierFacts, words, { cut: words.length, turnInput: "", tools });
  const earlier =
    earlierFacts === NO_FACTS || head === undefined || head.summary === ""
      ? []
      : ["What was before them:", headAndTail(head.summary, EARLIER_BYTES_MAX)];
  const rules = facts.rules.map((rule) => `- ${JSON.stringify(rule)}`);
  const carried = [
    ...(rules.length === 0 ? [] : ["What the user said has always or never to be done:", ...rules]),
    ...(factLines(facts) === "" ? [] : [factLines(facts)]),
  ].join("\n");
  const about = headAndTail(carried, ABOUT_BYTES_MAX);
  const newestTurns = newestWithin(taken.map(turnText), TEXT_BYTES_MAX - byteLength(about));
  const text = [
    `Summary of the session before this one, which ran on the profile ${JSON.stringify(profile)}: its last ${newestTurns.length === 1 ? "turn" : `${newestTurns.length} turns`}, the newest last. It was made from the log; what tools returned is not among it.`,
    ...earlier,
    ...newestTurns,
    ...(about === "" ? [] : [about]),
  ].join("\n");
  return { turns: newestTurns.length, text: headAndTail(text, TEXT_BYTES_MAX) };
}

function turnText(messages: readonly Message[]): string {
  const { asked, calls, said } = turnFacts(messages);
  return [
    asked === "" ? "Went on." : `Asked: ${JSON.stringify(headAndTail(asked, ASKED_BYTES_MAX))}`,
    ...(calls === "" ? [] : [`Called: ${calls}`]),
    ...(said === "" ? [] : [`Said last: ${JSON.stringify(headAndTail(said, SAID_BYTES_MAX))}`]),
  ]
    .map((line, at) => `${at === 0 ? "- " : "  "}${line}`)
    .join("\n");
}

/** Returns the last texts that fit; always the very last one. */
function newestWithin(texts: readonly string[], bytesMax: number): readonly string[] {
  let remainingBytes = bytesMax;
  const from = texts.findLastIndex((text, at) => {
    remainingBytes -= byteLength(text) + 1;
    return remainingBytes < 0 && at < texts.length - 1;
  });
  return texts.slice(from + 1);
}
