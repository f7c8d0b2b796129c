import type { MemoryType, StoredMemory } from "./memory.ts";

/** Memories added to one turn. */
export const SELECTED_MAX = 5;

/** Points by the place of a matching word. Tags and names were chosen for finding, so they count more. */
const TAG_POINTS = 2;
const NAME_POINTS = 1.5;
const WORD_POINTS = 1;
/** A single matching word of a description may be coincidence. */
const POINTS_MIN = 2;

/** Weights by type. The user's wishes weigh more than references. */
const WEIGHTS: Readonly<Record<MemoryType, number>> = {
  feedback: 1.3,
  user: 1.2,
  project: 1.1,
  reference: 1,
};
const DAY_MS = 24 * 60 * 60 * 1000;
/** Half-life of the bonus for recent memories, in days. */
const RECENT_DAYS = 30;
const RECENT_BONUS = 0.25;

const PROMPT_WORDS_MAX = 2_000;
const WORD_CHARACTERS_MIN = 3;
const COMMON_START_MIN = 4;
const ENDING_MAX = 3;
const TYPO_CHARACTERS_MIN = 6;

// Words that appear in most requests and descriptions.
const COMMON = new Set(
  (
    "about after again all also and any are ask because been before being both but can could did does doing done each " +
    "few file files for from get give has have help here how into its just know let like look make more most much must " +
    "need new not now off one only other our out over own please same see she should some such take tell than that the " +
    "their them then there these they thing things this those through too under until use used user uses using very " +
    "want was way were what when where which while who whom why will with without work works would yes yet you your"
  ).split(" "),
);

/**
 * Selects the memories relevant to a prompt, most relevant first, at most `SELECTED_MAX`; possibly none (CTX-02).
 *
 * It compares words only, so that the same prompt and files give the same result: tags and names, and the words of
 * the description, with small differences in spelling. Type and age decide the order.
 */
export function selectMemories(
  prompt: string,
  memories: readonly StoredMemory[],
  nowMs: number,
): readonly StoredMemory[] {
  const asked = [...new Set(wordsOf(prompt))].slice(0, PROMPT_WORDS_MAX);
  if (asked.length === 0) return [];
  return memories
    .map((memory) => ({ memory, points: pointsOf(memory, asked) }))
    .filter(({ points }) => points >= POINTS_MIN)
    .map(({ memory, points }) => ({ memory, rank: points * WEIGHTS[memory.type] * recency(memory, nowMs) }))
    .sort((a, b) => b.rank - a.rank || (a.memory.path < b.memory.path ? -1 : 1))
    .slice(0, SELECTED_MAX)
    .map(({ memory }) => memory);
}

/** Sums the points of a memory. Each word counts once, with its highest points. */
function pointsOf({ name, tags, description }: StoredMemory, asked: readonly string[]): number {
  const points = new Map<string, number>();
  const add = (text: string, worth: number) => {
    for (const word of wordsOf(text)) {
      const stem = [...points.keys()].find((known) => isAlike(known, word)) ?? word;
      points.set(stem, Math.max(points.get(stem) ?? 0, worth));
    }
  };
  for (const tag of tags) add(tag, TAG_POINTS);
  add(name, NAME_POINTS);
  add(description, WORD_POINTS);
  return [...points]
    .filter(([word]) => asked.some((each) => isAlike(each, word)))
    .reduce((sum, [, worth]) => sum + worth, 0);
}

/** Splits a text into lower-case words, including the parts of compound names. */
function wordsOf(text: string): readonly string[] {
  const apart = text.normalize("NFKC").replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2");
  const words = apart.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => word.length >= WORD_CHARACTERS_MIN && !COMMON.has(word));
}

/** Returns true for equal words, for different endings of a word, and for one mistyped letter in a long one. */
function isAlike(one: string, other: string): boolean {
  if (one === other) return true;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  let common = 0;
  while (common < short.length && short[common] === long[common]) common += 1;
  if (common >= COMMON_START_MIN && long.length - common <= ENDING_MAX && short.length - common <= 1)
    return true;
  return (
    short.length >= TYPO_CHARACTERS_MIN && long.length - short.length <= 1 && isOneOff(short, long, common)
  );
}

/** Returns true if the texts differ by one inserted, removed or replaced letter at `at`, or by two swapped ones. */
function isOneOff(short: string, long: string, at: number): boolean {
  if (short.length !== long.length) return short.slice(at) === long.slice(at + 1);
  if (short.slice(at + 1) === long.slice(at + 1)) return true;
  const swapped = short[at] === long[at + 1] && short[at + 1] === long[at];
  return swapped && short.slice(at + 2) === long.slice(at + 2);
}

function recency({ modifiedMs }: StoredMemory, nowMs: number): number {
  const days = Math.max(0, nowMs - modifiedMs) / DAY_MS;
  return 1 + RECENT_BONUS * 2 ** (-days / RECENT_DAYS);
}
