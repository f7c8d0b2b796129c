import { shortened } from "../../../base/text/text.ts";

const RULE_CHARACTERS_MAX = 600;
const RULES_PER_TEXT_MAX = 16;
/** Longer texts are pasted rather than typed: only their beginning is searched. */
const LOOKED_CHARACTERS_MAX = 20_000;

/** Words for standing instructions, in some languages. */
const STANDING = new RegExp(
  [
    "\\b(?:always|never|must(?:n['’]t)?|do(?:es)? not|don['’]t|from now on|at no time|under no circumstances|only ever|remember (?:to|that)|make sure|standing rule|as a rule)\\b",
    "\\b(?:immer|nie|niemals|ab jetzt|keinesfalls|toujours|jamais|désormais|siempre|nunca|jamás|sempre)\\b",
    "(?:всегда|никогда|总是|永远|必须|不要|绝不|常に|必ず|決して|항상|절대)",
  ].join("|"),
  "iu",
);

/** Returns the lines and sentences of a user's text that state what to do always or never, verbatim. */
export function findStandingRules(words: string): readonly string[] {
  return words
    .slice(0, LOOKED_CHARACTERS_MAX)
    .split(/\n+|(?<=[.!?。！？])\s+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "" && STANDING.test(sentence))
    .slice(0, RULES_PER_TEXT_MAX)
    .map((sentence) => shortened(sentence, RULE_CHARACTERS_MAX));
}
