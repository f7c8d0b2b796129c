/** Files that one input may name; what comes beyond is not looked at. */
export const MENTIONS_MAX = 20;
const PATH_CHARACTERS_MAX = 1_024;

/** A path that an input names. */
export interface Mention {
  /** As it stands in the text: `@src/a.ts`, `@"with blanks.txt"`. */
  readonly written: string;
  readonly path: string;
}

/** The at sign begins a word: no e-mail address, no decorator behind a bracket's end. */
const MENTION = /(?<![\p{L}\p{N}_@./\\-])@(?!@)(?:"([^"\n]+)"|([^\s"'`<>|,;:()[\]{}]+))/gu;
/** What ends a sentence, and not a path. */
const SENTENCE_END = /(?<![.!?…])[.!?…]+$/u;
/** A word that is longer names no file, however a sentence ends in it. */
const WORD_CHARACTERS_MAX = 2 * PATH_CHARACTERS_MAX;

/**
 * The paths that an input names with an at sign (CTX-03): `@src/a.ts`, `@docs/`, `@"a b.txt"`, each once, in order. What
 * ends a sentence does not count as part of one. Whether there is such a file is for the caller to see: `@types/node` and
 * `@somebody` are mentions of none.
 */
export function mentionsIn(text: string): readonly Mention[] {
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
