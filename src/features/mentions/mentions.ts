import { MENTION, SENTENCE_END } from "../../view/slash/mention-pattern.ts";

/** Limit for files that one input may name; further ones are ignored. */
export const MENTIONS_MAX = 20;
const PATH_CHARACTERS_MAX = 1_024;

/** A path that an input names. */
export interface Mention {
  /** Text of the mention: `@src/a.ts`, `@"with blanks.txt"`. */
  readonly written: string;
  readonly path: string;
  /** Lines behind a colon: `@src/a.ts:10-20`, or `@src/a.ts:10` for one. */
  readonly lines?: { readonly first: number; readonly last: number };
}

/** A path that needs no quotes. */
const BARE_PATH = /^[^\s"'`<>|,;:()[\]{}@]+$/u;
/** Limit for a word: a longer one names no file, even with the end of a sentence cut off. */
const WORD_CHARACTERS_MAX = 2 * PATH_CHARACTERS_MAX;

/**
 * Returns the paths that an input names with an at sign (CTX-03): `@src/a.ts`, `@docs/`, `@"a b.txt"`, each once, in
 * order, with the lines of `@src/a.ts:10-20`. The end of a sentence does not belong to a path. The caller checks that
 * the file exists: `@types/node` and `@somebody` are mentions of none.
 */
export function findMentions(text: string): readonly Mention[] {
  const found = new Map<string, Mention>();
  for (const [written, quoted, bare = "", first, last] of text.matchAll(MENTION)) {
    if (found.size === MENTIONS_MAX) break;
    if (written.length > WORD_CHARACTERS_MAX) continue;
    const lines = linesOf(first, last);
    const path = quoted ?? (first === undefined ? bare.replace(SENTENCE_END, "") : bare);
    if (path === "" || path.length > PATH_CHARACTERS_MAX) continue;
    const mention = { path, written: quoted === undefined && first === undefined ? `@${path}` : written };
    const key = lines === undefined ? path : `${path}:${lines.first}-${lines.last}`;
    if (!found.has(key)) found.set(key, lines === undefined ? mention : { ...mention, lines });
  }
  return [...found.values()];
}

/** Returns the mention that names a path, in quotes where it needs them; undefined if no mention can. */
export function writeMention(path: string): string | undefined {
  if (BARE_PATH.test(path) && !SENTENCE_END.test(path)) return `@${path}`;
  return /["\n]/.test(path) ? undefined : `@"${path}"`;
}

/** Returns undefined unless there are lines in this range. */
function linesOf(first: string | undefined, last: string | undefined = first): Mention["lines"] {
  const range = { first: Number(first ?? 0), last: Number(last ?? 0) };
  return range.first >= 1 && range.last >= range.first ? range : undefined;
}
