import type { ContentBlock } from "../../protocol/content.ts";
import type { Message } from "../../protocol/message.ts";

/** Instruction of a prompt to the scripted model (docs/conformance.md lists the words). */
export type Cue =
  | { readonly kind: "say" | "think"; readonly text: string }
  | { readonly kind: "pieces" | "ask"; readonly count: number }
  | { readonly kind: "hold" | "call" | "loop" | "fail" | "secret" | "lines" | "recall" | "plan" }
  | { readonly kind: "none" };

/** A cue and the results of the calls that it has caused so far, in order. */
export interface CuedTurn {
  readonly cue: Cue;
  readonly results: readonly { readonly isError: boolean }[];
}

/** Limit of pieces and calls for one cue. Higher counts are lowered to it. */
export const COUNT_MAX = 10_000;

const WITH_TEXT = ["say", "think"] as const;
const WITH_COUNT = ["pieces", "ask"] as const;
const BARE = ["hold", "call", "loop", "fail", "secret", "lines", "recall", "plan"] as const;
/** All cue words. */
export const CUE_WORDS: readonly string[] = [...WITH_TEXT, ...WITH_COUNT, ...BARE];
const CUE = /^\s*cue:([a-z]+)(?:[ \t]+(.*?))?\s*$/s;

/** Returns the cue of the newest prompt of a conversation. */
export function cuedTurn(messages: readonly Message[]): CuedTurn {
  const at = messages.findLastIndex(isPrompt);
  const results = messages
    .slice(at + 1)
    .flatMap(({ content }) => content)
    .flatMap((block) => (block.type === "tool_result" ? [{ isError: block.is_error === true }] : []));
  return { cue: cueOf(messages[at]?.content ?? []), results };
}

/** Returns the text of every cue before the newest one. */
export function earlierCues(messages: readonly Message[]): readonly string[] {
  return messages
    .filter(isPrompt)
    .flatMap(({ content }) => texts(content))
    .filter((text) => CUE.test(text))
    .slice(0, -1);
}

function isPrompt({ role, content }: Message): boolean {
  return role === "user" && content.some(({ type }) => type === "text");
}

function cueOf(content: readonly ContentBlock[]): Cue {
  // A turn without an answer leaves its prompt and the next one in one message: the last cue applies.
  const match = texts(content)
    .map((text) => CUE.exec(text))
    .findLast((found) => found !== null);
  if (match === undefined || match === null) return { kind: "none" };
  const [, word, rest = ""] = match;
  const bare = BARE.find((known) => known === word);
  if (bare !== undefined) return { kind: bare };
  const spoken = WITH_TEXT.find((known) => known === word);
  if (spoken !== undefined) return { kind: spoken, text: rest };
  const counted = WITH_COUNT.find((known) => known === word);
  if (counted !== undefined) {
    const count = /^\d{1,9}$/.test(rest) ? Number(rest) : 1;
    return { kind: counted, count: Math.min(Math.max(1, count), COUNT_MAX) };
  }
  return { kind: "none" };
}

function texts(content: readonly ContentBlock[]): readonly string[] {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : []));
}
