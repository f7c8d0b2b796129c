/** Limit for files that one input may name; further ones are ignored. */
export const MENTIONS_MAX = 20;
const PATH_CHARACTERS_MAX = 1_024;

/** A path that an input names. */
export interface Mention {
  /** Text of the mention: `@src/a.ts`, `@"with blanks.txt"`. */
  readonly written: string;
  readonly path: string;
}

/** The at sign starts a word: not an e-mail address, not a decorator after a bracket. */
const MENTION = /(?<![\p{L}\p{N}_@./\\-])@(?!@)(?:"([^"\n]+)"|([^\s"'`<>|,;:()[\]{}]+))/gu;
/** Characters that end a sentence, and not a path. */
const SENTENCE_END = /(?<![.!?…])[.!?…]+$/u;
/** Limit for a word: a longer one names no file, even with the end of a sentence cut off. */
const WORD_CHARACTERS_MAX = 2 * PATH_CHARACTERS_MAX;

/**
 * Returns the paths that an input names with an at sign (CTX-03): `@src/a.ts`, `@docs/`, `@"a b.txt"`, each once, in
 * order. The end of a sentence does not belong to a path. The caller checks that the file exists: `@types/node` and
 * `@somebody` are mentions of none.
 */
export function findMentions(text: string): readonly Mention[] {
  const found = new Map<string, Mention>();
  for (const [written, quoted, bare = ""] of text.matchAll(MENTION)) {
    if (found.size === MENTIONS_MAX) break;
    if (written.length > WORD_CHARACTERS_MAX) continue;
    const path = quoted ?? bare.replace(SENTENCE_END, "");
    if (path === "" || path.length > PATH_CHARACTERS_MAX || found.has(path)) continue;
    found.set(path, { path, written: quoted === undefined ? `@${path}` : written });
  }
  return [...found.values()];
}
