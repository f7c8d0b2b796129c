import { jsonCharacters } from "../../base/json.ts";
import { head } from "../../base/text/text.ts";

/** Characters of a view as JSON that no stream of events exceeds. The limits in this folder add up to less. */
export const VIEW_CHARACTERS_MAX = 96 * 1024 * 1024;
/** Characters of a name: of a tool, a model, a profile, a skill, a memory. */
export const NAME_CHARACTERS_MAX = 1_000;

/** Lists that count the entries that did not fit. */
export type LimitedList = "waiting" | "calls" | "questions" | "tasks" | "rules";

/** Entries that a limit has kept out of a list, or pushed out of it, since the start of the log. Absent: none. */
export type LeftOut = Readonly<Partial<Record<LimitedList, number>>>;

const LEFT_OUT: Readonly<Record<LimitedList, string>> = {
  waiting: "more inputs wait than this client lists; the engine has all of them",
  calls: "more calls run at once than this client follows",
  questions:
    "more questions are open, or longer ones, than this client lists; one that it does not ask, another can answer",
  tasks: "more tasks run in the background than this client lists",
  rules: "more rules were allowed in this session than this client lists; the oldest ones hold, too",
};

/** Returns a sentence for people about a list that lacks entries. */
export function leftOutNotice(list: LimitedList): string {
  return `note: ${LEFT_OUT[list]}`;
}

/** Returns the lists that lack entries. */
export function shortenedLists(leftOut: LeftOut): readonly LimitedList[] {
  return (Object.keys(LEFT_OUT) as LimitedList[]).filter((list) => (leftOut[list] ?? 0) > 0);
}

/**
 * Returns a JSON value with about as many characters as given: texts are cut, and entries after them dropped. A value
 * within the limit is returned as it is.
 */
export function shortenedJson(value: unknown, charactersMax: number): unknown {
  if (jsonCharacters(value) <= charactersMax) return value;
  let remainingCharacters = charactersMax;
  const shorten = (inner: unknown): unknown => {
    if (typeof inner === "string") {
      const text = head(inner, Math.max(0, remainingCharacters));
      remainingCharacters -= text.length + 2;
      return text;
    }
    remainingCharacters -= 8;
    if (typeof inner !== "object" || inner === null) return inner;
    if (Array.isArray(inner)) {
      const entries: unknown[] = [];
      for (const each of inner) if (remainingCharacters > 0) entries.push(shorten(each));
      return entries;
    }
    const entries: [string, unknown][] = [];
    for (const [key, each] of Object.entries(inner)) {
      remainingCharacters -= key.length + 4;
      if (remainingCharacters > 0) entries.push([key, shorten(each)]);
    }
    return Object.fromEntries(entries);
  };
  return shorten(value);
}
